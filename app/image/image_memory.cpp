#include "app/image/image_memory.h"

#include "app/image/image.h"

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <new>
#include <sys/mman.h>
#include <vector>

namespace tessera {

namespace {

constexpr std::align_val_t alignment{256}; // what the device's allocator gives, so that both agree on sectors
constexpr std::size_t hugePage = std::size_t{2} << 20;
constexpr std::size_t worthKeeping = std::size_t{1} << 20;

MemoryBlock allocate(std::size_t bytes) {
    MemoryBlock block{static_cast<std::byte *>(::operator new[](bytes, alignment)), bytes};
#ifdef MADV_HUGEPAGE
    // A page fault costs almost as much for 2 MiB as for 4 KiB. Advice only: where it is not taken nothing is lost.
    const auto begin = (reinterpret_cast<std::uintptr_t>(block.data) + hugePage - 1) / hugePage * hugePage;
    const auto end = reinterpret_cast<std::uintptr_t>(block.data + bytes) / hugePage * hugePage;
    if (bytes >= 2 * hugePage && end > begin)
        ::madvise(reinterpret_cast<void *>(begin), end - begin, MADV_HUGEPAGE);
#endif
    return block;
}

void release(const MemoryBlock &block) noexcept { ::operator delete[](block.data, alignment); }

class KeptMemory {
public:
    static KeptMemory &instance() {
        static auto *kept = new KeptMemory; // outlives every static picture
        return *kept;
    }

    MemoryBlock take(std::size_t bytes) {
        const std::lock_guard lock(mutex_);
        auto best = blocks_.end();
        for (auto block = blocks_.begin(); block != blocks_.end(); ++block)
            if (block->bytes >= bytes && block->bytes - bytes <= bytes / 4 &&
                (best == blocks_.end() || block->bytes < best->bytes))
                best = block;
        if (best == blocks_.end())
            return {};
        const MemoryBlock block = *best;
        blocks_.erase(best);
        used_ -= block.bytes;
        return block;
    }

    bool keep(const MemoryBlock &block) noexcept {
        const std::lock_guard lock(mutex_);
        if (block.bytes < worthKeeping || block.bytes > limit_)
            return false;
        // The oldest make room: pictures of their size are the least likely to come again.
        while (used_ + block.bytes > limit_)
            dropOldest();
        try {
            blocks_.push_back(block);
        } catch (const std::bad_alloc &) {
            return false;
        }
        used_ += block.bytes;
        return true;
    }

    void setLimit(std::size_t bytes) {
        const std::lock_guard lock(mutex_);
        limit_ = bytes;
        while (used_ > limit_)
            dropOldest();
    }

private:
    void dropOldest() noexcept {
        release(blocks_.front());
        used_ -= blocks_.front().bytes;
        blocks_.erase(blocks_.begin());
    }

    std::mutex mutex_;
    std::vector<MemoryBlock> blocks_; // the oldest first
    std::size_t used_ = 0, limit_ = 0;
};

} // namespace

MemoryBlock takeImageMemory(std::size_t bytes) {
    const MemoryBlock block = bytes < worthKeeping ? MemoryBlock{} : KeptMemory::instance().take(bytes);
    return block.data ? block : allocate(bytes);
}

void giveImageMemory(MemoryBlock block) noexcept {
    if (block.data && (block.bytes < worthKeeping || !KeptMemory::instance().keep(block)))
        release(block);
}

void keepImageMemory(std::size_t bytes) { KeptMemory::instance().setLimit(bytes); }

} // namespace tessera
