// The stages of a batch, overlapping: while some files are read and others written, the processor decodes, filters and
// encodes, and GPUs filter.
//
//   read -> [toDecode] -> decode -> [toFilter] -> filter -> [toEncode] -> encode -> [toWrite] -> write
//
// Reading and writing wait for disks and have threads of their own. Decoding, encoding and filters on the processor
// share --jobs threads, each taking what is furthest on its way, so that files leave before new ones come in; filters
// of one picture use threads that are left over (ThreadPool::Seat). Each GPU has three threads, so that one picture is
// copied in and one out while a third is computed; they take from one queue, a faster GPU more often. All queues are
// bounded, by length and by the memory that the files share.
#pragma once

#include "app/commands/batch/batch_file.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tessera {

struct DeviceLoad {
    std::string id; // "cuda:0"
    std::size_t files = 0;
    double busyMs = 0;  // at least one picture was there
    std::string failed; // why it was given up; empty where it lasted
};

// How much of the time everything was busy.
struct StageLoads {
    double seconds = 0;
    unsigned readers = 0, processors = 0, writers = 0; // threads
    double readMs = 0, processorMs = 0, writeMs = 0;   // summed over the threads
    std::vector<DeviceLoad> devices;

    double readShare() const { return share(readMs, readers); }
    double processorShare() const { return share(processorMs, processors); }
    double writeShare() const { return share(writeMs, writers); }
    double deviceShare(const DeviceLoad &device) const { return share(device.busyMs, 1); }

private:
    double share(double milliseconds, unsigned threads) const {
        return seconds > 0 && threads > 0 ? std::min(1.0, milliseconds / 1e3 / seconds / threads) : 0;
    }
};

// All are called from several threads at once.
struct StageHooks {
    std::function<std::unique_ptr<FileWork>()> next;  // null: no more files
    std::function<void(FileWork &)> finished;         // done, failed or given up
    std::function<bool()> stopping;                   // files that are not decoded yet are given up
    std::function<void(const std::string &)> warning; // a device failed
};

// Works until next() gives no more files and all are finished. A device that fails gives its picture and its share of
// the work to the others, or to the processor where it was the last.
StageLoads runStages(const BatchTask &task, unsigned jobs, const StageHooks &hooks);

} // namespace tessera
