// Runs a race off the interface thread.
#pragma once

#include "app/race/race.h"
#include "ui/bridge/job_thread.h"
#include "ui/bridge/message.h"

#include <QObject>
#include <QTimer>

namespace tessera {

class RaceRunner : public QObject {
    Q_OBJECT

public:
    explicit RaceRunner(QObject *parent = nullptr);
    ~RaceRunner() override;

    void start(SharedImage picture, const FilterStep &step, const RaceOptions &options = {});
    void cancel();
    bool running() const { return running_; }
    // While held, nothing of the race runs: the picture comes first.
    void setHeld(bool held);
    // The same: what it measures is not shown.
    void setOutOfSight(bool outOfSight);
    // Holds for a moment, as often as the user moves the picture.
    void giveWay();
    bool standingAside() const { return gate_.closed(); } // held, giving way or paused
    // By the user's wish; a new race is not paused.
    void setPaused(bool paused);
    bool paused() const { return paused_; }

signals:
    void started();
    void rowChanged(int index, const tessera::RaceRow &row);
    void deviceMeasured(const tessera::RaceDevice &device);
    void workingOn(const QString &what); // beside the rows; empty: nothing
    void pausedChanged(bool paused);
    void failed(const tessera::Message &message);
    void finished(bool cancelled);

private:
    void run(const Image &picture, const FilterStep &step, const RaceOptions &options, std::uint64_t race,
             const RunControl &control);
    void report(std::uint64_t race, std::function<void()> action);
    void finish(bool cancelled);
    void updateGate() { gate_.setHeld(held_ || outOfSight_ || momentary_.isActive()); }

    std::uint64_t current_ = 0;
    bool running_ = false, paused_ = false, held_ = false, outOfSight_ = false;
    QTimer momentary_;
    RaceGate gate_;
    RaceMemory memory_;                               // of the working thread
    JobThread thread_{JobThread::Policy::NewestWins}; // last: joined before anything it works on is gone
};

} // namespace tessera
