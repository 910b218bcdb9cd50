// The memory of pictures: aligned for SIMD and the device, in huge pages where it is large, reused where asked for.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

namespace tessera {

struct MemoryBlock {
    std::byte *data = nullptr;
    std::size_t bytes = 0;
};

// At least `bytes`, on a 256-byte boundary, not initialised. Throws std::bad_alloc. From any thread.
MemoryBlock takeImageMemory(std::size_t bytes);
void giveImageMemory(MemoryBlock block) noexcept;

// Room for what is on its way into or out of a picture.
class ScratchMemory {
public:
    explicit ScratchMemory(std::size_t bytes) : block_(takeImageMemory(bytes)), bytes_(bytes) {}
    ScratchMemory(ScratchMemory &&other) noexcept : block_(std::exchange(other.block_, {})), bytes_(other.bytes_) {}
    ScratchMemory &operator=(ScratchMemory &&) = delete;
    ~ScratchMemory() { giveImageMemory(block_); }

    std::span<std::byte> bytes() const { return {block_.data, bytes_}; }

private:
    MemoryBlock block_;
    std::size_t bytes_;
};

} // namespace tessera
