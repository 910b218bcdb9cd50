// The queues and threads behind runStages() (batch_stages.h).
#pragma once

#include "app/commands/batch/batch_stages.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>

namespace tessera {

class Stages {
public:
    Stages(const BatchTask &task, unsigned jobs, const StageHooks &hooks);

    StageLoads run();

private:
    using Clock = std::chrono::steady_clock;
    using WorkPointer = std::unique_ptr<FileWork>;
    using Queue = std::deque<WorkPointer>;

    // A GPU of the batch.
    struct Device {
        EngineChoice choice;
        DeviceLoad load;
        unsigned pictures = 0; // there at the moment
        Clock::time_point busySince;
        bool lost = false;
    };

    enum class Stage { None, Decode, Filter, Encode };
    enum class Attempt { Filtered, FileFailed, DeviceFailed };

    static WorkPointer takeFirst(Queue &queue);
    bool startThreads(std::vector<std::jthread> &threads);
    void startReader(std::vector<std::jthread> &threads);
    void processAlone();
    void read();
    void process(); // on the processor
    void write();
    void finish(WorkPointer work) { hooks_.finished(*work); }
    bool filtersOnProcessor() const { return processorChoice_.has_value(); }
    bool allProcessed() const { return readersLeft_ == 0 && inProcess_ == 0; }
    Stage nextStage() const;
    bool runStage(Stage stage, FileWork &work);
    void passOn(WorkPointer work, Stage stage, bool goesOn, std::unique_lock<std::mutex> &lock);
    void wakeIfProcessed();

    // batch_stages_devices.cpp
    void addDevice(EngineChoice choice);
    void filterOn(Device &device);
    Attempt tryToFilter(Device &device, FileWork &work);
    void giveUp(Device &device, const std::string &why);

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

} // namespace tessera
