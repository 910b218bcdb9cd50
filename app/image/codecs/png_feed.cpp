#include "app/image/codecs/png_feed.h"

#include <algorithm>
#include <cstring>
#ifdef TESSERA_WITH_DEFLATE
#include <libdeflate.h>
#include <memory>
#endif

namespace tessera::codecs {

namespace {

constexpr std::size_t largestStoredBlock = 65535; // RFC 1951, 3.2.4

void putBigEndian(std::byte *to, std::uint32_t value) {
    for (int i = 0; i < 4; ++i)
        to[i] = static_cast<std::byte>(value >> (24 - 8 * i));
}

} // namespace

PngFeed::PngFeed(const Source &source, const PngChunks &chunks) : rest_(source.bytes) {
#ifdef TESSERA_WITH_DEFLATE
    inflate(source, chunks);
#else
    static_cast<void>(chunks);
#endif
}

#ifdef TESSERA_WITH_DEFLATE
void PngFeed::inflate(const Source &source, const PngChunks &chunks) {
    if (chunks.interlaced || chunks.compressed.empty() || chunks.compressedIsScattered)
        return;
    // Several chunks are the rule: put together they are one stream.
    std::size_t total = 0;
    for (const Bytes &part : chunks.compressed)
        total += part.size();
    std::optional<ScratchMemory> joined;
    Bytes stream = chunks.compressed.front();
    if (chunks.compressed.size() > 1) {
        std::byte *to = joined.emplace(total).bytes().data();
        for (const Bytes &part : chunks.compressed)
            to = std::copy(part.begin(), part.end(), to);
        stream = joined->bytes();
    }
    const std::size_t size = (1 + std::size_t(pngRowBytes(chunks))) * chunks.height;
    ScratchMemory raw(size);
    const std::unique_ptr<libdeflate_decompressor, decltype(&libdeflate_free_decompressor)> inflater(
        libdeflate_alloc_decompressor(), &libdeflate_free_decompressor);
    if (!inflater || libdeflate_zlib_decompress(inflater.get(), stream.data(), stream.size(), raw.bytes().data(), size,
                                                nullptr) != LIBDEFLATE_SUCCESS)
        return;
    inflated_.emplace(std::move(raw));
    pending_ = inflated_->bytes();
    checkSum_ = libdeflate_adler32(1, pending_.data(), pending_.size());
    const auto offsetOf = [&](Bytes part) { return std::size_t(part.data() - source.bytes.data()); };
    rest_ = source.bytes.first(offsetOf(chunks.compressed.front()) - 8);
    tail_ = source.bytes.subspan(offsetOf(chunks.compressed.back()) + chunks.compressed.back().size() + 4);
    next_ = Next::Block;
}
#endif

bool PngFeed::read(std::byte *target, std::size_t count) {
    while (count > 0) {
        if (rest_.empty() && !nextPiece())
            return false;
        const std::size_t step = std::min(count, rest_.size());
        std::memcpy(target, rest_.data(), step);
        rest_ = rest_.subspan(step);
        target += step;
        count -= step;
    }
    return true;
}

// A chunk for each stored block: its length and type, the stream's header before the first, the block's header.
void PngFeed::startBlock() {
    blockBytes_ = std::min(largestStoredBlock, pending_.size());
    const bool last = blockBytes_ == pending_.size();
    std::size_t used = 8;
    if (first_) {
        frame_[used++] = std::byte{0x78}; // Deflate with a window of 32 KiB
        frame_[used++] = std::byte{0x01};
    }
    frame_[used++] = std::byte(last ? 1 : 0);
    frame_[used++] = std::byte(blockBytes_ & 0xff);
    frame_[used++] = std::byte(blockBytes_ >> 8);
    frame_[used++] = ~std::byte(blockBytes_ & 0xff);
    frame_[used++] = ~std::byte(blockBytes_ >> 8);
    putBigEndian(frame_.data(), std::uint32_t(used - 8 + blockBytes_ + (last ? 4 : 0)));
    std::memcpy(frame_.data() + 4, "IDAT", 4);
    first_ = false;
    rest_ = Bytes(frame_).first(used);
}

bool PngFeed::nextPiece() {
    switch (next_) {
    case Next::Block:
        startBlock();
        next_ = Next::Content;
        return true;
    case Next::Content:
        rest_ = pending_.first(blockBytes_);
        pending_ = pending_.subspan(blockBytes_);
        next_ = Next::BlockEnd;
        return true;
    case Next::BlockEnd: { // the stream's check sum behind the last one, then the chunk's own, which nobody looks at
        std::size_t used = 0;
        if (pending_.empty()) {
            putBigEndian(frame_.data(), checkSum_);
            used += 4;
        }
        putBigEndian(frame_.data() + used, 0);
        rest_ = Bytes(frame_).first(used + 4);
        next_ = pending_.empty() ? Next::Tail : Next::Block;
        return true;
    }
    case Next::Tail:
        rest_ = tail_;
        next_ = Next::Nothing;
        return !rest_.empty();
    case Next::Nothing:
        break;
    }
    return false;
}

} // namespace tessera::codecs
