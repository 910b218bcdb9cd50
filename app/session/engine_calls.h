// The convolutions of one pipeline run: one place for the choice of engine, its fall-backs, times and progress.
#pragma once

#include "app/session/pipeline.h"

namespace tessera {

// Which rows of a taller picture everything is, as ConvolutionJob has it.
struct PictureRows {
    int first = 0, height = 0;
};

class EngineCalls {
public:
    EngineCalls(const EngineChoice &choice, const RunControl &control, std::size_t expectedCalls,
                const PictureRows &rows = {});

    // Runs the job on the engine chosen. With an automatic choice, a job that it refuses goes to the next engine that
    // takes it; once a device is lost, everything that follows runs on the CPU. Returns RunTimes::roundsLocally; throws
    // as Engine::convolve does.
    bool convolve(ConvolutionJob job);

    // As Engine::computedArea has it, of whichever engine may come to run the job.
    Rectangle computedArea(ConvolutionJob job) const;

    void addNote(const std::string &note);
    // What was computed beside the engine, and why.
    void addBeside(const RunTimes &times, const std::string &why);
    void addStretch(double factor) { times_.stretch *= factor; }
    PipelineTimes times() const { return times_; }
    const RunControl &control() const { return control_; }

private:
    struct Target {
        std::shared_ptr<Engine> engine;
        std::string variant; // empty: the engine's own choice
    };
    Target targetFor(ConvolutionJob &job);
    void goToProcessor(const std::string &why);
    bool run(const Target &target, ConvolutionJob &job);
    void addTimes(const Engine &engine, const RunTimes &times);

    Target chosen_;
    bool automatic_;
    Precision precision_;
    bool fallBack_;
    const RunControl &control_;
    const PictureRows rows_;
    std::size_t expected_;
    std::size_t finished_ = 0;
    PipelineTimes times_;
    bool knowsKernelMs_ = true;
    bool knowsCopyMs_ = true;
};

} // namespace tessera
