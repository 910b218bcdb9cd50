#include "app/image/codecs/pnm_read.h"

#include "app/image/codecs/byte_reader.h"
#include "app/image/codecs/pnm_header.h"
#include "app/image/codecs/rows.h"

#include <array>
#include <bit>
#include <cstring>

namespace tessera::codecs {

namespace {

std::uint64_t storedRowBytes(const PnmHeader &header) {
    const auto width = std::uint64_t(header.info.width);
    if (header.coding == PnmCoding::PackedBits)
        return (width + 7) / 8;
    return width * std::uint64_t(header.info.format.channels) * std::uint64_t(bytesPerSample(header.info.format.depth));
}

// Bytes that the raster needs at least: in ASCII a sample takes one digit, and a space except after the last one.
std::uint64_t smallestRaster(const PnmHeader &header) {
    const auto width = std::uint64_t(header.info.width), height = std::uint64_t(header.info.height);
    if (header.coding == PnmCoding::AsciiBits)
        return width * height; // below 2^62
    if (header.coding == PnmCoding::AsciiNumbers)
        return saturatingProduct(width * height, 2 * std::uint64_t(header.info.format.channels)) - 1;
    return saturatingProduct(storedRowBytes(header), height);
}

// A stored value on the full range: 1023 of 1023 is 65535.
class Scale {
public:
    explicit Scale(const PnmHeader &header)
        : maximum_(header.maximum), full_(header.info.format.depth == Depth::U8 ? 255 : 65535) {}
    bool trivial() const { return maximum_ == full_; }
    unsigned operator()(const Source &source, unsigned value) const {
        if (value > maximum_)
            failDamaged(source, "a value of " + std::to_string(value) + " is above the stated largest, " +
                                    std::to_string(maximum_));
        return (value * full_ + maximum_ / 2) / maximum_;
    }

private:
    unsigned maximum_, full_;
};

template <class T>
void readAsciiRow(PnmCursor &cursor, const Source &source, const Scale &scale, T *row, std::ptrdiff_t n) {
    for (std::ptrdiff_t i = 0; i < n; ++i)
        row[i] = static_cast<T>(scale(source, cursor.number()));
}

void unpackBits(const std::byte *from, std::uint8_t *row, int width) {
    for (int x = 0; x < width; ++x) // a set bit is black
        row[x] = (std::to_integer<unsigned>(from[x / 8]) >> (7 - x % 8)) & 1u ? 0 : 255;
}

void copyBytes(const std::byte *from, std::uint8_t *row, std::ptrdiff_t samples, const Source &source,
               const Scale &scale) {
    if (scale.trivial()) {
        std::memcpy(row, from, std::size_t(samples));
        return;
    }
    for (std::ptrdiff_t i = 0; i < samples; ++i)
        row[i] = static_cast<std::uint8_t>(scale(source, std::to_integer<unsigned>(from[i])));
}

void copyWords(const std::byte *from, std::uint16_t *row, std::ptrdiff_t samples, const Source &source,
               const Scale &scale) {
    for (std::ptrdiff_t i = 0; i < samples; ++i) {
        const unsigned value = std::to_integer<unsigned>(from[2 * i]) << 8 | std::to_integer<unsigned>(from[2 * i + 1]);
        row[i] = static_cast<std::uint16_t>(scale.trivial() ? value : scale(source, value));
    }
}

void copyFloats(const std::byte *from, std::byte *row, std::ptrdiff_t samples, bool littleEndian) {
    std::memcpy(row, from, std::size_t(samples) * 4);
    if (littleEndian == (std::endian::native == std::endian::little))
        return;
    for (std::byte *p = row; p < row + samples * 4; p += 4) {
        std::swap(p[0], p[3]);
        std::swap(p[1], p[2]);
    }
}

void readAscii(const Source &source, const PnmHeader &header, const PixelView &view) {
    PnmCursor cursor(source, header.rasterOffset - 1);
    const Scale scale(header);
    const std::ptrdiff_t samples = std::ptrdiff_t(view.width) * view.format.channels;
    for (int y = 0; y < view.height; ++y) {
        if (header.coding == PnmCoding::AsciiBits)
            for (std::ptrdiff_t x = 0; x < samples; ++x)
                view.row<std::uint8_t>(y)[x] = cursor.bit() ? 0 : 255;
        else if (view.format.depth == Depth::U8)
            readAsciiRow(cursor, source, scale, view.row<std::uint8_t>(y), samples);
        else
            readAsciiRow(cursor, source, scale, view.row<std::uint16_t>(y), samples);
    }
    refuseAnotherPicture(source, source.bytes.subspan(cursor.offset()));
}

// As many rows as `view` has, stored from `from` on.
void readBinary(const Source &source, const PnmHeader &header, const std::byte *from, const PixelView &view) {
    const Scale scale(header);
    const std::ptrdiff_t samples = std::ptrdiff_t(view.width) * view.format.channels;
    const auto rowBytes = std::ptrdiff_t(storedRowBytes(header));
    for (int y = 0; y < view.height; ++y, from += rowBytes) {
        if (header.coding == PnmCoding::Float)
            copyFloats(from, view.row<std::byte>(view.height - 1 - y), samples,
                       header.littleEndian); // bottom row first
        else if (header.coding == PnmCoding::PackedBits)
            unpackBits(from, view.row<std::uint8_t>(y), view.width);
        else if (view.format.depth == Depth::U8)
            copyBytes(from, view.row<std::uint8_t>(y), samples, source, scale);
        else
            copyWords(from, view.row<std::uint16_t>(y), samples, source, scale);
    }
}

Header headerOf(const PnmHeader &header) { return {header.info, 1, header.rasterOffset, smallestRaster(header)}; }

} // namespace

std::optional<Header> PnmLoader::readHeader(const Source &source) const {
    const auto header = readPnmHeader(source);
    if (!header)
        return std::nullopt;
    return headerOf(*header);
}

Image PnmLoader::decode(const Source &source, const Header &) const {
    const PnmHeader header = *readPnmHeader(source);
    Image image(header.info.width, header.info.height, header.info.format);
    if (header.coding == PnmCoding::AsciiBits || header.coding == PnmCoding::AsciiNumbers)
        readAscii(source, header, image.view());
    else {
        readBinary(source, header, source.bytes.data() + header.rasterOffset, image.view());
        refuseAnotherPicture(source, source.bytes.subspan(header.rasterOffset + smallestRaster(header)));
    }
    return image;
}

namespace {

class PnmRows : public RowReader {
public:
    PnmRows(std::shared_ptr<const RowFile> file, const PnmHeader &header) : file_(std::move(file)), header_(header) {
        metadata_.sourceFormat = header.info.fileFormat;
    }
    const ImageInfo &info() const override { return header_.info; }
    const ImageMetadata &metadata() const override { return metadata_; }
    void readRows(const PixelView &target) override {
        const std::uint64_t rowBytes = storedRowBytes(header_);
        stored_.resize(std::size_t(rowBytes)); // a row at a time: it stays in the cache until it is converted
        for (int y = 0; y < target.height; ++y, ++row_) {
            file_->read(stored_.data(), stored_.size(), header_.rasterOffset + std::uint64_t(row_) * rowBytes);
            readBinary(file_->source(), header_, stored_.data(), target.part({0, y, target.width, 1}));
        }
    }

private:
    std::shared_ptr<const RowFile> file_;
    const PnmHeader header_;
    ImageMetadata metadata_;
    ByteVector stored_;
    std::int64_t row_ = 0;
};

} // namespace

StoredRows openPnmRows(std::shared_ptr<const RowFile> file) {
    const auto header = readPnmHeader(file->source());
    if (!header || (header->coding != PnmCoding::Binary && header->coding != PnmCoding::PackedBits))
        return {};
    requirePixels(file->source(), headerOf(*header), file->size());
    std::array<std::byte, 16> rest{};
    const std::size_t there = file->readSome(rest.data(), rest.size(), header->rasterOffset + smallestRaster(*header));
    refuseAnotherPicture(file->source(), std::span(rest).first(there));
    return {std::make_unique<PnmRows>(std::move(file), *header)};
}

} // namespace tessera::codecs
