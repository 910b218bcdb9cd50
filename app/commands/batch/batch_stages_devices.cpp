// The GPUs among the stages of a batch.
#include "app/commands/batch/stage_clock.h"
#include "app/commands/batch/stages.h"
#include "app/core/thread_pool.h"

namespace tessera {

void Stages::addDevice(EngineChoice choice) {
    choice.fallBack = false;
    Device device;
    device.load.id = choice.engine->deviceId();
    device.choice = std::move(choice);
    devices_.push_back(std::move(device));
}

void Stages::filterOn(Device &device) {
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

Stages::Attempt Stages::tryToFilter(Device &device, FileWork &work) {
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
void Stages::giveUp(Device &device, const std::string &why) {
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

} // namespace tessera
