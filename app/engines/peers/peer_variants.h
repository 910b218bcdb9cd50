// NPP and cuDNN behind the engine interface. A library that can do a job as it stands does it so; every other job goes
// through planes of float, one a channel with their border made beforehand, and is finished by this project's kernels,
// so that all responses, masks, borders and depths come out as everywhere else. Built with CUDA.
#pragma once

#include "app/engines/engine.h"
#include "app/engines/peers/peer_names.h"

#include <memory>
#include <mutex>
#include <vector>

namespace tessera {

class PeerJob;

// The peers of one device. What a job needs (handles, plans, buffers) is kept for the next one like it, since preparing
// takes far longer than running. Safe to call from several threads at once.
class PeerVariants {
public:
    PeerVariants();
    ~PeerVariants();

    static std::vector<VariantInfo> infos(); // those whose libraries are here

    std::string refusal(const ConvolutionJob &job) const;
    double errorBound(const ConvolutionJob &job, double largest) const;

    // The device must be current. Throws Error{Usage} where the library refuses, CudaError.
    RunTimes convolve(const ConvolutionJob &job, const RunControl &control);

private:
    std::unique_ptr<PeerJob> take(const ConvolutionJob &job);
    void give(std::unique_ptr<PeerJob> prepared);

    std::mutex mutex_;
    std::vector<std::unique_ptr<PeerJob>> kept_; // the latest last
};

} // namespace tessera
