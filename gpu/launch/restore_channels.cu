#include "gpu/kernels/layout.h"
#include "gpu/launch/convolution.h"
#include "gpu/launch/cuda_launcher.cuh"
#include "gpu/launch/cuda_variants.h"

#include <type_traits>

namespace tessera::cuda {

namespace {

class Restorer {
public:
    Restorer(const ConvolutionRequest &request, const LaunchTarget &target) : request_(request), target_(target) {}

    template <class SourcePixel, class TargetPixel> void restore() const {
        RestoreChannels<SourcePixel, TargetPixel> kernel;
        kernel.source = borderedSource<SourcePixel>(request_);
        kernel.target = request_.target.as<TargetPixel>();
        kernel.originX = request_.originX;
        kernel.originY = request_.originY;
        kernel.mask = request_.channelMask;
        LaunchPlan plan;
        plan.block = {32, 8};
        plan.grid = {ceilDivide(kernel.target.width, 32), ceilDivide(kernel.target.height, 8)};
        CudaLauncher(target_).launch(plan, kernel);
    }
    template <class Source, class Target> void restore(std::type_identity<Source>, std::type_identity<Target>) const {
        request_.source.channels == 1 ? restore<Pixel<Source, 1>, Pixel<Target, 1>>()
                                      : restore<Pixel<Source, 4>, Pixel<Target, 4>>();
    }
    template <class Source> void restoreFrom() const {
        const std::type_identity<Source> source;
        if (request_.target.type == ScalarType::F32)
            return restore(source, std::type_identity<float>{});
        if (request_.target.type == request_.source.type)
            return restore(source, source);
        if constexpr (std::is_same_v<Source, float>)
            request_.target.type == ScalarType::U8 ? restore(source, std::type_identity<std::uint8_t>{})
                                                   : restore(source, std::type_identity<std::uint16_t>{});
    }

private:
    const ConvolutionRequest &request_;
    const LaunchTarget &target_;
};

} // namespace

void restoreChannels(const ConvolutionRequest &request, const LaunchTarget &target) {
    const unsigned all = (1u << request.target.channels) - 1u;
    if ((request.channelMask & all) == all || target.attributes)
        return;
    const Restorer restorer(request, target);
    switch (request.source.type) {
    case ScalarType::U8:
        return restorer.restoreFrom<std::uint8_t>();
    case ScalarType::U16:
        return restorer.restoreFrom<std::uint16_t>();
    case ScalarType::F16:
        return restorer.restoreFrom<Half>();
    case ScalarType::F32:
        return restorer.restoreFrom<float>();
    }
}

} // namespace tessera::cuda
