#include "app/image/exif.h"

#include "app/image/codecs/byte_reader.h"

#include <bit>
#include <optional>

namespace tessera {

namespace {

using codecs::ByteReader;

constexpr std::uint16_t orientationTag = 0x0112;
constexpr std::uint16_t shortType = 3;
constexpr std::size_t entrySize = 12;

struct Directory {
    std::endian order;
    std::size_t firstEntry;
    std::size_t entries;
};

std::optional<Directory> firstDirectory(std::span<const std::uint8_t> exif) {
    const auto bytes = std::as_bytes(exif);
    std::endian order;
    if (codecs::startsWith(bytes, std::string_view("II*\0", 4)))
        order = std::endian::little;
    else if (codecs::startsWith(bytes, std::string_view("MM\0*", 4)))
        order = std::endian::big;
    else
        return std::nullopt;
    const ByteReader reader(bytes, order);
    const auto offset = reader.u32(4);
    if (!offset)
        return std::nullopt;
    const auto count = reader.u16(*offset);
    if (!count || !reader.has(std::uint64_t(*offset) + 2, std::uint64_t(*count) * entrySize))
        return std::nullopt;
    return Directory{order, std::size_t(*offset) + 2, *count};
}

// Where the orientation's two bytes lie.
std::optional<std::size_t> orientationOffset(std::span<const std::uint8_t> exif, const Directory &directory) {
    const ByteReader reader(std::as_bytes(exif), directory.order);
    for (std::size_t i = 0; i < directory.entries; ++i) {
        const std::size_t entry = directory.firstEntry + i * entrySize;
        if (reader.u16(entry) == orientationTag && reader.u16(entry + 2) == shortType && reader.u32(entry + 4) == 1u)
            return entry + 8;
    }
    return std::nullopt;
}

} // namespace

int exifOrientation(std::span<const std::uint8_t> exif) {
    const auto directory = firstDirectory(exif);
    if (!directory)
        return 1;
    const auto offset = orientationOffset(exif, *directory);
    if (!offset)
        return 1;
    const int value = ByteReader(std::as_bytes(exif), directory->order).u16(*offset).value_or(1);
    return value >= 1 && value <= 8 ? value : 1;
}

void resetExif(std::vector<std::uint8_t> &exif) {
    const auto directory = firstDirectory(exif);
    if (!directory)
        return;
    if (const auto offset = orientationOffset(exif, *directory)) {
        const bool big = directory->order == std::endian::big;
        exif[*offset] = big ? 0 : 1;
        exif[*offset + 1] = big ? 1 : 0;
    }
    // The thumbnail is directory 1, reached through the link behind directory 0.
    const std::size_t link = directory->firstEntry + directory->entries * entrySize;
    for (std::size_t i = link; i < link + 4 && i < exif.size(); ++i)
        exif[i] = 0;
}

} // namespace tessera
