#include "app/image/image_io.h"

#include "app/image/codecs/codec.h"
#include "app/image/codecs/content.h"
#include "app/image/display_name.h"
#include "app/image/exif.h"
#include "app/image/file_read.h"
#include "app/image/load_limits.h"
#include "app/image/memory_limit.h"
#include "app/image/orientation.h"

#include <algorithm>
#include <fstream>
#include <limits>

namespace tessera {

namespace {

using codecs::Header;
using codecs::Loader;
using codecs::Source;

std::uint64_t maximumBytes(const LoadLimits &limits) {
    constexpr std::uint64_t arithmetic = std::uint64_t(1) << 56; // sizes below never overflow, whatever is asked for
    return std::min(arithmetic, limits.maximumBytes > 0 ? limits.maximumBytes : usableMemory() / 4 * 3);
}

struct Recognised {
    const Loader *loader;
    Header header;
};

Recognised recognise(const Source &source) {
    if (source.bytes.empty())
        codecs::failInput(source, "the file is empty", "copy or download it again");
    for (const Loader *loader : codecs::loaders())
        if (std::optional<Header> header = loader->readHeader(source))
            return {loader, std::move(*header)};
    codecs::failUnreadable(source);
}

// Every format is known by its beginning: where no loader takes that for its own, the rest need not be read.
void requireKnownHead(const Source &head) {
    try {
        for (const Loader *loader : codecs::loaders())
            if (loader->readHeader(head))
                return;
    } catch (const Error &) {
        return; // one has, and wants more
    }
    codecs::failUnreadable(head);
}

std::string sizeOf(const ImageInfo &info) { return std::to_string(info.width) + "x" + std::to_string(info.height); }

std::uint64_t pixelsOf(const ImageInfo &info) { // below 2^62
    return std::uint64_t(info.width) * std::uint64_t(info.height);
}

// `fileBytes`: what the file takes, where that has not passed the limit yet.
void checkLimits(const Source &source, const Header &header, const LoadLimits &limits, std::uint64_t fileBytes = 0) {
    const ImageInfo &info = header.info;
    checkPixelLimit(source.name, info, limits);
    const std::uint64_t picture = imageBytes(info.width, info.height, info.format);
    const std::uint64_t limit = maximumBytes(limits);
    const auto refuse = [&](std::uint64_t bytes, const std::string &when, std::uint64_t over) {
        const std::string needed = memorySizeText(bytes);
        throw Error(ErrorKind::Limit,
                    std::string(source.name) + ": " + sizeOf(info) + " needs " + needed + " of memory " + when +
                        ", over the limit of " + memorySizeText(over),
                    "raise --max-memory to " + needed + ", or use a machine with more memory");
    };
    if (picture > limit)
        refuse(std::max(picture, fileBytes), "decoded", limit);
    // What decoding takes besides is held against the machine: --max-memory tells of the picture alone.
    const std::uint64_t peak = picture + header.workBytes + (header.orientation > 1 ? picture : 0); // below 2^60
    const std::uint64_t most = std::max(limit, maximumBytes({}));
    if (peak > most)
        refuse(peak, "while it is decoded", most);
}

// Whatever a decoder cannot get is told with the file's name.
Image decodeNamed(const Source &source, const Recognised &found) {
    const auto fail = [&](const std::string &why) -> Error {
        return Error(ErrorKind::Limit, std::string(source.name) + ": " + why,
                     "close other programs, or use a smaller picture or a machine with more memory");
    };
    const ImageInfo &info = found.header.info;
    try {
        Image image = found.loader->decode(source, found.header);
        if (image.width() != info.width || image.height() != info.height || image.format() != info.format)
            codecs::failDamaged(source, "its header and its content disagree");
        return applyOrientation(std::move(image), found.header.orientation);
    } catch (const std::bad_alloc &) {
        throw fail("there is not enough memory to decode " + sizeOf(info));
    } catch (const Error &problem) {
        if (problem.kind() != ErrorKind::Limit || std::string_view(problem.what()).starts_with(source.name))
            throw;
        throw fail(problem.what());
    }
}

} // namespace

std::string narrowingNote(std::string_view narrowed) {
    return "its " + std::string(narrowed) + " were read as 32-bit ones";
}

void checkPixelLimit(std::string_view name, const ImageInfo &info, const LoadLimits &limits) {
    if (pixelsOf(info) > limits.maximumPixels)
        throw Error(ErrorKind::Limit,
                    std::string(name) + ": " + sizeOf(info) + " is " + std::to_string(pixelsOf(info)) +
                        " pixels, over the limit of " + std::to_string(limits.maximumPixels),
                    "raise --max-pixels if the picture is meant to be that large");
}

Image decodeImage(std::span<const std::byte> file, std::string_view name, const LoadLimits &limits) {
    const std::string shown = displayText(name);
    const Source source{file, shown};
    const Recognised found = recognise(source);
    const ImageInfo &info = found.header.info;
    codecs::requirePixels(source, found.header, file.size());
    checkLimits(source, found.header, limits);
    Image image = decodeNamed(source, found);
    resetExif(image.metadata.exif);
    image.metadata.sourceFormat = info.fileFormat;
    image.metadata.narrowed = info.narrowed;
    return image;
}

namespace {

ImageInfo uprightInfo(const Source &source, std::uint64_t fileLength) {
    Header header = recognise(source).header;
    codecs::requirePixels(source, header, fileLength);
    if (orientationSwapsSides(header.orientation))
        std::swap(header.info.width, header.info.height);
    return header.info;
}

} // namespace

ImageInfo probeImage(std::span<const std::byte> file, std::string_view name) {
    const std::string shown = displayText(name);
    return uprightInfo({file, shown}, file.size());
}

ImageInfo probeImageHead(std::span<const std::byte> head, std::string_view name, std::uint64_t fileLength) {
    const std::string shown = displayText(name);
    return uprightInfo({head, shown, true, fileLength}, fileLength);
}

void refuseUnknownHead(std::span<const std::byte> head, std::string_view name) {
    const std::string shown = displayText(name);
    requireKnownHead({head, shown, true});
}

namespace {

// Of a large file the limits are checked by its head: reading all of it takes a while, and where its length alone is
// over the limit, the picture may need still more, which is what has to be told.
void checkDecodedLimits(const std::filesystem::path &path, const LoadLimits &limits) {
    std::error_code error;
    const std::uint64_t length = std::filesystem::file_size(path, error);
    constexpr std::uint64_t large = std::uint64_t(1) << 26;
    if (error || length <= std::min(maximumBytes(limits), large))
        return;
    std::vector<std::byte> head(std::size_t(std::min<std::uint64_t>(length, std::uint64_t(1) << 18)));
    std::ifstream stream(path, std::ios::binary);
    stream.read(reinterpret_cast<char *>(head.data()), std::streamsize(head.size()));
    const std::string shown = displayText(path.native());
    const Source source{head, shown, true};
    if (length > large)
        requireKnownHead(source);
    std::optional<Recognised> found;
    try {
        found = recognise(source);
    } catch (const Error &) {
        return; // its length alone is told
    }
    codecs::requirePixels(source, found->header, length);
    checkLimits(source, found->header, limits, length);
}

} // namespace

Image loadImage(const std::filesystem::path &path, const LoadLimits &limits) {
    checkDecodedLimits(path, limits);
    const std::vector<std::byte> content = readWholeFile(path, maximumBytes(limits));
    return decodeImage(content, path.native(), limits);
}

} // namespace tessera
