// Measures the crossover map off the interface thread and keeps it in a file.
#pragma once

#include "app/race/crossover.h"
#include "ui/bridge/job_thread.h"
#include "ui/bridge/message.h"

#include <QObject>
#include <QString>

namespace tessera {

class CrossoverRunner : public QObject {
    Q_OBJECT

public:
    explicit CrossoverRunner(QObject *parent = nullptr);
    ~CrossoverRunner() override;

    // Where maps are kept; the user's own data folder unless set.
    void setFolder(const QString &folder) { folder_ = folder; }

    // The kept map of this plan, measured as far as it got; answers with changed() where there is one.
    void load(const CrossoverPlan &plan);
    // Goes on with the kept map, or `afresh` begins again.
    void start(const CrossoverPlan &plan, bool afresh);
    void cancel();
    bool running() const { return running_; }
    void setHeld(bool held) { gate_.setHeld(held); } // the picture comes first

signals:
    void changed(const tessera::CrossoverMap &map);
    void stateChanged();
    void failed(const tessera::Message &message);

private:
    QString fileFor(const CrossoverPlan &plan) const;
    CrossoverMap kept(const CrossoverPlan &plan, const QString &path) const;
    void measure(const CrossoverPlan &plan, const QString &path, bool afresh, std::uint64_t run,
                 const RunControl &control);
    void report(std::uint64_t run, std::function<void()> action);
    void end();

    QString folder_;
    std::uint64_t current_ = 0;
    bool running_ = false;
    RaceGate gate_;
    JobThread thread_{JobThread::Policy::NewestWins}; // last: joined before anything it works on is gone
};

} // namespace tessera
