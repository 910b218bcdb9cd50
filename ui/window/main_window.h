// The window: panels round a canvas, all working on one Session.
#pragma once

#include "ui/bridge/session.h"
#include "ui/canvas/canvas_area.h"
#include "ui/window/theme.h"

#include <QMainWindow>

#include <map>

class QAction;
class QActionGroup;
class QComboBox;
class QLabel;
class QMenu;
class QProgressBar;
class QSplitter;
class QStackedWidget;
class QTabBar;
class QTemporaryDir;
class QTimer;
class QToolButton;

namespace tessera {

class Autosave;
class Card;
class CardColumn;
class ChainPanel;
class DragHandle;
class FilterList;
class HistogramPanel;
class KernelPanel;
class MessageBar;
class ParameterPanel;
class RacePanel;
class SaveDialog;
struct SaveSubject;
class StartPage;
class StatisticsPanel;
class StepOptions;

class MainWindow : public QMainWindow {
    Q_OBJECT

public:
    explicit MainWindow(QWidget *parent = nullptr);
    ~MainWindow() override;

    Session &session() { return session_; }
    CanvasArea &canvas() { return *canvas_; }
    // Pictures and sessions, told by their content; folders go to the batch.
    void open(const QStringList &paths);
    void showMessage(const Message &message);
    void setThemeChoice(ThemeChoice choice);
    void setCanvasMode(CanvasMode mode);
    // From here on what is open is kept against a crash, in `folder` or the user's own; opens what a crash has left.
    void startAutosave(const QString &folder = {});
    // Ask before unsaved results are given up; off in tests that close windows.
    void setAsksBeforeClosing(bool asks) { asks_ = asks; }
    QString presetFolder() const;
    void loadPresetFile(const QString &path);

public slots:
    void openDialog();
    void saveDialog();
    void paste();
    void copyResult();
    void openPalette();
    void openShortcuts();
    void openBatch();
    void exportRace();
    void exportWholeRace();

protected:
    void closeEvent(QCloseEvent *event) override;
    void dragEnterEvent(QDragEnterEvent *event) override;
    void dragLeaveEvent(QDragLeaveEvent *event) override;
    void dropEvent(QDropEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void keyReleaseEvent(QKeyEvent *event) override;
    void changeEvent(QEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void moveEvent(QMoveEvent *event) override;

private:
    // main_window.cpp: what there is
    QWidget *makeLeft();
    QWidget *makeCentre();
    QWidget *makeRight();
    void makeToolBar();
    void makeStatusBar();
    void makeProgress();
    void connectPanels();
    void connectKernel();
    void connectCentre();
    // main_window_actions.cpp: menus and keys
    void makeActions();
    QAction *addAction(QMenu *menu, const QString &text, const QKeySequence &keys, std::function<void()> action,
                       const QString &name = {});
    void makeFileMenu();
    void makeEditMenu();
    void makeViewMenu();
    void makeDifferenceMenu(QMenu *menu);
    void makeThemeMenu(QMenu *menu);
    void makeFilterMenu();
    // main_window_menus.cpp: entries that change
    void fillRecent();
    void fillHistory();
    void fillPresets();
    void savePreset();
    void loadPreset();
    // main_window_commands.cpp, main_window_sessions.cpp
    void makeHelpMenu();
    void completeMenus();
    void connectChain();
    void connectSteps();
    void connectKernelActions();
    void replaceByTwoPasses();
    void showChosenEngine();
    void connectRace(); // main_window_race.cpp
    void showRace();    // that of the picture that is shown
    void showRaceElsewhere();
    bool showsRunningRace() const;
    void makeRaceMenu();
    bool mayExportRace();
    void saveSessionDialog();
    void openSessionDialog();
    // main_window_update.cpp: what changes
    void connectSession();
    void settleMessages();
    void showDocuments();
    void showFormat();
    void showChain();
    void showResult();
    void showCaptions(const FilterResult *result);
    void tellNote(const QString &note); // of the run that is shown; empty: it has none
    void showStatistics(const ImageStatistics *before, const ImageStatistics *after, Depth depthAfter);
    void showPreview(const FilterPreview &preview);
    void showRunState();
    void markStatistics(bool earlier); // as of a result that is not the chain's
    bool statisticsAreEarlier() const;
    void showProgress(const QString &what, double fraction);
    void showView();
    void showHover();
    void showEngines(const std::vector<EngineEntry> &engines);
    void chooseEngine();
    QString currentFilterTitle() const;
    static QString milliseconds(double ms);
    // main_window_panes.cpp, main_window_region.cpp: what the panes show, and the marked region
    void connectCanvas();
    void connectVariants();
    void fillPaneMenu(QMenu *menu, int pane);
    void addVariantsTo(QMenu *menu, int pane);
    void openCanvasMenu(int pane, const QPoint &place);
    void makeRegionActions(QMenu *menu);
    void makeInspectorActions(QMenu *menu);
    void showVariants();
    QStringList paneNames() const; // for the settings
    void restorePanes(const QStringList &names);
    void showArea();
    void showPicture(); // another one
    void keepLook();
    void markVisible();
    void filterRegionOnly(bool only);
    void takeRegion(const QRect &region);
    QString variantTitle(const QString &key) const;
    void showTabs();
    // main_window_files.cpp, main_window_transfer.cpp
    QString suggestedName(const Document &document) const;
    QString suggestedFolder(const Document &document) const;
    QString suggestedPath(const Document &document) const;
    void forgetClosedChoices();
    SaveSubject saveSubject(const Document &document) const;
    void saveAs(const Document *document, const SaveDialog &chosen);
    void connectTransfer();
    // main_window_closing.cpp
    void closePicture(int index);
    QStringList unsavedOf(const std::vector<int> &indices);
    QString lostWith(const Document &document) const;
    bool mayClose(const std::vector<int> &indices, const QString &lost, const std::function<void()> &closeAgain);
    void stepThroughPictures(int step);
    void stepThroughPanels(int step);
    // main_window_settings.cpp
    void remember(const QString &path);
    void loadSettings();
    void keepSettings(); // what was chosen, as it is chosen: a killed program has it next time
    void watchSettings();
    void saveSettings();
    QStringList samplePictures() const;

    Session session_;
    std::unique_ptr<Autosave> autosave_;
    FilterList *filters_ = nullptr;
    CardColumn *cards_;
    ChainPanel *chain_ = nullptr;
    ParameterPanel *parameters_ = nullptr;
    StepOptions *options_ = nullptr;
    KernelPanel *kernel_ = nullptr;
    CanvasArea *canvas_ = nullptr;
    StartPage *start_ = nullptr;
    QStackedWidget *stack_ = nullptr;
    QTabBar *tabs_ = nullptr;
    MessageBar *messages_ = nullptr;
    RacePanel *race_ = nullptr;
    HistogramPanel *histogram_ = nullptr;
    StatisticsPanel *statistics_ = nullptr;
    Card *chart_ = nullptr;
    QSplitter *columns_ = nullptr;
    QSplitter *rows_ = nullptr;
    QWidget *left_ = nullptr;
    QWidget *right_ = nullptr;
    QComboBox *variant_ = nullptr;
    QComboBox *device_ = nullptr;
    QLabel *fileLabel_ = nullptr, *formatLabel_ = nullptr, *zoomLabel_ = nullptr, *hoverLabel_ = nullptr,
           *deviceLabel_ = nullptr;
    QLabel *progressLabel_ = nullptr;
    QProgressBar *progress_ = nullptr;
    QToolButton *cancel_ = nullptr;
    QMenu *recentMenu_ = nullptr, *historyMenu_ = nullptr, *presetsMenu_ = nullptr;
    DragHandle *dragHandle_ = nullptr;
    std::unique_ptr<QTemporaryDir> dragged_; // files that were dragged out, for as long as the window lives
    int draggedCount_ = 0;
    QAction *undo_ = nullptr, *redo_ = nullptr, *save_ = nullptr, *close_ = nullptr, *copy_ = nullptr,
            *reopen_ = nullptr;
    QAction *filterRegion_ = nullptr;
    QMenu *paneMenu_ = nullptr;
    QActionGroup *modes_ = nullptr, *themes_ = nullptr, *differences_ = nullptr;
    std::vector<QAction *> needPicture_; // disabled while nothing is open
    std::vector<EngineEntry> engines_;
    const Document *shownDocument_ = nullptr; // whose picture the canvas has
    const Image *shownResult_ = nullptr;
    bool statisticsOfResult_ = false; // what histogram and table show beside the original's
    bool statisticsOfRegion_ = false; // and what they show is of the marked region alone
    bool statisticsMarked_ = false;
    QStringList recent_;
    QString lastFolder_;
    QString lastNote_; // of the run that is shown, told once
    struct SaveChoice {
        QString path, proposedStem; // what was chosen, and what the window would have called it
        OutputDepth depth = OutputDepth::Keep;
    };
    std::map<const Document *, SaveChoice> saveChoices_; // of the last save of each, done or failed
    QString lastSession_, lastPreset_, lastRace_;        // as they were named last
    std::function<void()> afterSave_;                    // what waits for a file to be written: closing
    ThemeChoice themeChoice_ = ThemeChoice::System;
    bool asks_ = true;
    QTimer *settingsTimer_ = nullptr; // once the settings are loaded
};

} // namespace tessera
