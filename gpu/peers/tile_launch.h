// The kernels of gpu/kernels/tiles.h on untyped requests, for any launcher, so that the simulator can run them too.
#pragma once

#include "gpu/kernels/tiles.h"
#include "gpu/launch/convolution.h"

namespace tessera {

inline LaunchPlan planPerValue(int width, int height) {
    LaunchPlan plan;
    plan.block = {32, 8};
    plan.grid = {ceilDivide(width, 32), ceilDivide(height, 8)};
    return plan;
}

// Calls function.template operator()<Pixel>() with the pixel that the view's type and channels name.
template <class Function> void withPixel(ScalarType type, int channels, const Function &function) {
    const auto forChannels = [&]<class T>() {
        if (channels == 1)
            function.template operator()<Pixel<T, 1>>();
        else
            function.template operator()<Pixel<T, 4>>();
    };
    switch (type) {
    case ScalarType::U8:
        return forChannels.template operator()<std::uint8_t>();
    case ScalarType::U16:
        return forChannels.template operator()<std::uint16_t>();
    case ScalarType::F16:
        return forChannels.template operator()<Half>();
    case ScalarType::F32:
        return forChannels.template operator()<float>();
    }
}

// target(x, y) = the request's source at (x + left, y + top).
template <class Launcher>
void copyBordered(Launcher &launcher, const ConvolutionRequest &request, const RawView &target, int left, int top) {
    withPixel(target.type, target.channels, [&]<class P>() {
        launcher.launch(planPerValue(target.width, target.height),
                        CopyBordered<P>{borderedSource<P>(request), target.as<P>(), left, top});
    });
}

inline ImageView<float> planesOf(void *data, const TileGrid &tiles, int channels) {
    return {static_cast<float *>(data), tiles.width, tiles.height * tiles.count() * channels,
            std::ptrdiff_t(sizeof(float)) * tiles.width};
}

// The footprints of the request's outputs, tile by tile.
template <class Launcher>
void scatterTiles(Launcher &launcher, const ConvolutionRequest &request, const TileGrid &tiles, void *planes) {
    withPixel(request.source.type, request.source.channels, [&]<class P>() {
        ScatterTiles<P> kernel{borderedSource<P>(request), planesOf(planes, tiles, P::channels), tiles};
        kernel.left = request.originX - request.taps->anchorX;
        kernel.top = request.originY - request.taps->anchorY;
        kernel.usedWidth = tiles.stepX + request.taps->width - 1;
        kernel.usedHeight = tiles.stepY + request.taps->height - 1;
        launcher.launch(planPerValue(tiles.width, tiles.height * tiles.count()), kernel);
    });
}

// `pairs`: pairs of complex numbers in the kernel's spectrum; the spectra are `planes` of them in a row.
template <class Launcher>
void multiplySpectra(Launcher &launcher, void *spectra, const void *kernel, int pairs, int planes) {
    using Pair = MultiplySpectra::Pair;
    const std::ptrdiff_t pitch = std::ptrdiff_t(sizeof(Pair)) * pairs;
    launcher.launch(planElements(pairs, 256), MultiplySpectra{{static_cast<Pair *>(spectra), pairs, planes, pitch},
                                                              {static_cast<const Pair *>(kernel), pairs, 1, pitch}});
}

template <class Launcher, class SourcePixel, class TargetPixel>
void gatherTyped(Launcher &launcher, const ConvolutionRequest &request, const TileGrid &tiles, const void *planes) {
    GatherTiles<SourcePixel, TargetPixel> kernel;
    kernel.operands.source = borderedSource<SourcePixel>(request);
    kernel.operands.target = request.target.as<TargetPixel>();
    kernel.operands.originX = request.originX;
    kernel.operands.originY = request.originY;
    kernel.operands.finish = request.finish;
    kernel.operands.channelMask = request.channelMask;
    const ImageView<float> view = planesOf(const_cast<void *>(planes), tiles, SourcePixel::channels);
    kernel.planes = {view.data, view.width, view.height, view.pitch};
    kernel.tiles = tiles;
    launcher.launch(planPerValue(request.target.width, request.target.height), kernel);
}

// The request's target from the sums in the planes, with its finish and mask.
template <class Launcher>
void gatherTiles(Launcher &launcher, const ConvolutionRequest &request, const TileGrid &tiles, const void *planes) {
    withPixel(request.source.type, request.source.channels, [&]<class P>() {
        constexpr int channels = P::channels;
        using Scalar = typename P::Scalar;
        if (request.target.type == request.source.type)
            return gatherTyped<Launcher, P, P>(launcher, request, tiles, planes);
        if (request.target.type == ScalarType::F32)
            return gatherTyped<Launcher, P, Pixel<float, channels>>(launcher, request, tiles, planes);
        if constexpr (std::is_same_v<Scalar, float>) {
            if (request.target.type == ScalarType::U8)
                return gatherTyped<Launcher, P, Pixel<std::uint8_t, channels>>(launcher, request, tiles, planes);
            if (request.target.type == ScalarType::U16)
                return gatherTyped<Launcher, P, Pixel<std::uint16_t, channels>>(launcher, request, tiles, planes);
        }
    });
}

} // namespace tessera
