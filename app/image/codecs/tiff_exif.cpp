#include "app/image/codecs/tiff_exif.h"

#include "app/image/codecs/byte_reader.h"

#include <algorithm>
#include <array>

namespace tessera::codecs {

namespace {

constexpr std::uint16_t exposurePointer = 34665, placePointer = 34853, interoperabilityPointer = 40965;
constexpr std::uint16_t longType = 4;

// Of the first directory: description, make, model, software, date, artist, copyright.
constexpr std::array<std::uint16_t, 7> cameraTags{270, 271, 272, 305, 306, 315, 33432};

struct Entry {
    std::uint16_t tag = 0, type = 0;
    std::uint32_t count = 0;
    ByteVector value; // in the file's byte order; more than four bytes are stored elsewhere
};
using Directory = std::vector<Entry>;

std::size_t sizeOfType(std::uint16_t type) {
    constexpr std::array<std::size_t, 13> sizes{0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8};
    return type < sizes.size() ? sizes[type] : 0;
}

std::optional<std::endian> classicOrder(Bytes tiff) {
    if (startsWith(tiff, std::string_view("II*\0", 4)))
        return std::endian::little;
    if (startsWith(tiff, std::string_view("MM\0*", 4)))
        return std::endian::big;
    return std::nullopt;
}

// `inPlace`: entries keep their four bytes as they stand, offsets included.
Directory readDirectory(const ByteReader &reader, std::uint32_t offset, bool inPlace) {
    constexpr std::uint64_t longestValue = 1 << 20;
    Directory directory;
    const std::uint16_t entries = reader.u16(offset).value_or(0);
    if (!reader.has(std::uint64_t(offset) + 2, std::uint64_t(entries) * 12))
        return directory;
    for (std::uint32_t i = 0; i < entries; ++i) {
        const std::uint64_t place = std::uint64_t(offset) + 2 + std::uint64_t(12) * i;
        Entry entry{*reader.u16(place), *reader.u16(place + 2), *reader.u32(place + 4), {}};
        const std::uint64_t size = std::uint64_t(entry.count) * sizeOfType(entry.type);
        const std::uint64_t start = inPlace || size <= 4 ? place + 8 : *reader.u32(place + 8);
        const std::uint64_t taken = inPlace ? 4 : size;
        if (!inPlace && (size == 0 || size > longestValue || !reader.has(start, size)))
            continue;
        const Bytes value = reader.part(std::size_t(start), std::size_t(taken));
        entry.value.assign(value.begin(), value.end());
        directory.push_back(std::move(entry));
    }
    return directory;
}

std::uint32_t pointerIn(const ByteReader &reader, const Directory &directory, std::uint16_t tag) {
    const auto entry = std::ranges::find(directory, tag, &Entry::tag);
    if (entry == directory.end() || entry->type != longType || entry->value.size() != 4)
        return 0;
    return ByteReader(entry->value, reader.order()).u32(0).value_or(0);
}

// What is carried: the camera's tags and the two directories.
struct Exif {
    Directory camera, exposure, place;
    bool empty() const { return camera.empty() && exposure.empty() && place.empty(); }
};

Exif readExif(Bytes tiff, std::endian order) {
    const ByteReader reader(tiff, order);
    const Directory first = readDirectory(reader, reader.u32(4).value_or(0), false);
    Exif exif;
    for (const Entry &entry : first)
        if (std::ranges::find(cameraTags, entry.tag) != cameraTags.end())
            exif.camera.push_back(entry);
    if (const std::uint32_t offset = pointerIn(reader, first, exposurePointer))
        exif.exposure = readDirectory(reader, offset, false);
    if (const std::uint32_t offset = pointerIn(reader, first, placePointer))
        exif.place = readDirectory(reader, offset, false);
    std::erase_if(exif.exposure, [](const Entry &entry) { return entry.tag == interoperabilityPointer; });
    return exif;
}

// Appends a directory and its longer values; returns where it starts.
std::uint32_t append(ByteVector &file, std::endian order, const Directory &directory) {
    file.resize((file.size() + 1) / 2 * 2);
    const auto start = std::uint32_t(file.size());
    ByteWriter writer(file, order);
    std::size_t elsewhere = start + 2 + 12 * directory.size() + 4;
    writer.u16(std::uint16_t(directory.size()));
    for (const Entry &entry : directory) {
        writer.u16(entry.tag);
        writer.u16(entry.type);
        writer.u32(entry.count);
        if (entry.value.size() > 4) {
            writer.u32(std::uint32_t(elsewhere));
            elsewhere += (entry.value.size() + 1) / 2 * 2;
        } else {
            writer.raw(entry.value.data(), entry.value.size());
            file.resize(file.size() + 4 - entry.value.size());
        }
    }
    writer.u32(0); // no further directory
    for (const Entry &entry : directory) {
        if (entry.value.size() <= 4)
            continue;
        writer.raw(entry.value.data(), entry.value.size());
        file.resize((file.size() + 1) / 2 * 2);
    }
    return start;
}

void putLong(ByteVector &file, std::size_t offset, std::uint32_t value, std::endian order) {
    ByteVector bytes;
    ByteWriter(bytes, order).u32(value);
    std::ranges::copy(bytes, file.begin() + std::ptrdiff_t(offset));
}

// Appends everything behind `file`, whose own first directory holds `entries`, and makes the new one the first.
void appendExif(ByteVector &file, std::endian order, Directory entries, const Exif &exif) {
    const auto pointer = [&](std::uint16_t tag, const Directory &directory) {
        if (directory.empty())
            return;
        Entry entry{tag, longType, 1, {}};
        ByteWriter(entry.value, order).u32(append(file, order, directory));
        entries.push_back(std::move(entry));
    };
    pointer(exposurePointer, exif.exposure);
    pointer(placePointer, exif.place);
    entries.insert(entries.end(), exif.camera.begin(), exif.camera.end());
    std::ranges::sort(entries, {}, &Entry::tag);
    putLong(file, 4, append(file, order, entries), order);
}

} // namespace

std::vector<std::uint8_t> exifFromTiff(Bytes tiff) {
    const auto order = classicOrder(tiff);
    if (!order)
        return {};
    const Exif exif = readExif(tiff, *order);
    if (exif.empty())
        return {};
    ByteVector block;
    ByteWriter writer(block, *order);
    writer.text(*order == std::endian::little ? "II" : "MM");
    writer.u16(42);
    writer.u32(0);
    appendExif(block, *order, {}, exif);
    const auto *first = reinterpret_cast<const std::uint8_t *>(block.data());
    return {first, first + block.size()};
}

void addExifToTiff(ByteVector &tiff, std::span<const std::uint8_t> exif) {
    constexpr std::size_t largest = 0xff00'0000u; // offsets have 32 bits
    const auto order = classicOrder(tiff);
    if (!order || classicOrder(std::as_bytes(exif)) != order || tiff.size() + 2 * exif.size() > largest)
        return;
    const Exif content = readExif(std::as_bytes(exif), *order);
    if (content.empty())
        return;
    const ByteReader reader(tiff, *order);
    Directory own = readDirectory(reader, reader.u32(4).value_or(0), true);
    std::erase_if(own, [](const Entry &entry) {
        return std::ranges::find(cameraTags, entry.tag) != cameraTags.end(); // the camera's own come instead
    });
    appendExif(tiff, *order, std::move(own), content);
}

} // namespace tessera::codecs
