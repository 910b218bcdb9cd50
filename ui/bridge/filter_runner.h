// Runs a chain off the interface thread: what is visible first, then the whole picture. Where the view moves while the
// whole is still being made, what has come into sight is filtered ahead too. A newer request stops the older.
#pragma once

#include "app/session/document.h"
#include "ui/bridge/job_thread.h"
#include "ui/bridge/message.h"

#include <QElapsedTimer>
#include <QObject>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

namespace tessera {

// How words become an engine; another one in tests.
using EngineChooser = std::function<EngineChoice(const std::string &variant, const std::string &device)>;

struct FilterRequest {
    PictureStack source;
    Chain chain;
    std::string variant = "auto", device = "auto";
    EngineChooser choose = chooseEngine;
    Rectangle visible; // in the picture
    double zoom = 1;   // screen pixels a picture pixel
    // False where the whole is thought to be quick: an inexact picture would only flicker. Where that turns out wrong
    // there is one after all, a little later.
    bool preview = true;
    bool statistics = true;
};

// Part of the result, ahead of the whole.
struct FilterPreview {
    int level = 0;
    Rectangle region; // in pixels of the level
    SharedImage pixels;
    bool exact = false;
    std::uint64_t number = 0; // a later one replaces an earlier one, never the other way round
};

class FilterRunner : public QObject {
    Q_OBJECT

public:
    explicit FilterRunner(QObject *parent = nullptr);

    std::uint64_t start(FilterRequest request); // the run's number, named in every signal about it
    // Has the engine do beforehand, in the background, what a first run would wait for. Once a device.
    void prepare(const EngineChooser &choose, const std::string &variant, const std::string &device);
    void cancel();
    // The view has moved: what is visible now and not yet shown is filtered ahead of the rest.
    void look(const Rectangle &visible, double zoom);
    bool running() const { return running_; }
    void waitUntilStopped(); // no thread works any more; for those who measure how long that takes
    std::uint64_t currentRun() const { return current_; }
    double progress() const { return thread_.progress(); }
    qint64 elapsedMs() const { return running_ ? clock_.elapsed() : 0; }

signals: // for the newest run only
    void previewReady(const tessera::FilterPreview &preview);
    void resultReady(std::shared_ptr<tessera::FilterResult> result, const tessera::Chain &chain);
    void statisticsReady(const tessera::ImageStatistics &statistics);
    void failed(const tessera::Message &message);
    void deviceLost(const QString &device, const QString &why); // it failed for good, and the run went on without it
    void finished(bool cancelled);                              // after all others

private:
    void run(const FilterRequest &request, std::uint64_t run, const RunControl &control);
    void runWhole(const FilterRequest &request, const EngineChoice &choice, std::uint64_t run,
                  const RunControl &control);
    void runPreview(const FilterRequest &request, const EngineChoice &choice, std::uint64_t run, std::uint64_t number,
                    const RunControl &control);
    void previewAhead(const Rectangle &region, double zoom);
    void previewLate(std::uint64_t run);
    void reportPreview(std::uint64_t run, const FilterPreview &preview);
    void report(std::uint64_t run, std::function<void()> action);
    void finish(bool cancelled);

    std::uint64_t current_ = 0;
    bool running_ = false;
    QElapsedTimer clock_;
    FilterRequest request_;      // of the current run, for previews that follow the view
    Rectangle ahead_;            // filtered ahead already or about to be; in the picture
    int aheadLevel_ = 0;         // and how finely
    bool wholeThere_ = false;    // previews are of no use any more
    std::uint64_t previews_ = 0; // numbers given in this run; the first preview is 0
    std::uint64_t shown_ = 0;    // the newest that has arrived
    std::optional<std::string> preparedDevice_;
    // Last: joined before anything they report to is gone.
    JobThread preparing_{JobThread::Policy::NewestWins};
    JobThread followUp_{JobThread::Policy::NewestWins};
    JobThread thread_{JobThread::Policy::NewestWins};
};

} // namespace tessera
