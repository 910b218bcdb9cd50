// The open pictures and what is being done to them: the one object through which the window edits, runs and saves.
#pragma once

#include "app/image/image_io.h"
#include "app/session/display.h"
#include "app/session/document.h"
#include "app/session/session_file.h"
#include "ui/bridge/crossover_runner.h"
#include "ui/bridge/filter_runner.h"
#include "ui/bridge/race_records.h"
#include "ui/bridge/race_runner.h"
#include "ui/bridge/variant_runs.h"

#include <QImage>
#include <QObject>
#include <QStringList>
#include <QTimer>

#include <functional>
#include <memory>
#include <set>
#include <vector>

namespace tessera {

// An engine as the window offers it.
struct EngineEntry {
    QString deviceId, deviceName, label;
    bool lost = false;                                 // the device failed since the program began
    std::vector<std::pair<QString, QString>> variants; // name, description
};

// loadImage for regular files alone; else Error{Input}.
Image loadPictureFile(const std::filesystem::path &path, const RunControl &control);

class Session : public QObject {
    Q_OBJECT

public:
    explicit Session(QObject *parent = nullptr);
    ~Session() override;

    // ---- pictures ----
    void openFiles(const QStringList &paths);
    void openPicture(Image picture, const QString &title);
    // Small pictures of these files, sent one by one with thumbnailReady; what cannot be read has none.
    void makeThumbnails(const QStringList &paths, int side);
    void closeDocument(int index);
    void reopenClosed(); // the picture that was closed last, with its chain; those without a file are gone
    bool canReopen() const { return !closed_.empty(); }
    // What is open, to be saved and opened again. Pictures without a file have an empty path.
    SessionState state() const;
    // Opens all of it behind what is open and answers with restored(). Files in `privateFolder` count as pictures
    // without a file. `asSaved`: closing them loses nothing, as the session's file has it all.
    void restore(const SessionState &state, const std::filesystem::path &privateFolder = {}, bool asSaved = false);
    bool restoring() const { return restoring_ > 0; }
    // Pictures that no file holds go into a folder beside the file, path + "-pictures"; all of it is written or
    // nothing, and no file that lies there is touched.
    void saveSession(const QString &path);
    void openSession(const QString &path);
    int count() const { return int(documents_.size()); }
    int currentIndex() const { return current_; }
    void setCurrentIndex(int index);
    Document *document() { return documentAt(current_); }
    const Document *document() const { return documentAt(current_); }
    Document *documentAt(int index);
    const Document *documentAt(int index) const;
    int indexOf(const Document *document) const; // -1: it is not open, or not any more

    // ---- edits of the current document; each runs the chain ----
    void edit(const std::function<void(Document &)> &change);
    void undo();
    void redo();

    // ---- running ----
    void findEngines(); // answers with enginesFound; looking for devices may take a moment
    void setEngine(const std::string &variant, const std::string &device);
    const std::string &variant() const { return variant_; }
    const std::string &device() const { return device_; }
    void setEngineChooser(EngineChooser chooser) { choose_ = std::move(chooser); }
    // Marks this part of the current document. Its statistics, before and after, are sent whenever either changes, or
    // the document comes back; empty: of the whole (regionStatistics is not sent).
    void setRegion(const Rectangle &region);
    Rectangle region() const { return document() ? document()->view().region : Rectangle(); }
    void findLargestChange(); // in the region, where there is one; answers with largestChangeFound
    void setView(const Rectangle &visible, double zoom);
    void cancel(); // everything that runs: filter, race, loading, saving
    void runAgain();
    // ---- the race, session_race.cpp ----
    // Of the current document. It goes on while another one is shown, and stops once what it measures is not what the
    // document has any more.
    void startRace();
    void stopRace(); // whose ever it is
    // A race without end begins again after every change, once the picture is there. It is held while its picture is
    // not shown.
    void setRaceEndless(bool endless);
    bool raceEndless() const { return raceEndless_; }
    RaceRunner &race() { return race_; }
    const RaceRecords &races() const { return races_; }
    std::optional<RaceSubject> raceSubject() const; // what a race would measure now; empty: there is nothing to race
    void startCrossover(const CrossoverPlan &plan, bool afresh);
    CrossoverRunner &crossover() { return crossover_; }
    FilterRunner &runner() { return runner_; }
    VariantRuns &variantRuns() { return variantRuns_; }
    // What a run of the current document's chain would be asked now.
    FilterRequest request() const;
    bool filtering() const { return runner_.running(); }
    // Until all that a job on files changes here is changed, too: that the picture is saved, that a message says why
    // not.
    bool busyWithFiles() const { return fileJobs_ > 0; }
    bool saving() const { return !saves_.empty(); }

    // Saves what the chain makes of the picture, which need not be the current one; filters first where the result is
    // not there yet. Nothing happens where it is not open.
    void save(const Document *which, const QString &path, const SaveOptions &options, OutputDepth depth);
    void save(const QString &path, const SaveOptions &options, OutputDepth depth) {
        save(document(), path, options, depth);
    }
    // This file was written: what an open picture had there is in memory alone.
    void fileReplaced(const QString &path);
    // The result in a file of its own, to hand to another program: answers with exported.
    void exportTo(const QString &path);
    // The result as a clipboard takes it, 16 bits where it has them: answers with copyReady.
    void copyShown();
    // The format the saved picture would have.
    static PixelFormat outputFormat(const Document &document, OutputDepth depth);
    // The result as shown, else the picture itself.
    SharedImage shownPicture();

signals:
    void documentsChanged(); // the list, or which one is current
    void chainChanged();     // of the current document, also by undo
    void previewReady(const tessera::FilterPreview &preview);
    void resultChanged(); // a new result, new statistics, or none any more
    void regionChanged(); // of the current document
    void regionStatistics(const tessera::ImageStatistics &before, const std::optional<tessera::ImageStatistics> &after);
    void largestChangeFound(const tessera::LargestDifference &where);
    void runStateChanged();
    void engineChanged(); // variant or device
    void progressChanged(const QString &what,
                         double fraction); // after half a second; fraction < 0: nothing runs any more
    void saved(const QString &path);
    void saveFailed(); // or was cancelled; a message says why
    void sessionSaved(const QString &path);
    void restored(int failures); // all of a session is open that could be opened
    void exported(const QString &path);
    void copyReady(const QImage &picture, bool exact);
    void opened(const QString &path);
    void thumbnailReady(const QString &path, const QImage &picture);
    void enginesFound(const std::vector<tessera::EngineEntry> &engines);
    void messageWanted(const tessera::Message &message);
    void messageSettled(const QString &topic); // what was said about it holds no more

private:
    // What is said where a job on files fails; written by the job alone.
    struct FileFailure {
        QString notDone; // "The picture a.png was not saved"; the reason follows
        QString topic = {};
        QString name = {}; // where the reason holds it, it says itself whose it is
        QString kept = {}; // what is not lost all the same
    };
    // Where an entry that is opened again comes from.
    enum class Origin { Crash, SessionFile, Closed };
    static std::shared_ptr<FileFailure> notOpened(const QString &name, const QString &kept = {});
    static std::shared_ptr<FileFailure> sessionFailure(const QString &path);
    std::function<SharedImage(const RunControl &)> resultOf(const Document &document, Depth wanted,
                                                            std::shared_ptr<FileFailure> failure) const;
    static SessionEntry entryOf(const Document &document);
    // The owner of document(), which must be there.
    const std::shared_ptr<Document> &currentDocument() const { return documents_[std::size_t(current_)]; }
    void addDocument(std::shared_ptr<Document> document);
    void addRestored(std::shared_ptr<Document> document, bool current);
    void run();
    void runVariants(); // once the picture itself is filtered
    void onResult(const std::shared_ptr<FilterResult> &result, const Chain &chain);
    void onStatistics(const ImageStatistics &statistics);
    void onFinished(bool cancelled);
    std::shared_ptr<void> fileWork();
    void startFileJob(const QString &what, std::function<void(const RunControl &)> work,
                      std::shared_ptr<FileFailure> failure);
    void tellNarrowed(const Image &picture, const std::filesystem::path &path); // from a job
    void settleSaving(const Document *document);
    void writeSession(const QString &path);
    void reportFromJob(const Message &message);
    void beginRace(const std::shared_ptr<Document> &document);
    void endOutdatedRace();
    void holdRaceOutOfSight();
    void updateRegion();
    void analyse(const QString &what, JobThread::Job job);
    void updateProgress();
    void checkEngine(const std::string &variant, const std::string &device);
    void restoreEntry(const SessionEntry &entry, const std::filesystem::path &privateFolder, bool current,
                      Origin origin);
    static void takeSaved(Document &document, const SessionEntry &entry, Origin origin, bool changed);
    void tellChanged(const QString &title, const SessionEntry &entry); // from a job
    void onDeviceLost(const QString &device, const QString &why);
    SharedImage filteredPicture(const Document &document) const; // null: it is not there yet

    std::vector<std::shared_ptr<Document>> documents_;
    int current_ = -1;
    int restoring_ = 0; // pictures of a session still to come
    int notRestored_ = 0;
    std::vector<SessionEntry> closed_; // the newest last
    int fileJobs_ = 0;                 // whose end was not seen yet
    std::set<int> saves_;              // under way
    int nextSave_ = 0;
    QString lost_; // the device that was last told to be lost
    EngineChooser choose_ = chooseEngine;
    std::string variant_ = "auto", device_ = "auto";
    Rectangle visible_;
    double zoom_ = 1;
    double lastRunMs_ = 0;                // from the change to the whole result
    std::weak_ptr<Document> runDocument_; // whose chain the runner works on
    QString fileJob_, analysisJob_;
    QElapsedTimer fileClock_, analysisClock_;
    QTimer progressTimer_;
    bool progressShown_ = false;
    bool raceEndless_ = false;
    std::weak_ptr<Document> raceAgain_; // once its filter has run
    bool copyAgain_ = false; // once it has run: what is shown until then is older than what the user asked for
    RaceRunner race_;
    RaceRecords races_{race_};
    CrossoverRunner crossover_;
    VariantRuns variantRuns_;
    FilterRunner runner_;
    JobThread thumbnails_{JobThread::Policy::NewestWins};
    JobThread engines_{JobThread::Policy::InOrder};
    JobThread analysis_{JobThread::Policy::NewestWins};
    JobThread files_{JobThread::Policy::InOrder}; // last: it reports to everything above
};

} // namespace tessera
