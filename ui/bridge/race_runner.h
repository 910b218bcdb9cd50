// Runs a race off the interface thread.
#pragma once

#include "app/session/race.h"
#include "ui/bridge/job_thread.h"
#include "ui/bridge/message.h"

#include <QObject>

#include <atomic>

namespace tessera {

class RaceRunner : public QObject {
    Q_OBJECT

public:
    explicit RaceRunner(QObject *parent = nullptr);

    void start(SharedImage picture, const FilterStep &step, const RaceOptions &options = {});
    void cancel();
    bool running() const { return running_; }
    // While held, no new measurement starts: the picture comes first.
    void setHeld(bool held) { held_ = held; }

signals:
    void started();
    void rowChanged(int index, const tessera::RaceRow &row);
    void failed(const tessera::Message &message);
    void finished(bool cancelled);

private:
    void report(std::uint64_t race, std::function<void()> action);
    void finish(bool cancelled);

    std::uint64_t current_ = 0;
    bool running_ = false;
    std::atomic<bool> held_{false};
    JobThread thread_{JobThread::Policy::NewestWins};
};

} // namespace tessera
