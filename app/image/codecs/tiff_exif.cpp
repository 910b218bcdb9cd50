#include "app/image/codecs/tiff_exif.h"

#include "app/image/codecs/byte_reader.h"
#include "app/image/codecs/tiff_description.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>

namespace tessera::codecs {

namespace {

constexpr std::uint16_t exposurePointer = 34665, placePointer = 34853, interoperabilityPointer = 40965;
constexpr std::uint16_t longType = 4;

// Of the first directory: description, make, model, software, date, artist, copyright.
constexpr std::uint16_t descriptionTag = 270;
constexpr std::array<std::uint16_t, 7> cameraTags{descriptionTag, 271, 272, 305, 306, 315, 33432};

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

ReadAt readerOf(Bytes tiff) {
    return [tiff](std::uint64_t offset, std::byte *target, std::size_t count) {
        const bool there = offset <= tiff.size() && count <= tiff.size() - offset;
        if (there && count > 0)
            std::memcpy(target, tiff.data() + offset, count);
        return there;
    };
}

std::optional<ByteVector> bytesAt(const ReadAt &tiff, std::uint64_t offset, std::size_t count) {
    ByteVector bytes(count);
    return tiff(offset, bytes.data(), count) ? std::optional(std::move(bytes)) : std::nullopt;
}

std::optional<std::endian> classicOrder(const ReadAt &tiff) {
    const auto magic = bytesAt(tiff, 0, 4);
    if (magic && startsWith(*magic, std::string_view("II*\0", 4)))
        return std::endian::little;
    if (magic && startsWith(*magic, std::string_view("MM\0*", 4)))
        return std::endian::big;
    return std::nullopt;
}

// `inPlace`: entries keep their four bytes as they stand, offsets included.
Directory readDirectory(const ReadAt &tiff, std::endian order, std::uint64_t offset, bool inPlace) {
    constexpr std::uint64_t longestValue = 1 << 20;
    Directory directory;
    const auto count = bytesAt(tiff, offset, 2);
    const std::uint16_t entries = count ? *ByteReader(*count, order).u16(0) : std::uint16_t(0);
    const auto table = bytesAt(tiff, offset + 2, std::size_t(entries) * 12);
    if (!table)
        return directory;
    const ByteReader reader(*table, order);
    for (std::uint32_t place = 0; place < table->size(); place += 12) {
        Entry entry{*reader.u16(place), *reader.u16(place + 2), *reader.u32(place + 4), {}};
        const std::uint64_t size = std::uint64_t(entry.count) * sizeOfType(entry.type);
        if (inPlace || size <= 4) {
            const Bytes value = reader.part(place + 8, inPlace ? 4 : std::size_t(size));
            entry.value.assign(value.begin(), value.end());
        } else if (size <= longestValue) {
            entry.value = bytesAt(tiff, *reader.u32(place + 8), std::size_t(size)).value_or(ByteVector());
        }
        if (!entry.value.empty())
            directory.push_back(std::move(entry));
    }
    return directory;
}

std::uint32_t firstDirectoryOf(const ReadAt &tiff, std::endian order) {
    const auto offset = bytesAt(tiff, firstDirectoryOffset, 4);
    return offset ? *ByteReader(*offset, order).u32(0) : 0;
}

std::uint32_t pointerIn(const Directory &directory, std::endian order, std::uint16_t tag) {
    const auto entry = std::ranges::find(directory, tag, &Entry::tag);
    if (entry == directory.end() || entry->type != longType || entry->value.size() != 4)
        return 0;
    return ByteReader(entry->value, order).u32(0).value_or(0);
}

// What is carried: the camera's tags and the two directories.
struct Exif {
    Directory camera, exposure, place;
    bool empty() const { return camera.empty() && exposure.empty() && place.empty(); }
};

bool isCameraTag(const Entry &entry) { return std::ranges::find(cameraTags, entry.tag) != cameraTags.end(); }

// What was true of the file that it comes from only.
bool isStructure(const Entry &entry) {
    return entry.tag == descriptionTag &&
           describesStructure({reinterpret_cast<const char *>(entry.value.data()), entry.value.size()});
}

Exif readExif(const ReadAt &tiff, std::endian order) {
    const Directory first = readDirectory(tiff, order, firstDirectoryOf(tiff, order), false);
    Exif exif;
    std::ranges::copy_if(first, std::back_inserter(exif.camera),
                         [](const Entry &entry) { return isCameraTag(entry) && !isStructure(entry); });
    if (const std::uint32_t offset = pointerIn(first, order, exposurePointer))
        exif.exposure = readDirectory(tiff, order, offset, false);
    if (const std::uint32_t offset = pointerIn(first, order, placePointer))
        exif.place = readDirectory(tiff, order, offset, false);
    std::erase_if(exif.exposure, [](const Entry &entry) { return entry.tag == interoperabilityPointer; });
    return exif;
}

// What is appended behind `start` bytes, an even number of them.
struct Tail {
    ByteVector bytes;
    std::uint32_t start = 0;
};

void makeEven(ByteVector &bytes) { bytes.resize((bytes.size() + 1) / 2 * 2); }

// Appends a directory and its longer values; returns where it starts.
std::uint32_t append(Tail &tail, std::endian order, const Directory &directory) {
    makeEven(tail.bytes);
    const auto start = std::uint32_t(tail.start + tail.bytes.size());
    ByteWriter writer(tail.bytes, order);
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
            tail.bytes.resize(tail.bytes.size() + 4 - entry.value.size());
        }
    }
    writer.u32(0); // no further directory
    for (const Entry &entry : directory) {
        if (entry.value.size() <= 4)
            continue;
        writer.raw(entry.value.data(), entry.value.size());
        makeEven(tail.bytes);
    }
    return start;
}

// Appends everything, and to it the new first directory, which holds `entries` too; returns where that starts.
std::uint32_t appendExif(Tail &tail, std::endian order, Directory entries, const Exif &exif) {
    const auto pointer = [&](std::uint16_t tag, const Directory &directory) {
        if (directory.empty())
            return;
        Entry entry{tag, longType, 1, {}};
        ByteWriter(entry.value, order).u32(append(tail, order, directory));
        entries.push_back(std::move(entry));
    };
    pointer(exposurePointer, exif.exposure);
    pointer(placePointer, exif.place);
    entries.insert(entries.end(), exif.camera.begin(), exif.camera.end());
    std::ranges::sort(entries, {}, &Entry::tag);
    return append(tail, order, entries);
}

} // namespace

std::vector<std::uint8_t> exifFromTiff(const ReadAt &tiff) {
    const auto order = classicOrder(tiff);
    if (!order)
        return {};
    const Exif exif = readExif(tiff, *order);
    if (exif.empty())
        return {};
    constexpr std::uint32_t headerBytes = 8;
    Tail tail{{}, headerBytes};
    const std::uint32_t first = appendExif(tail, *order, {}, exif);
    ByteVector block;
    ByteWriter writer(block, *order);
    writer.text(*order == std::endian::little ? "II" : "MM");
    writer.u16(42);
    writer.u32(first);
    writer.raw(tail.bytes.data(), tail.bytes.size());
    const auto *bytes = reinterpret_cast<const std::uint8_t *>(block.data());
    return {bytes, bytes + block.size()};
}

std::vector<std::uint8_t> exifFromTiff(Bytes tiff) { return exifFromTiff(readerOf(tiff)); }

ExifAddition exifForTiff(const ReadAt &tiff, std::uint64_t size, std::span<const std::uint8_t> exif) {
    constexpr std::uint64_t largest = 0xff00'0000u; // offsets have 32 bits
    const auto order = classicOrder(tiff);
    const ReadAt block = readerOf(std::as_bytes(exif));
    if (!order || classicOrder(block) != order || size + 2 * exif.size() > largest)
        return {};
    const Exif content = readExif(block, *order);
    if (content.empty())
        return {};
    Directory own = readDirectory(tiff, *order, firstDirectoryOf(tiff, *order), true);
    std::erase_if(own, isCameraTag); // the camera's own come instead
    ByteVector padding(size % 2);
    Tail tail{{}, std::uint32_t(size + padding.size())};
    const std::uint32_t first = appendExif(tail, *order, std::move(own), content);
    ExifAddition addition{std::move(padding), {}};
    addition.tail.insert(addition.tail.end(), tail.bytes.begin(), tail.bytes.end());
    ByteWriter(addition.firstDirectory, *order).u32(first);
    return addition;
}

void addExifToTiff(ByteVector &tiff, std::span<const std::uint8_t> exif) {
    const ExifAddition addition = exifForTiff(readerOf(tiff), tiff.size(), exif);
    tiff.insert(tiff.end(), addition.tail.begin(), addition.tail.end());
    std::ranges::copy(addition.firstDirectory, tiff.begin() + firstDirectoryOffset);
}

} // namespace tessera::codecs
