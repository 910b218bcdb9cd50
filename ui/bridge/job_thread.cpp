#include "ui/bridge/job_thread.h"

#include <QMetaObject>

#include <utility>

namespace tessera {

JobThread::JobThread(Policy policy)
    : policy_(policy), thread_([this](std::stop_token ending) { work(std::move(ending)); }) {}

JobThread::~JobThread() {
    cancel();
    thread_.request_stop();
}

void JobThread::submit(Job job) {
    {
        const std::lock_guard lock(mutex_);
        if (policy_ == Policy::NewestWins) {
            waiting_.clear();
            current_.request_stop();
        }
        waiting_.push_back(std::move(job));
    }
    wake_.notify_one();
}

void JobThread::cancel() {
    const std::lock_guard lock(mutex_);
    waiting_.clear();
    current_.request_stop();
}

void JobThread::finish() {
    std::unique_lock lock(mutex_);
    idle_.wait(lock, [this] { return !running_ && waiting_.empty(); });
}

bool JobThread::busy() const {
    const std::lock_guard lock(mutex_);
    return running_ || !waiting_.empty();
}

void JobThread::work(std::stop_token ending) {
    for (;;) {
        Job job;
        RunControl control;
        {
            std::unique_lock lock(mutex_);
            if (!wake_.wait(lock, ending, [this] { return !waiting_.empty(); }))
                return;
            job = std::move(waiting_.front());
            waiting_.pop_front();
            current_ = std::stop_source();
            control.stop = current_.get_token();
            running_ = true;
        }
        progress_.fraction = 0;
        control.progress = [this](double fraction) { progress_.fraction = fraction; };
        job(control);
        {
            const std::lock_guard lock(mutex_);
            running_ = false;
        }
        idle_.notify_all();
    }
}

void postTo(QObject *receiver, std::function<void()> action) {
    QMetaObject::invokeMethod(receiver, std::move(action), Qt::QueuedConnection);
}

} // namespace tessera
