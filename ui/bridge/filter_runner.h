// Runs a chain off the interface thread: what is visible first, then the whole picture. A newer request stops the
// older.
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
    Rectangle visible;   // in the picture
    double zoom = 1;     // screen pixels a picture pixel
    bool preview = true; // false where the whole is known to be quick: an inexact picture would only flicker
};

// Part of the result, ahead of the whole.
struct FilterPreview {
    int level = 0;
    Rectangle region; // in pixels of the level
    SharedImage pixels;
    bool exact = false;
};

class FilterRunner : public QObject {
    Q_OBJECT

public:
    explicit FilterRunner(QObject *parent = nullptr);

    std::uint64_t start(FilterRequest request); // the run's number, named in every signal about it
    void cancel();
    bool running() const { return running_; }
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
    void runPreview(const FilterRequest &request, const EngineChoice &choice, std::uint64_t run,
                    const RunControl &control);
    void report(std::uint64_t run, std::function<void()> action);
    void finish(bool cancelled);

    std::uint64_t current_ = 0;
    bool running_ = false;
    QElapsedTimer clock_;
    JobThread thread_{JobThread::Policy::NewestWins}; // last: joined before anything it reports to is gone
};

} // namespace tessera
