// OpenEXR. Source: "The OpenEXR File Layout" of the OpenEXR documentation.
#include "app/image/codecs/alpha.h"
#include "app/image/codecs/byte_reader.h"
#include "app/image/codecs/opencv_bridge.h"
#include "app/image/codecs/opencv_codec.h"

#include <cstring>
#include <set>

namespace tessera::codecs {

namespace {

constexpr const char *remedy = "save it as a flat, single-part OpenEXR with the channels R, G, B, A or Y";

struct ExrHeader {
    std::set<std::string_view> channels;
    bool integers = false;
    bool subsampled = false;
    int compression = -1;
    unsigned pixelBytes = 0; // as stored
    std::int64_t width = 0, height = 0;
};

// By the compression's number; 0 where nothing bounds it.
std::uint64_t leastBytes(const ExrHeader &header) {
    const std::uint64_t raw = saturatingProduct(saturatingProduct(std::uint64_t(header.width), header.pixelBytes),
                                                std::uint64_t(header.height));
    switch (header.compression) {
    case 0:
        return raw;
    case 1: // run lengths: 128 bytes of two
        return raw / 64;
    case 2: // Deflate, a line or sixteen at once
    case 3:
        return raw / mostOfDeflate;
    default: { // a table says where each block of up to 256 lines begins
        constexpr std::uint64_t mostLines = 256, entry = 8;
        return std::uint64_t(header.height) / mostLines * entry;
    }
    }
}

class ExrReader {
public:
    explicit ExrReader(const Source &source) : source_(source), reader_(source.bytes, std::endian::little) {}

    ExrHeader read() {
        constexpr std::uint32_t deepOrParts = 0x1800;
        if (reader_.u32(4).value_or(0) & deepOrParts)
            failInput(source_, "it is an OpenEXR picture with depth samples or several parts, which cannot be read",
                      remedy);
        offset_ = 8;
        ExrHeader header;
        for (std::string_view name = text(); !name.empty(); name = text()) {
            const std::string_view type = text();
            const auto size = reader_.u32(offset_);
            if (!size || !reader_.has(offset_ + 4, *size))
                failCut();
            offset_ += 4;
            if (name == "channels" && type == "chlist")
                takeChannels(offset_ + *size, header);
            else if (name == "compression" && type == "compression" && *size == 1)
                header.compression = *reader_.u8(offset_);
            else if (name == "dataWindow" && type == "box2i" && *size == 16)
                takeWindow(header);
            offset_ += name == "channels" ? 0 : *size;
        }
        return header;
    }

private:
    [[noreturn]] void failCut() const { failTruncated(source_, "an OpenEXR picture that ends within its header"); }
    std::string_view text() {
        const auto *first = reinterpret_cast<const char *>(source_.bytes.data()) + offset_;
        const std::size_t left = source_.bytes.size() - std::min(source_.bytes.size(), offset_);
        const void *end = left > 0 ? std::memchr(first, 0, left) : nullptr;
        if (!end)
            failCut();
        const std::string_view value(first, std::size_t(static_cast<const char *>(end) - first));
        offset_ += value.size() + 1;
        return value;
    }
    void takeChannels(std::size_t end, ExrHeader &header) {
        while (offset_ < end) {
            const std::string_view name = text();
            if (name.empty())
                break;
            if (!reader_.has(offset_, 16))
                failCut();
            header.integers |= *reader_.u32(offset_) == 0; // UINT; 1 is HALF, 2 is FLOAT
            header.pixelBytes += *reader_.u32(offset_) == 1 ? 2 : 4;
            header.subsampled |= *reader_.u32(offset_ + 8) != 1 || *reader_.u32(offset_ + 12) != 1;
            header.channels.insert(name);
            offset_ += 16;
        }
        offset_ = end;
    }
    void takeWindow(ExrHeader &header) const {
        const auto at = [this](std::size_t i) { return std::int64_t(std::int32_t(*reader_.u32(offset_ + 4 * i))); };
        header.width = at(2) - at(0) + 1;
        header.height = at(3) - at(1) + 1;
    }

    const Source &source_;
    ByteReader reader_;
    std::size_t offset_ = 0;
};

int channelsOf(const Source &source, const ExrHeader &header) {
    const auto has = [&](std::string_view name) { return header.channels.contains(name); };
    const bool colour = has("R") && has("G") && has("B");
    const std::size_t known = colour ? 3 + std::size_t(has("A")) : 1;
    if ((!colour && !has("Y")) || header.channels.size() != known || header.integers || header.subsampled)
        failInput(source, "it is an OpenEXR picture with channels that cannot be read", remedy);
    return int(known);
}

// OpenCV has no type for grey with alpha.
Image greyAsColour(const Image &image) {
    Image colour(image.width(), image.height(), {Depth::F32, 4});
    for (int y = 0; y < image.height(); ++y) {
        const float *from = image.view().row<float>(y);
        float *to = colour.view().row<float>(y);
        for (int x = 0; x < image.width(); ++x, from += 2, to += 4) {
            to[0] = to[1] = to[2] = from[0];
            to[3] = from[1];
        }
    }
    return colour;
}

} // namespace

std::optional<Header> ExrLoader::readHeader(const Source &source) const {
    if (!startsWith(source.bytes, "\x76\x2f\x31\x01") || !opencvCodecsPresent())
        return std::nullopt;
    const ExrHeader header = ExrReader(source).read();
    const int channels = channelsOf(source, header);
    Header result{makeInfo(source, std::uint64_t(std::max<std::int64_t>(header.width, 0)),
                           std::uint64_t(std::max<std::int64_t>(header.height, 0)), {Depth::F32, channels}, "exr"),
                  1};
    result.leastBytes = leastBytes(header);
    result.workBytes = imageBytes(result.info.width, result.info.height, result.info.format); // OpenCV's own
    return result;
}

Image ExrLoader::decode(const Source &source, const Header &header) const {
    Image image = opencvDecode(source, header);
    if (image.format().hasAlpha())
        unpremultiply(image.view());
    return image;
}

ByteVector encodeExr(const Image &image, const SaveOptions &options) {
    if (!image.format().hasAlpha())
        return opencvEncode(image, "exr", options.quality);
    Image stored = image.format().channels == 2 ? greyAsColour(image) : image.clone();
    premultiply(stored.view());
    return opencvEncode(stored, "exr", options.quality);
}

} // namespace tessera::codecs
