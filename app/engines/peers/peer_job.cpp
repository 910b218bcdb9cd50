#include "app/engines/peers/peer_job.h"

#include "app/engines/engine_support.h"
#include "gpu/launch/cuda_launcher.h"
#include "gpu/peers/support.h"

#include <chrono>

namespace tessera {

namespace {

// Someone may be waiting: the library's own first choices have to do.
constexpr cuda::PeerOptions searched{.directOnly = true, .mostCandidates = 3};

// Rows without gaps: cuDNN wants them so.
RawView packedPicture(cuda::DeviceBuffer &memory, int width, int height, ScalarType type, int channels) {
    const std::ptrdiff_t pitch = std::ptrdiff_t(width) * scalarBytes(type) * channels;
    return {memory.reserve(std::size_t(pitch) * std::size_t(height)), width, height, pitch, type, channels};
}

void copyRows(void *to, std::ptrdiff_t toPitch, const void *from, std::ptrdiff_t fromPitch, int rowBytes, int rows,
              cudaMemcpyKind kind, cuda::StreamView stream) {
    TESSERA_CUDA_CHECK(cudaMemcpy2DAsync(to, std::size_t(toPitch), from, std::size_t(fromPitch), std::size_t(rowBytes),
                                         std::size_t(rows), kind, stream));
}

} // namespace

PeerJob::Key PeerJob::keyOf(const ConvolutionJob &job) {
    const ConvolutionKernel &kernel = *job.kernel;
    return {std::string(job.variant),
            job.source.width,
            job.source.height,
            job.source.format,
            job.target.format,
            job.region,
            job.border,
            job.finish,
            filteredChannels(job),
            kernel.width,
            kernel.height,
            kernel.anchorX,
            kernel.anchorY};
}

PeerJob::PeerJob(const ConvolutionJob &job) : key_(keyOf(job)), tapValues_(job.kernel->taps) {}

bool PeerJob::serves(const ConvolutionJob &job) const { return key_ == keyOf(job) && tapValues_ == job.kernel->taps; }

void PeerJob::prepare(const ConvolutionJob &job) {
    taps_ = tapsFrom(*job.kernel);
    const int channels = packedChannels(key_.from.channels);
    const ScalarType stored = scalarTypeOf(key_.from.depth);
    const ScalarType type = needsFloatSource(job) ? ScalarType::F32 : stored;
    raw_ = packedPicture(rawMemory_, key_.width, key_.height, stored, key_.from.channels);
    source_ = raw_;
    if (channels != key_.from.channels || type != stored)
        source_ = packedPicture(sourceMemory_, key_.width, key_.height, type, channels);
    target_ =
        packedPicture(targetMemory_, key_.region.width, key_.region.height, scalarTypeOf(key_.to.depth), channels);
    rawTarget_ = target_;
    if (channels != key_.to.channels)
        rawTarget_ = packedPicture(rawTargetMemory_, key_.region.width, key_.region.height, scalarTypeOf(key_.to.depth),
                                   key_.to.channels);
    request_ = requestFor(job, {}, taps_);
    request_.source = source_;
    request_.target = target_;
    if (key_.filtered == (1u << key_.from.channels) - 1u)
        request_.channelMask = ~0u; // packing adds channels that nobody sees
    upload(job);                    // libraries try their algorithms on the picture itself
    native_ = prepareNative();
    if (!native_)
        preparePlanes();
}

// As the library does it. Whole numbers must come out as in every engine, ties included.
bool PeerJob::prepareNative() {
    const cuda::ConvolutionPeer &peer = *cuda::findConvolutionPeer(key_.variant);
    if (!peer.refusal(request_).empty())
        return false;
    try {
        prepared_ = peer.prepare({&request_, 1}, stream_.view(), searched);
    } catch (const cuda::PeerError &) {
        return false; // perhaps it can do planes
    }
    return key_.to.depth == Depth::F32 || prepared_->choice().rounding == cuda::Rounding::NearestEven;
}

// One request a channel; each plane holds the footprint of its outputs, so that none of them meets a border.
void PeerJob::preparePlanes() {
    const int width = key_.region.width;
    const int height = key_.region.height;
    footprints_ = {width + taps_.width - 1, height + taps_.height - 1, width, height, 1, 1};
    sums_ = {width, height, width, height, 1, 1};
    const std::size_t footprintBytes = std::size_t(footprints_.planeValues()) * sizeof(float);
    const std::size_t sumBytes = std::size_t(sums_.planeValues()) * sizeof(float);
    const std::size_t planes = std::size_t(source_.channels);
    auto *from = static_cast<std::byte *>(planesMemory_.reserve(footprintBytes * planes));
    auto *to = static_cast<std::byte *>(sumsMemory_.reserve(sumBytes * planes));
    TESSERA_CUDA_CHECK(cudaMemsetAsync(to, 0, sumBytes * planes, stream_.view())); // also for channels nobody sees
    cuda::launchScatterTiles(request_, footprints_, from, stream_.view());
    std::vector<ConvolutionRequest> rotation;
    for (int c = 0; c < planeCount(); ++c) {
        ConvolutionRequest plane;
        plane.source = {from + footprintBytes * std::size_t(c), footprints_.width, footprints_.height,
                        std::ptrdiff_t(4) * footprints_.width,  ScalarType::F32,   1};
        plane.target = {to + sumBytes * std::size_t(c), width, height, std::ptrdiff_t(4) * width, ScalarType::F32, 1};
        plane.originX = taps_.anchorX;
        plane.originY = taps_.anchorY;
        plane.taps = &taps_;
        rotation.push_back(plane);
    }
    prepared_ = cuda::findConvolutionPeer(key_.variant)->prepare(rotation, stream_.view(), searched);
}

void PeerJob::upload(const ConvolutionJob &job) {
    copyRows(raw_.data, raw_.pitch, job.source.data, job.source.pitch, key_.width * key_.from.bytesPerPixel(),
             key_.height, cudaMemcpyHostToDevice, stream_.view());
    uploaded_.record(stream_.view());
    if (source_.data != raw_.data)
        cuda::launchRepack(raw_, source_, stream_.view());
}

void PeerJob::download(const ConvolutionJob &job) {
    copyRows(job.target.data, job.target.pitch, rawTarget_.data, rawTarget_.pitch,
             key_.region.width * key_.to.bytesPerPixel(), key_.region.height, cudaMemcpyDeviceToHost, stream_.view());
}

void PeerJob::compute() {
    const cuda::StreamView stream = stream_.view();
    if (native_) {
        prepared_->stage(0, stream);
        prepared_->run(0, stream);
    } else {
        cuda::launchScatterTiles(request_, footprints_, planesMemory_.data(), stream);
        for (int c = 0; c < planeCount(); ++c)
            if (key_.filtered >> c & 1u)
                prepared_->run(std::size_t(c), stream);
        cuda::launchGatherTiles(request_, sums_, sumsMemory_.data(), stream);
    }
    if (rawTarget_.data != target_.data)
        cuda::launchRepack(target_, rawTarget_, stream);
}

RunTimes PeerJob::run(const ConvolutionJob &job) {
    start_.record(stream_.view());
    upload(job);
    compute();
    computed_.record(stream_.view());
    download(job);
    downloaded_.record(stream_.view());
    stream_.synchronize();
    RunTimes times;
    times.kernelMs = computed_.millisecondsSince(uploaded_);
    times.copyMs = uploaded_.millisecondsSince(start_) + downloaded_.millisecondsSince(computed_);
    times.variant = key_.variant;
    times.plan = prepared_->choice().algorithm;
    times.roundsLocally = false; // who knows
    if (!native_)
        times.plan += ", on planes of float";
    else if (!prepared_->choice().note.empty())
        times.plan += ", on a copy that holds the border";
    return times;
}

} // namespace tessera
