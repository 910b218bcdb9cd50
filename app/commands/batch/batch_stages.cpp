#include "app/commands/batch/batch_stages.h"

#include "app/commands/batch/stage_clock.h"
#include "app/commands/batch/stages.h"
#include "app/core/thread_pool.h"

#include <algorithm>
#include <system_error>

namespace tessera {

namespace {

constexpr unsigned streamsOfADevice = 3; // one picture comes, one is computed, one goes

} // namespace

Stages::WorkPointer Stages::takeFirst(Queue &queue) {
    WorkPointer work = std::move(queue.front());
    queue.pop_front();
    return work;
}

Stages::Stages(const BatchTask &task, unsigned jobs, const StageHooks &hooks)
    : task_(task), hooks_(hooks), jobs_(jobs) {
    for (const EngineChoice &choice : task.engines)
        if (choice.engine->deviceKind() == DeviceKind::Cuda)
            addDevice(choice);
    if (devices_.empty())
        processorChoice_ = task.engines.front();
    loads_.processors = jobs;
    const auto lanes = std::size_t(streamsOfADevice) * devices_.size();
    decodedLimit_ = jobs + lanes;
    encodedLimit_ = 2 * std::size_t(jobs) + 2;
    aheadLimit_ = jobs + 2;
}

StageLoads Stages::run() {
    ThreadPool::shared().setBudget(jobs_);
    const Clock::time_point start = Clock::now();
    {
        std::vector<std::jthread> threads;
        if (startThreads(threads))
            process();
        else
            processAlone();
    } // joins
    loads_.seconds = millisecondsSince(start) / 1e3;
    for (Device &device : devices_)
        loads_.devices.push_back(device.load);
    ThreadPool::shared().setBudget(ThreadPool::shared().threads());
    return loads_;
}

// The first thread of each kind must start; without the others it only takes longer.
bool Stages::startThreads(std::vector<std::jthread> &threads) {
    // One reader for one job: it keeps ahead of that anyhow, and files are taken, and fail, in their order.
    const unsigned readers = std::min(jobs_, 4u), writers = std::clamp(jobs_, 2u, 8u);
    readersLeft_ = 1;
    try {
        threads.emplace_back([this] { write(); });
        loads_.writers = 1;
        threads.emplace_back([this] { read(); });
        loads_.readers = 1;
    } catch (const std::system_error &) {
        const std::lock_guard lock(mutex_);
        readersLeft_ = 0; // ends the writer
        written_.notify_all();
        return false;
    }
    try {
        for (Device &device : devices_)
            for (unsigned lane = 0; lane < streamsOfADevice; ++lane)
                threads.emplace_back([this, &device] { filterOn(device); });
        for (unsigned processor = 1; processor < jobs_; ++processor)
            threads.emplace_back([this] { process(); });
        for (; loads_.writers < writers; ++loads_.writers)
            threads.emplace_back([this] { write(); });
        for (; loads_.readers < readers; ++loads_.readers)
            startReader(threads);
    } catch (const std::system_error &) {
        hooks_.warning("only " + std::to_string(threads.size() + 1) + " threads could be started");
    }
    return true;
}

void Stages::startReader(std::vector<std::jthread> &threads) {
    {
        const std::lock_guard lock(mutex_);
        if (readersLeft_ == 0)
            return; // the first one has read everything meanwhile
        ++readersLeft_;
    }
    try {
        threads.emplace_back([this] { read(); });
    } catch (const std::system_error &) {
        const std::lock_guard lock(mutex_);
        --readersLeft_;
        throw;
    }
}

// With no thread to be had but this one.
void Stages::processAlone() {
    while (WorkPointer work = hooks_.next()) {
        if (work->read() && work->decode() && !work->inBands() && work->filter(task_.engines.front()) && work->encode())
            work->write();
        finish(std::move(work));
    }
}

// ---- reading ----

void Stages::read() {
    std::unique_lock lock(mutex_);
    for (;;) {
        readAhead_.wait(lock, [this] { return toDecode_.size() + reading_ < aheadLimit_; });
        ++reading_;
        lock.unlock();
        WorkPointer work = hooks_.next();
        const bool goesOn = work && work->read();
        const double milliseconds = work ? work->times().read : 0; // without the wait for memory
        const bool ended = !work;
        if (work && !goesOn)
            finish(std::move(work));
        lock.lock();
        --reading_;
        if (ended)
            break;
        loads_.readMs += milliseconds;
        if (goesOn) {
            ++inProcess_;
            toDecode_.push_back(std::move(work));
            processable_.notify_one();
        } else {
            readAhead_.notify_one();
        }
    }
    --readersLeft_;
    readAhead_.notify_all();
    wakeIfProcessed();
}

// ---- the processor ----

// What is furthest on its way comes first; nothing where a later stage has enough in hand.
Stages::Stage Stages::nextStage() const {
    const bool roomToWrite = toWrite_.size() < encodedLimit_;
    if (!toEncode_.empty() && roomToWrite)
        return Stage::Encode;
    if (!toFilter_.empty() && filtersOnProcessor())
        return Stage::Filter;
    const bool roomToFilter = filtersOnProcessor() || toFilter_.size() < decodedLimit_;
    const bool roomToEncode = toEncode_.size() < encodedLimit_;
    return !toDecode_.empty() && roomToFilter && roomToEncode && roomToWrite ? Stage::Decode : Stage::None;
}

void Stages::process() {
    std::unique_lock lock(mutex_);
    for (;;) {
        Stage stage = Stage::None;
        processable_.wait(lock, [&] { return (stage = nextStage()) != Stage::None || allProcessed(); });
        if (stage == Stage::None)
            return;
        Queue &queue = stage == Stage::Encode ? toEncode_ : stage == Stage::Filter ? toFilter_ : toDecode_;
        WorkPointer work = takeFirst(queue);
        if (stage == Stage::Decode)
            readAhead_.notify_one();
        lock.unlock();
        const Clock::time_point start = Clock::now();
        const bool goesOn = runStage(stage, *work);
        const double milliseconds = millisecondsSince(start);
        passOn(std::move(work), stage, goesOn, lock);
        loads_.processorMs += milliseconds;
    }
}

bool Stages::runStage(Stage stage, FileWork &work) {
    const ThreadPool::Seat seat(ThreadPool::shared());
    switch (stage) {
    case Stage::Decode:
        if (hooks_.stopping()) {
            work.giveUp();
            return false;
        }
        return work.decode() && !work.inBands();
    case Stage::Filter:
        return work.filter(*processorChoice_);
    default:
        return work.encode();
    }
}

// Puts the file into its next queue, or finishes it; leaves with the lock held.
void Stages::passOn(WorkPointer work, Stage stage, bool goesOn, std::unique_lock<std::mutex> &lock) {
    if (!goesOn)
        finish(std::move(work));
    lock.lock();
    if (!goesOn || stage == Stage::Encode)
        --inProcess_;
    if (!goesOn) {
        processable_.notify_one(); // a place became free
    } else if (stage == Stage::Encode) {
        toWrite_.push_back(std::move(work));
        written_.notify_one();
    } else if (stage == Stage::Filter) {
        toEncode_.push_back(std::move(work));
        processable_.notify_one();
    } else {
        toFilter_.push_back(std::move(work));
        (filtersOnProcessor() ? processable_ : filterable_).notify_one();
    }
    wakeIfProcessed();
}

void Stages::wakeIfProcessed() {
    if (!allProcessed())
        return;
    processable_.notify_all();
    filterable_.notify_all();
    written_.notify_all();
}

// ---- writing ----

void Stages::write() {
    std::unique_lock lock(mutex_);
    for (;;) {
        written_.wait(lock, [this] { return !toWrite_.empty() || allProcessed(); });
        if (toWrite_.empty())
            return;
        WorkPointer work = takeFirst(toWrite_);
        processable_.notify_one();
        lock.unlock();
        const Clock::time_point start = Clock::now();
        work->write();
        const double milliseconds = millisecondsSince(start);
        finish(std::move(work));
        lock.lock();
        loads_.writeMs += milliseconds;
    }
}

StageLoads runStages(const BatchTask &task, unsigned jobs, const StageHooks &hooks) {
    return Stages(task, jobs, hooks).run();
}

} // namespace tessera
