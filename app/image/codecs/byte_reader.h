// Bounds-checked reads of integers in either byte order. Every multi-byte value of a foreign file goes through here.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace tessera::codecs {

class ByteReader {
public:
    ByteReader(std::span<const std::byte> bytes, std::endian order) : bytes_(bytes), order_(order) {}

    std::size_t size() const { return bytes_.size(); }
    std::endian order() const { return order_; }
    bool has(std::uint64_t offset, std::uint64_t count) const {
        return offset <= bytes_.size() && count <= bytes_.size() - offset;
    }
    std::span<const std::byte> part(std::size_t offset, std::size_t count) const {
        return bytes_.subspan(offset, count);
    }

    // Empty where the value would lie outside.
    std::optional<std::uint8_t> u8(std::uint64_t offset) const { return read<std::uint8_t>(offset); }
    std::optional<std::uint16_t> u16(std::uint64_t offset) const { return read<std::uint16_t>(offset); }
    std::optional<std::uint32_t> u32(std::uint64_t offset) const { return read<std::uint32_t>(offset); }
    std::optional<std::uint64_t> u64(std::uint64_t offset) const { return read<std::uint64_t>(offset); }

private:
    template <class T> std::optional<T> read(std::uint64_t offset) const {
        if (!has(offset, sizeof(T)))
            return std::nullopt;
        T value = 0;
        for (std::size_t i = 0; i < sizeof(T); ++i) {
            const std::size_t place = order_ == std::endian::big ? i : sizeof(T) - 1 - i;
            value =
                static_cast<T>((std::uint64_t(value) << 8) | std::to_integer<std::uint64_t>(bytes_[offset + place]));
        }
        return value;
    }

    std::span<const std::byte> bytes_;
    std::endian order_;
};

inline bool startsWith(std::span<const std::byte> bytes, std::string_view magic, std::size_t offset = 0) {
    return bytes.size() >= offset && bytes.size() - offset >= magic.size() &&
           std::memcmp(bytes.data() + offset, magic.data(), magic.size()) == 0;
}

// Appends to a growing file.
class ByteWriter {
public:
    ByteWriter(std::vector<std::byte> &target, std::endian order) : target_(target), order_(order) {}

    void u8(std::uint8_t value) { put(value, 1); }
    void u16(std::uint16_t value) { put(value, 2); }
    void u32(std::uint32_t value) { put(value, 4); }
    void text(std::string_view value) { raw(value.data(), value.size()); }
    void raw(const void *data, std::size_t size) {
        const auto *first = static_cast<const std::byte *>(data);
        target_.insert(target_.end(), first, first + size);
    }

private:
    void put(std::uint64_t value, int size) {
        for (int i = 0; i < size; ++i)
            target_.push_back(std::byte((value >> (8 * (order_ == std::endian::big ? size - 1 - i : i))) & 0xff));
    }

    std::vector<std::byte> &target_;
    std::endian order_;
};

} // namespace tessera::codecs
