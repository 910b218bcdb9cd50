#include "app/engines/cuda_staging.h"

#include "app/core/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace tessera::cuda {

namespace {

// One core copies some 10 GB/s, a fifth of what the bus takes: several share a block, of a picture that somebody waits
// for. Where several pictures are on their way at once, as in a batch, each is copied by its own thread: sharing made
// all of them wait for cores that had other work (160 JPEGs of 12 megapixels took 3.16 s on 16 cores, then 2.7).
constexpr std::size_t partBytes = std::size_t{256} << 10;
std::atomic<int> picturesUnderWay{0};
bool onlyOne() { return picturesUnderWay.load(std::memory_order_relaxed) <= 1; }

void copyPart(std::byte *to, std::ptrdiff_t toPitch, const std::byte *from, std::ptrdiff_t fromPitch, int rowBytes,
              int rows) {
    if (toPitch == rowBytes && fromPitch == rowBytes) {
        std::memcpy(to, from, std::size_t(rowBytes) * std::size_t(rows));
        return;
    }
    for (int y = 0; y < rows; ++y)
        std::memcpy(to + y * toPitch, from + y * fromPitch, std::size_t(rowBytes));
}

void copyRows(std::byte *to, std::ptrdiff_t toPitch, const std::byte *from, std::ptrdiff_t fromPitch, int rowBytes,
              int rows) {
    const int partRows = std::max(1, int(partBytes / std::size_t(std::max(1, rowBytes))));
    const auto copy = [&](std::size_t part) {
        const std::ptrdiff_t y = std::ptrdiff_t(part) * partRows;
        copyPart(to + y * toPitch, toPitch, from + y * fromPitch, fromPitch, rowBytes,
                 std::min(partRows, rows - int(y)));
    };
    const std::size_t parts = std::size_t((rows + partRows - 1) / partRows);
    if (parts > 1 && onlyOne())
        return ThreadPool::shared().parallelFor(parts, copy);
    copyPart(to, toPitch, from, fromPitch, rowBytes, rows);
}

// Every block is waited for, so that larger ones are faster (4 GB there and back: 223 ms by 4 MiB, 164 by 8), but there
// are a dozen for each of many pictures.
std::size_t blockBytes() { return std::size_t(onlyOne() ? 8 : 4) << 20; }

int rowsOfABlock(int rowBytes) { return std::max(1, int(blockBytes() / std::size_t(std::max(1, rowBytes)))); }

} // namespace

PictureUnderWay::PictureUnderWay() { picturesUnderWay.fetch_add(1, std::memory_order_relaxed); }
PictureUnderWay::~PictureUnderWay() { picturesUnderWay.fetch_sub(1, std::memory_order_relaxed); }
bool PictureUnderWay::isOnlyOne() const { return onlyOne(); }

PinnedRing::~PinnedRing() {
    for (Slot &slot : slots_)
        if (slot.done)
            checkQuietly(cudaEventDestroy(slot.done));
}

void PinnedRing::reserve() {
    for (Slot &slot : slots_)
        slot.buffer.reserve(blockBytes());
}

PinnedRing::Slot &PinnedRing::slotAt(int block) {
    Slot &slot = slots_[std::size_t(block) % slots_.size()];
    if (!slot.done)
        TESSERA_CUDA_CHECK(cudaEventCreateWithFlags(&slot.done, cudaEventDisableTiming | cudaEventBlockingSync));
    return slot;
}

void PinnedRing::upload(void *device, std::ptrdiff_t devicePitch, const std::byte *host, std::ptrdiff_t hostPitch,
                        int rowBytes, int rows, StreamView stream, const Pause &pause) {
    const int blockRows = rowsOfABlock(rowBytes);
    for (int y = 0, block = 0; y < rows; y += blockRows, ++block) {
        pause();
        const int count = std::min(blockRows, rows - y);
        Slot &slot = slotAt(block);
        TESSERA_CUDA_CHECK(cudaEventSynchronize(slot.done)); // at once where it was never recorded
        std::byte *pinned = slot.buffer.reserve(std::size_t(rowBytes) * std::size_t(count));
        copyRows(pinned, rowBytes, host + y * hostPitch, hostPitch, rowBytes, count);
        TESSERA_CUDA_CHECK(cudaMemcpy2DAsync(
            static_cast<std::byte *>(device) + y * devicePitch, std::size_t(devicePitch), pinned, std::size_t(rowBytes),
            std::size_t(rowBytes), std::size_t(count), cudaMemcpyHostToDevice, stream));
        TESSERA_CUDA_CHECK(cudaEventRecord(slot.done, stream));
    }
}

void PinnedRing::download(std::byte *host, std::ptrdiff_t hostPitch, const void *device, std::ptrdiff_t devicePitch,
                          int rowBytes, int rows, StreamView stream, const Pause &pause) {
    const int blockRows = rowsOfABlock(rowBytes);
    const int blocks = (rows + blockRows - 1) / blockRows;
    const auto rowsOf = [&](int block) { return std::min(blockRows, rows - block * blockRows); };
    const auto request = [&](int block) {
        Slot &slot = slotAt(block);
        TESSERA_CUDA_CHECK(cudaEventSynchronize(slot.done));
        std::byte *pinned = slot.buffer.reserve(std::size_t(rowBytes) * std::size_t(rowsOf(block)));
        TESSERA_CUDA_CHECK(
            cudaMemcpy2DAsync(pinned, std::size_t(rowBytes),
                              static_cast<const std::byte *>(device) + std::ptrdiff_t(block) * blockRows * devicePitch,
                              std::size_t(devicePitch), std::size_t(rowBytes), std::size_t(rowsOf(block)),
                              cudaMemcpyDeviceToHost, stream));
        TESSERA_CUDA_CHECK(cudaEventRecord(slot.done, stream));
    };
    const int ahead = std::min<int>(blocks, int(slots_.size()));
    for (int block = 0; block < ahead; ++block)
        request(block);
    for (int block = 0; block < blocks; ++block) {
        pause();
        const Slot &slot = slotAt(block);
        TESSERA_CUDA_CHECK(cudaEventSynchronize(slot.done));
        copyRows(host + std::ptrdiff_t(block) * blockRows * hostPitch, hostPitch, slot.buffer.data(), rowBytes,
                 rowBytes, rowsOf(block));
        if (block + ahead < blocks)
            request(block + ahead);
    }
}

} // namespace tessera::cuda
