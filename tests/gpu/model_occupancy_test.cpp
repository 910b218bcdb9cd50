// The occupancy model against the calculator that comes with CUDA, over every size of block, registers and shared
// memory that a kernel of this project could have, on every compute capability the model knows.
#include "gpu/model/occupancy.h"

#include <QtTest>
#include <climits>
#include <cuda_occupancy.h>

#include <set>

using namespace tessera::model;

namespace {

cudaOccDeviceProp calculatorDevice(const MultiprocessorLimits &limits) {
    cudaOccDeviceProp device;
    device.computeMajor = limits.computeMajor;
    device.computeMinor = limits.computeMinor;
    device.maxThreadsPerBlock = limits.threadsPerBlock;
    device.maxThreadsPerMultiprocessor = limits.threads;
    device.regsPerBlock = 65536;
    device.regsPerMultiprocessor = 65536;
    device.warpSize = 32;
    device.sharedMemPerBlock = 48 * 1024;
    device.sharedMemPerMultiprocessor = limits.sharedBytes;
    device.numSms = 1;
    device.sharedMemPerBlockOptin = limits.sharedBytesPerBlock;
    device.reservedSharedMemPerBlock = limits.reservedSharedBytes;
    return device;
}

struct Calculated {
    cudaOccError error;
    cudaOccResult result;
};

Calculated calculate(const BlockResources &block, const MultiprocessorLimits &limits) {
    const cudaOccDeviceProp device = calculatorDevice(limits);
    cudaOccFuncAttributes kernel;
    kernel.maxThreadsPerBlock = INT_MAX;
    kernel.numRegs = block.registersPerThread;
    kernel.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
    kernel.maxDynamicSharedSizeBytes = limits.sharedBytesPerBlock;
    kernel.numBlockBarriers = 1;
    const cudaOccDeviceState state;
    Calculated calculated{};
    calculated.error = cudaOccMaxActiveBlocksPerMultiprocessor(&calculated.result, &device, &kernel, &state,
                                                               block.threads, block.sharedBytes);
    return calculated;
}

bool has(const Occupancy &occupancy, Resource resource) {
    return std::find(occupancy.limiting.begin(), occupancy.limiting.end(), resource) != occupancy.limiting.end();
}

// What differs, or nothing.
QString difference(const Occupancy &mine, const cudaOccResult &theirs) {
    const auto bounded = [](int blocks) { return blocks >= Occupancy::unlimited ? INT_MAX : blocks; };
    if (mine.blocks != theirs.activeBlocksPerMultiprocessor)
        return QString("%1 blocks, the calculator says %2").arg(mine.blocks).arg(theirs.activeBlocksPerMultiprocessor);
    if (mine.byBlocks != theirs.blockLimitBlocks || mine.byWarps != theirs.blockLimitWarps)
        return "the limits by slots";
    if (bounded(mine.byRegisters) != theirs.blockLimitRegs)
        return QString("by registers %1, the calculator says %2").arg(mine.byRegisters).arg(theirs.blockLimitRegs);
    if (bounded(mine.bySharedMemory) != theirs.blockLimitSharedMem)
        return QString("by shared memory %1, the calculator says %2")
            .arg(mine.bySharedMemory)
            .arg(theirs.blockLimitSharedMem);
    const std::pair<Resource, unsigned> factors[] = {{Resource::Warps, OCC_LIMIT_WARPS},
                                                     {Resource::Registers, OCC_LIMIT_REGISTERS},
                                                     {Resource::SharedMemory, OCC_LIMIT_SHARED_MEMORY},
                                                     {Resource::Blocks, OCC_LIMIT_BLOCKS}};
    for (const auto &[resource, factor] : factors)
        if (has(mine, resource) != ((theirs.limitingFactors & factor) != 0))
            return QString::fromStdString(resourceName(resource)) + " as a limit";
    return {};
}

} // namespace

class ModelOccupancyTest : public QObject {
    Q_OBJECT

private slots:
    void agreesWithTheCalculator_data() {
        QTest::addColumn<int>("device");
        for (int i = 0; i < int(knownMultiprocessors().size()); ++i)
            QTest::addRow("C-4 compute capability %d.%d", knownMultiprocessors()[std::size_t(i)].computeMajor,
                          knownMultiprocessors()[std::size_t(i)].computeMinor)
                << i;
    }
    void agreesWithTheCalculator() {
        QFETCH(int, device);
        const MultiprocessorLimits &limits = knownMultiprocessors()[std::size_t(device)];
        int compared = 0, cannotRun = 0;
        std::set<Resource> limiting;
        for (const int threads :
             {1, 31, 32, 33, 64, 96, 128, 160, 192, 224, 256, 320, 384, 512, 640, 768, 1000, 1024, 1056})
            for (int registers = 0; registers <= 255; registers += registers < 48 ? 1 : 9)
                for (std::size_t shared = 0; shared <= limits.sharedBytesPerBlock + 512;
                     shared += shared < 2048 ? 100 : 3331) {
                    const BlockResources block{threads, registers, shared};
                    const Calculated calculated = calculate(block, limits);
                    QCOMPARE(calculated.error, CUDA_OCC_SUCCESS);
                    const Occupancy mine = occupancyOf(block, limits);
                    const QString differs = difference(mine, calculated.result);
                    QVERIFY2(
                        differs.isEmpty(),
                        qPrintable(
                            QString("%1 threads, %2 registers, %3 bytes: ").arg(threads).arg(registers).arg(shared) +
                            differs));
                    ++compared;
                    cannotRun += mine.blocks == 0;
                    limiting.insert(mine.limiting.begin(), mine.limiting.end());
                }
        QVERIFY(compared > 20000 && cannotRun > 0 && cannotRun < compared / 2);
        QCOMPARE(limiting.size(), std::size_t(4)); // every resource was the limit somewhere
    }
};

QTEST_APPLESS_MAIN(ModelOccupancyTest)
#include "model_occupancy_test.moc"
