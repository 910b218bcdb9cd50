#include "app/engines/peers/peer_variants.h"

#include "app/engines/peers/peer_job.h"

#include <algorithm>

namespace tessera {

namespace {

constexpr std::size_t mostKept = 4; // an original and a preview of two libraries

} // namespace

PeerVariants::PeerVariants() = default;

// Engines live until the process ends. By then the libraries may have cleaned up after themselves already, and handles
// must not be given back to them; the driver frees everything.
PeerVariants::~PeerVariants() {
    for (std::unique_ptr<PeerJob> &job : kept_)
        static_cast<void>(job.release());
}

std::vector<VariantInfo> PeerVariants::infos() {
    std::vector<VariantInfo> infos;
    for (const cuda::ConvolutionPeer *peer : cuda::convolutionPeers())
        if (isPeerVariant(peer->name()) && peer->missing().empty())
            infos.push_back({std::string(peer->name()), std::string(peer->title()), std::string(peer->description())});
    return infos;
}

std::string PeerVariants::refusal(const ConvolutionJob &job) const {
    if (job.variant.find(':') != std::string_view::npos)
        return "the variant '" + std::string(job.variant.substr(0, job.variant.find(':'))) + "' has no options";
    if (std::string missing = missingPeer(job.variant); !missing.empty())
        return missing;
    return tapsRefusal(kernelShape(job));
}

// Float32 sums in any order, as other engines'; taking the divisor into the taps rounds once more.
double PeerVariants::errorBound(const ConvolutionJob &job, double largest) const {
    return kernelErrorBound(job, {KernelVariant::Naive, true}, largest) * 1.25;
}

std::unique_ptr<PeerJob> PeerVariants::take(const ConvolutionJob &job) {
    {
        const std::lock_guard lock(mutex_);
        const auto found = std::ranges::find_if(kept_, [&](const auto &one) { return one->serves(job); });
        if (found != kept_.end()) {
            std::unique_ptr<PeerJob> prepared = std::move(*found);
            kept_.erase(found);
            return prepared;
        }
    }
    auto prepared = std::make_unique<PeerJob>(job);
    try {
        prepared->prepare(job);
    } catch (const cuda::CudaError &error) {
        if (!error.outOfMemory())
            throw;
        // What is kept for later gives way to what is wanted now.
        {
            const std::lock_guard lock(mutex_);
            kept_.clear();
        }
        prepared = std::make_unique<PeerJob>(job);
        prepared->prepare(job);
    }
    return prepared;
}

void PeerVariants::give(std::unique_ptr<PeerJob> prepared) {
    std::unique_ptr<PeerJob> leaving; // freed without the lock
    const std::lock_guard lock(mutex_);
    kept_.push_back(std::move(prepared));
    if (kept_.size() > mostKept) {
        leaving = std::move(kept_.front());
        kept_.erase(kept_.begin());
    }
}

RunTimes PeerVariants::convolve(const ConvolutionJob &job, const RunControl &control) {
    if (const std::string reason = refusal(job); !reason.empty())
        throw Error(ErrorKind::Usage, reason, "use another variant");
    control.checkpoint();
    try {
        std::unique_ptr<PeerJob> prepared = take(job);
        control.checkpoint();
        RunTimes times = prepared->run(job);
        give(std::move(prepared));
        control.checkpoint();
        return times;
    } catch (const cuda::PeerError &error) {
        throw Error(ErrorKind::Usage, error.what(), "use another variant");
    }
}

} // namespace tessera
