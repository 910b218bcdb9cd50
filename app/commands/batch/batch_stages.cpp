#include "app/commands/batch/batch_stages.h"

#include "app/commands/batch/stage_clock.h"
#include "app/commands/failure.h"
#include "app/core/thread_pool.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <system_error>
#include <thread>

namespace tessera {

namespace {

using Clock = std::chrono::steady_clock;
using WorkPointer = std::unique_ptr<FileWork>;
using Queue = std::deque<WorkPointer>;

constexpr unsigned streamsOfADevice = 3; // one picture comes, one is computed, one goes

WorkPointer takeFirst(Queue &queue) {
    WorkPointer work = std::move(queue.front());
    queue.pop_front();
    return work;
}

// A GPU of the batch.
struct Device {
    EngineChoice choice;
    DeviceLoad load;
    unsigned pictures = 0; // there at the moment
    Clock::time_point busySince;
    bool lost = false;
};

class Stages {
public:
    Stages(const BatchTask &task, unsigned jobs, const StageHooks &hooks) : task_(task), hooks_(hooks), jobs_(jobs) {
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

    StageLoads run() {
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

private:
    void addDevice(EngineChoice choice) {
        choice.fallBack = false;
        Device device;
        device.load.id = choice.engine->deviceId();
        device.choice = std::move(choice);
        devices_.push_back(std::move(device));
    }

    // The first thread of each kind must start; without the others it only takes longer.
    bool startThreads(std::vector<std::jthread> &threads) {
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

    void startReader(std::vector<std::jthread> &threads) {
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

    // ---- reading ----

    void read() {
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

    enum class Stage { None, Decode, Filter, Encode };

    bool filtersOnProcessor() const { return processorChoice_.has_value(); }

    // What is furthest on its way comes first; nothing where a later stage has enough in hand.
    Stage nextStage() const {
        const bool roomToWrite = toWrite_.size() < encodedLimit_;
        if (!toEncode_.empty() && roomToWrite)
            return Stage::Encode;
        if (!toFilter_.empty() && filtersOnProcessor())
            return Stage::Filter;
        const bool roomToFilter = filtersOnProcessor() || toFilter_.size() < decodedLimit_;
        const bool roomToEncode = toEncode_.size() < encodedLimit_;
        return !toDecode_.empty() && roomToFilter && roomToEncode && roomToWrite ? Stage::Decode : Stage::None;
    }
    bool allProcessed() const { return readersLeft_ == 0 && inProcess_ == 0; }

    void process() {
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

    bool runStage(Stage stage, FileWork &work) {
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
    void passOn(WorkPointer work, Stage stage, bool goesOn, std::unique_lock<std::mutex> &lock) {
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

    void wakeIfProcessed() {
        if (!allProcessed())
            return;
        processable_.notify_all();
        filterable_.notify_all();
        written_.notify_all();
    }

    // ---- the GPUs ----

    void filterOn(Device &device) {
        device.choice.engine->prepare(1); // while the first pictures are decoded
        std::unique_lock lock(mutex_);
        for (;;) {
            filterable_.wait(lock, [&] { return device.lost || !toFilter_.empty() || allProcessed(); });
            if (device.lost || toFilter_.empty())
                return;
            WorkPointer work = takeFirst(toFilter_);
            processable_.notify_one(); // there is room for another decoded picture
            if (device.pictures++ == 0)
                device.busySince = Clock::now();
            lock.unlock();
            const Attempt attempt = tryToFilter(device, *work);
            if (attempt == Attempt::FileFailed)
                passOn(std::move(work), Stage::Filter, false, lock);
            else
                lock.lock();
            if (--device.pictures == 0)
                device.load.busyMs += millisecondsSince(device.busySince);
            if (attempt == Attempt::Filtered) {
                ++device.load.files;
                toEncode_.push_back(std::move(work));
                processable_.notify_one();
            } else if (attempt == Attempt::DeviceFailed) {
                toFilter_.push_front(std::move(work));
                (filtersOnProcessor() ? processable_ : filterable_).notify_all();
                return;
            }
        }
    }

    enum class Attempt { Filtered, FileFailed, DeviceFailed };

    Attempt tryToFilter(Device &device, FileWork &work) {
        try {
            return work.filter(device.choice) ? Attempt::Filtered : Attempt::FileFailed;
        } catch (const Error &failure) {
            if (failure.kind() == ErrorKind::Device || device.choice.engine->isLost()) {
                giveUp(device, failure.what());
                work.addNote(device.load.id + " failed, and another device took over");
                return Attempt::DeviceFailed;
            }
            if (failure.kind() != ErrorKind::Limit) {
                work.fail(failure);
                return Attempt::FileFailed;
            }
            work.addNote(std::string(failure.what()) + ": the CPU took over");
        }
        const ThreadPool::Seat seat(ThreadPool::shared());
        return work.filter(chooseEngine("auto", "cpu")) ? Attempt::Filtered : Attempt::FileFailed;
    }

    // The device's other threads end as they notice.
    void giveUp(Device &device, const std::string &why) {
        std::string heirs;
        {
            const std::lock_guard lock(mutex_);
            if (device.lost)
                return;
            device.lost = true;
            device.load.failed = why;
            for (const Device &other : devices_)
                if (!other.lost)
                    heirs += (heirs.empty() ? "" : ", ") + other.load.id;
            if (heirs.empty()) {
                processorChoice_ = chooseEngine("auto", "cpu");
                heirs = "the CPU";
            }
            filterable_.notify_all();
            processable_.notify_all();
        }
        hooks_.warning(why + "; its work goes to " + heirs);
    }

    // ---- writing ----

    void write() {
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

    void finish(WorkPointer work) { hooks_.finished(*work); }

    // With no thread to be had but this one.
    void processAlone() {
        while (WorkPointer work = hooks_.next()) {
            if (work->read() && work->decode() && !work->inBands() && work->filter(task_.engines.front()) &&
                work->encode())
                work->write();
            finish(std::move(work));
        }
    }

    const BatchTask &task_;
    const StageHooks &hooks_;
    const unsigned jobs_;
    std::size_t aheadLimit_ = 0, decodedLimit_ = 0, encodedLimit_ = 0;

    std::mutex mutex_; // of everything below
    std::condition_variable readAhead_, processable_, filterable_, written_;
    Queue toDecode_, toFilter_, toEncode_, toWrite_;
    std::size_t reading_ = 0;   // files being read
    std::size_t inProcess_ = 0; // files read and not yet encoded
    unsigned readersLeft_ = 0;
    std::deque<Device> devices_;                  // stay where they are
    std::optional<EngineChoice> processorChoice_; // set where filters run on the processor
    StageLoads loads_;
};

} // namespace

StageLoads runStages(const BatchTask &task, unsigned jobs, const StageHooks &hooks) {
    return Stages(task, jobs, hooks).run();
}

} // namespace tessera
