// The tool bar, the status bar and the tabs.
#include "ui/bridge/file_name.h"
#include "ui/kernel_editor/kernel_panel.h"
#include "ui/panels/controls.h"
#include "ui/panels/drag_handle.h"
#include "ui/panels/message_bar.h"
#include "ui/window/main_window.h"

#include <QAction>
#include <QActionGroup>
#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QStatusBar>
#include <QTabBar>
#include <QToolBar>
#include <QToolButton>

#include <algorithm>

namespace tessera {

namespace {

// Where the bar's message stands.
QLabel *makeNotice(QStatusBar &bar) {
    auto *notice = new ElidedLabel(&bar);
    notice->setFont(smallFont());
    notice->setAccessibleName(MainWindow::tr("Notice"));
    notice->setObjectName(QStringLiteral("status.notice"));
    QObject::connect(&bar, &QStatusBar::messageChanged, notice, &QLabel::setText);
    return notice;
}

} // namespace

void MainWindow::makeToolBar() {
    auto *bar = new QToolBar(tr("Tools"), this);
    bar->setObjectName(QStringLiteral("tools"));
    bar->setMovable(false);
    bar->setContextMenuPolicy(Qt::PreventContextMenu);
    bar->setToolButtonStyle(Qt::ToolButtonTextOnly);
    const auto space = [&](int width) {
        auto *gap = new QWidget(bar);
        if (width)
            gap->setFixedWidth(width);
        else
            gap->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
        bar->addWidget(gap);
    };
    for (const char *name : {"file.open", "file.save", "edit.undo", "edit.redo"})
        bar->addAction(findChild<QAction *>(QLatin1String(name)));
    space(16);
    for (QAction *mode : modes_->actions())
        if (mode->objectName() != QStringLiteral("view.%1").arg(int(CanvasMode::Three)))
            bar->addAction(mode); // a small window has room for no more
    space(0);
    const auto combo = [&](const QString &label, const QString &help, const QString &name) {
        auto *caption = new QLabel(label, bar);
        setForegroundMuted(caption);
        auto *box = new QuietComboBox(bar);
        box->addItem(tr("auto"), QStringLiteral("auto"));
        box->setToolTip(help);
        box->setAccessibleName(label);
        box->setObjectName(name);
        auto *both = new QWidget(bar); // where there is no room, the list goes and its label with it
        auto *row = new QHBoxLayout(both);
        row->setContentsMargins(0, 0, 0, 0);
        row->setSpacing(4);
        row->addWidget(caption);
        row->addWidget(box);
        bar->addWidget(both);
        connect(box, &QComboBox::activated, this, &MainWindow::chooseEngine);
        return box;
    };
    variant_ = combo(tr("Variant"), tr("Which implementation filters the picture"), QStringLiteral("variant"));
    space(8);
    device_ = combo(tr("Device"), tr("Where the picture is filtered"), QStringLiteral("device"));
    variant_->setMinimumContentsLength(9);
    device_->setMinimumContentsLength(11);
    space(4);
    addToolBar(bar);
    for (auto *button : bar->findChildren<QToolButton *>())
        button->setAutoRaise(false); // each reads as a button, as the boxes beside it do
}

void MainWindow::makeStatusBar() {
    QStatusBar *bar = statusBar();
    bar->setSizeGripEnabled(false);
    connect(QApplication::clipboard(), &QClipboard::dataChanged, bar, [bar] {
        // Another program copies, too. Where there is none, as without a screen, the platform knows no owner.
        static const bool alone = QGuiApplication::platformName() == QLatin1String("offscreen");
        if (QApplication::activeWindow() && (alone || QApplication::clipboard()->ownsClipboard()))
            bar->showMessage(tr("Copied to the clipboard"), 4000);
    });
    const auto label = [&](const QString &name) {
        auto *text = new QLabel(bar);
        text->setFont(smallFont());
        text->setAccessibleName(name);
        text->setContentsMargins(6, 0, 10, 0);
        text->setTextFormat(Qt::PlainText);
        setForegroundMuted(text);
        return text;
    };
    fileLabel_ = label(tr("File"));
    formatLabel_ = label(tr("Size and depth"));
    zoomLabel_ = label(tr("Zoom"));
    hoverLabel_ = label(tr("Pixel under the cursor"));
    deviceLabel_ = label(tr("Device"));
    progressLabel_ = label(tr("What is being done"));
    makeProgress();
    dragHandle_ = new DragHandle(bar);
    dragHandle_->setFont(smallFont());
    dragHandle_->hide(); // until there is something to drag
    // Permanent: else a message would hide them, and be written over by those that are shown anew meanwhile. They leave
    // it no room of its own; it stands in a label beside them.
    bar->addPermanentWidget(dragHandle_);
    for (QLabel *text : {fileLabel_, formatLabel_, zoomLabel_, hoverLabel_})
        bar->addPermanentWidget(text);
    bar->addPermanentWidget(makeNotice(*bar), 1);
    bar->addPermanentWidget(progressLabel_);
    bar->addPermanentWidget(progress_);
    bar->addPermanentWidget(cancel_);
    bar->addPermanentWidget(deviceLabel_);
    showProgress({}, -1);
}

void MainWindow::makeProgress() {
    progress_ = new QProgressBar(statusBar());
    progress_->setRange(0, 1000);
    progress_->setTextVisible(false);
    progress_->setFixedSize(140, 10);
    progress_->setAccessibleName(tr("Progress"));
    cancel_ = new QToolButton(statusBar());
    cancel_->setText(tr("Cancel"));
    cancel_->setToolTip(tr("Stop what is running (Esc)"));
    cancel_->setAccessibleName(tr("Cancel"));
    connect(cancel_, &QToolButton::clicked, &session_, &Session::cancel);
}

// Another picture, or another chain: what was said of the one before would be taken for this one's.
void MainWindow::settleMessages() {
    messages_->settle(pictureTopic);
    kernel_->settle();
    statusBar()->clearMessage();
    untell();
}

void MainWindow::showTabs() {
    for (int i = 0; i < std::min(tabs_->count(), session_.count()); ++i) {
        const Document &document = *session_.documentAt(i);
        const QString title = QString::fromStdString(document.title());
        const QString shown = QString(title).replace(QLatin1Char('&'), QStringLiteral("&&"));
        // In front: long names lose their ends.
        const QString text = document.needsSaving() ? tr("• %1", "not saved").arg(shown) : shown;
        if (tabs_->tabText(i) != text) // else all tabs would be laid out anew at every step of a slider
            tabs_->setTabText(i, text);
        // A path is nobody's markup, and tool tips would take it for some.
        tabs_->setTabToolTip(i, shownName(document.path()).toHtmlEscaped());
        if (QWidget *button = tabs_->tabButton(i, QTabBar::RightSide))
            button->setAccessibleName(tr("Close %1").arg(title));
    }
}

} // namespace tessera
