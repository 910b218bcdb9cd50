// A thread for work that must not hold up the window. The only place, with its neighbours in ui/bridge, where threads
// meet the session.
#pragma once

#include "app/core/run_control.h"

#include <QObject>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

namespace tessera {

// How far the running job is; read by the interface whenever it likes, so that progress costs no events.
struct JobProgress {
    std::atomic<double> fraction{0};
    std::atomic<bool> running{false};
};

class JobThread {
public:
    enum class Policy {
        NewestWins, // a new job stops the running one and replaces a waiting one
        InOrder     // every job runs
    };
    // Gets a control whose stop token and progress belong to the job. Must not let exceptions out.
    using Job = std::function<void(const RunControl &)>;

    explicit JobThread(Policy policy);
    ~JobThread(); // stops the running job, drops waiting ones, joins
    JobThread(const JobThread &) = delete;
    JobThread &operator=(const JobThread &) = delete;

    void submit(Job job);
    void cancel(); // the running job is asked to stop, waiting ones are dropped
    void finish(); // waits until nothing runs or waits any more
    bool busy() const;
    double progress() const { return progress_.fraction; }

private:
    void work(std::stop_token ending);

    const Policy policy_;
    mutable std::mutex mutex_;
    std::condition_variable_any wake_;
    std::condition_variable idle_;
    std::deque<Job> waiting_;
    std::stop_source current_{std::nostopstate};
    bool running_ = false;
    JobProgress progress_;
    std::jthread thread_; // last: it uses everything above
};

// Runs `action` in the receiver's thread, unless the receiver is gone by then.
void postTo(QObject *receiver, std::function<void()> action);

} // namespace tessera
