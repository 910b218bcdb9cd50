#include "gpu/sim/convolution_simulation.h"

namespace tessera::sim {

namespace {

// Runs the blocks of `classes` with the weight of their kind.
class ClassLauncher {
public:
    ClassLauncher(const model::LaunchClasses &classes, ThreadOrder order, const std::function<void()> &between)
        : classes_(classes), order_(order), between_(between) {}

    template <class Kernel> void launch(const LaunchPlan &plan, const Kernel &kernel) {
        SimLauncher::SharedMemory shared(plan.sharedBytes);
        for (const model::BlockClass &row : classes_.rows)
            for (const model::BlockClass &column : classes_.columns) {
                if (between_)
                    between_();
                recorder_.setWeight(std::uint64_t(row.count * column.count));
                SimLauncher::runBlock<true>(plan, kernel, {column.first, row.first}, order_, &recorder_, shared);
                ++blocksRun_;
            }
        recorder_.endLaunch(std::uint64_t(plan.threads()));
    }

    ConvolutionSimulation result(const LaunchPlan &plan) const {
        return {recorder_.report(), blocksRun_, plan.blocks()};
    }

private:
    const model::LaunchClasses &classes_;
    ThreadOrder order_;
    const std::function<void()> &between_;
    Recorder recorder_;
    std::int64_t blocksRun_ = 0;
};

ConvolutionSimulation simulate(const LaunchPlan &plan, const ConvolutionRequest &request,
                               const model::LaunchClasses &classes, ThreadOrder order,
                               const std::function<void()> &between) {
    ClassLauncher launcher(classes, order, between);
    launchVariant(launcher, plan, request);
    return launcher.result(plan);
}

std::vector<model::BlockClass> everyBlock(int blocks) {
    std::vector<model::BlockClass> all;
    for (int block = 0; block < blocks; ++block)
        all.push_back({block, 1});
    return all;
}

} // namespace

model::ConvolutionCase caseOf(const LaunchPlan &plan, const ConvolutionRequest &request) {
    model::ConvolutionCase launch;
    launch.plan = plan;
    launch.sourceWidth = request.source.width;
    launch.sourceHeight = request.source.height;
    launch.targetWidth = request.target.width;
    launch.targetHeight = request.target.height;
    launch.originX = request.originX;
    launch.originY = request.originY;
    launch.tapsWidth = request.taps->width;
    launch.tapsHeight = request.taps->height;
    launch.anchorX = request.taps->anchorX;
    launch.anchorY = request.taps->anchorY;
    launch.border = request.border.mode;
    launch.channels = request.source.channels;
    launch.sourceScalarBytes = scalarBytes(request.source.type);
    launch.targetScalarBytes = scalarBytes(request.target.type);
    launch.sourcePitch = request.source.pitch;
    launch.targetPitch = request.target.pitch;
    const unsigned all = (1u << request.source.channels) - 1u;
    launch.someChannelsKept = (request.channelMask & all) != all;
    return launch;
}

std::int64_t simulationCost(const model::ConvolutionModel &model) {
    std::int64_t accesses = 0;
    for (const model::SiteModel &site : model.sites)
        accesses += site.counts.accesses;
    return accesses;
}

ConvolutionSimulation simulateConvolution(const LaunchPlan &plan, const ConvolutionRequest &request, ThreadOrder order,
                                          const std::function<void()> &between) {
    const model::LaunchClasses all{plan.block, everyBlock(plan.grid.x), everyBlock(plan.grid.y)};
    return simulate(plan, request, all, order, between);
}

ConvolutionSimulation simulateSample(const LaunchPlan &plan, const ConvolutionRequest &request, ThreadOrder order,
                                     const std::function<void()> &between) {
    return simulate(plan, request, model::launchClasses(caseOf(plan, request)), order, between);
}

} // namespace tessera::sim
