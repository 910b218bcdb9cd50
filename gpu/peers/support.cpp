#include "gpu/peers/support.h"

#include <algorithm>
#include <cmath>

namespace tessera::cuda {

std::string plainJobRefusal(std::string_view name, const ConvolutionRequest &request) {
    const std::string who(name);
    const unsigned all = request.source.channels == 1 ? 1u : 15u;
    if (request.taps == nullptr || request.source.data == nullptr || request.target.data == nullptr ||
        request.source.channels != request.target.channels ||
        (request.source.channels != 1 && request.source.channels != 4))
        return who + " needs taps and two pictures of 1 or 4 channels";
    if (request.finish.offset != 0.0f)
        return who + " adds no offset";
    if (request.target.type != request.source.type)
        return who + " writes the type that it reads";
    if (request.finish.response != Response::Clamp && request.target.type != ScalarType::F32 &&
        request.target.type != ScalarType::F16)
        return who + " clamps negative values and has no other response";
    if ((request.channelMask & all) != all)
        return who + " filters all channels";
    return {};
}

bool coversWholePicture(const ConvolutionRequest &request) {
    return request.originX == 0 && request.originY == 0 && request.target.width == request.source.width &&
           request.target.height == request.source.height;
}

bool readsOnlyInside(const ConvolutionRequest &request) {
    const int left = request.originX - request.taps->anchorX;
    const int top = request.originY - request.taps->anchorY;
    return left >= 0 && top >= 0 && left + request.target.width + request.taps->width - 1 <= request.source.width &&
           top + request.target.height + request.taps->height - 1 <= request.source.height;
}

double gainOf(const ConvolutionRequest &request) {
    double sum = 0;
    for (int i = 0; i < request.taps->count(); ++i)
        sum += std::fabs(double(request.taps->value[i]));
    return sum / std::fabs(double(request.finish.divisor));
}

std::vector<float> dividedTaps(const ConvolutionRequest &request) {
    std::vector<float> taps(std::size_t(request.taps->count()));
    for (std::size_t i = 0; i < taps.size(); ++i)
        taps[i] = float(double(request.taps->value[i]) / double(request.finish.divisor));
    return taps;
}

double floatSumBound(const ConvolutionRequest &request, double largest) {
    return gainOf(request) * largest * double(request.taps->count() + 4) * 0x1p-24;
}

double halfStorageBound(const ConvolutionRequest &request, double largest) {
    return gainOf(request) * largest * 0x1p-11 + 0x1p-25;
}

void checkRotation(std::string_view name, std::span<const ConvolutionRequest> rotation) {
    const auto alike = [](const RawView &a, const RawView &b) {
        return a.width == b.width && a.height == b.height && a.pitch == b.pitch && a.type == b.type &&
               a.channels == b.channels;
    };
    if (rotation.empty())
        throw PeerError(std::string(name) + " was given nothing to prepare");
    const ConvolutionRequest &first = rotation.front();
    for (const ConvolutionRequest &request : rotation)
        if (!alike(request.source, first.source) || !alike(request.target, first.target) ||
            request.taps != first.taps || request.originX != first.originX || request.originY != first.originY ||
            request.border != first.border || request.finish != first.finish)
            throw PeerError(std::string(name) +
                            " can rotate only through requests that are alike but for their memory");
}

StagedFootprint::StagedFootprint(const ConvolutionRequest &request, int alignment) {
    const int pixelBytes = scalarBytes(request.source.type) * request.source.channels;
    const int alignedPixels = std::max(1, alignment / pixelBytes);
    marginX_ = ceilDivide(request.taps->anchorX, alignedPixels) * alignedPixels;
    marginY_ = request.taps->anchorY;
    picture_ = request.source;
    picture_.width = marginX_ + request.target.width + request.taps->width - 1 - request.taps->anchorX;
    picture_.height = request.target.height + request.taps->height - 1;
    const std::ptrdiff_t row = std::ptrdiff_t(picture_.width) * pixelBytes;
    picture_.pitch = alignment > 0 ? (row + alignment - 1) / alignment * alignment : row;
    picture_.data = memory_.reserve(std::size_t(picture_.pitch) * std::size_t(picture_.height));
}

void StagedFootprint::fill(const ConvolutionRequest &request, StreamView stream) const {
    launchCopyBordered(request, picture_, request.originX - marginX_, request.originY - marginY_, stream);
}

double measureRuns(const std::function<void()> &run, StreamView stream, double hopeless) {
    Event start, end;
    const auto once = [&] {
        start.record(stream);
        run();
        end.record(stream);
        TESSERA_CUDA_CHECK(cudaStreamSynchronize(stream));
        return end.millisecondsSince(start);
    };
    run(); // loads code and, in some libraries, allocates
    double fastest = once();
    for (int i = 0; i < 3 && fastest < hopeless; ++i)
        fastest = std::min(fastest, once());
    return fastest;
}

} // namespace tessera::cuda
