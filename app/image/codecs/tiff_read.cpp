#include "app/image/codecs/alpha.h"
#include "app/image/codecs/byte_reader.h"
#include "app/image/codecs/cmyk.h"
#include "app/image/codecs/rows.h"
#include "app/image/codecs/tiff_codec.h"
#include "app/image/codecs/tiff_exif.h"
#include "app/image/codecs/tiff_samples.h"
#include "app/image/exif.h"

#include <algorithm>

namespace tessera::codecs {

namespace {

using Colour = TiffLayout::Colour;

bool isTiff(Bytes bytes) {
    for (const std::string_view magic : {std::string_view("II*\0", 4), std::string_view("MM\0*", 4),
                                         std::string_view("II+\0", 4), std::string_view("MM\0+", 4)})
        if (startsWith(bytes, magic))
            return true;
    return false;
}

class TiffPixels {
public:
    TiffPixels(const Source &source, TiffFile &file, const TiffLayout &layout, const PixelView &target)
        : source_(source), file_(file), layout_(layout), target_(target) {}

    void read() {
        if (TIFFIsTiled(file_.handle()))
            readTiles();
        else
            readStrips();
        if (!file_.failure().empty())
            fail();
    }

    // Rows of a whole number of strips or of rows of tiles from `y` on, to the top of the target: the samples side by
    // side, as the caller has made sure.
    void readBlockRow(int y, int rows) {
        if (TIFFIsTiled(file_.handle()))
            readTileRow(0, y, y, rows);
        else
            readStrip(makeStripBuffer(), y, rows, 0, y);
        if (!file_.failure().empty())
            fail();
    }

private:
    [[noreturn]] void fail() const {
        failDamaged(source_, "TIFF: " + (file_.failure().empty() ? "its pixels cannot be decoded" : file_.failure()));
    }
    int planes() const { return layout_.planes ? layout_.samples : 1; }

    // A hostile header may ask for blocks far larger than the picture.
    std::vector<std::byte> makeBuffer(std::uint64_t size) const {
        constexpr std::uint64_t always = 64 << 20;
        const auto picture = std::uint64_t(target_.pitch) * std::uint64_t(target_.height);
        if (size == 0 || size > std::max(always, 8 * picture))
            failDamaged(source_, "the TIFF's blocks are larger than the picture");
        return std::vector<std::byte>(size);
    }

    std::vector<std::byte> &makeStripBuffer() {
        if (block_.empty())
            block_ = makeBuffer(TIFFStripSize64(file_.handle()));
        return block_;
    }

    // libtiff takes what follows in the file for an uncompressed block that states too few bytes, or none, wherever it
    // reads such blocks without a buffer of its own.
    void requireStored(std::uint32_t number, tmsize_t wanted) const {
        if (tiffField<std::uint16_t>(file_, TIFFTAG_COMPRESSION, std::uint16_t(COMPRESSION_NONE)) != COMPRESSION_NONE)
            return;
        const std::uint64_t stored = TIFFGetStrileByteCount(file_.handle(), number);
        if (stored < std::uint64_t(wanted) || TIFFGetStrileOffset(file_.handle(), number) == 0)
            failDamaged(source_, "TIFF: block " + std::to_string(number) + " holds " + std::to_string(stored) + " of " +
                                     std::to_string(wanted) + " bytes");
    }

    // The strip that begins at row `y` of the file, to row y - origin of the target.
    void readStrip(std::vector<std::byte> &strip, int y, int rows, int plane, int origin) {
        TIFF *tiff = file_.handle();
        const tmsize_t rowBytes = TIFFScanlineSize(tiff);
        const tmsize_t wanted = rows * rowBytes;
        const std::uint32_t number = TIFFComputeStrip(tiff, std::uint32_t(y), std::uint16_t(plane));
        if (rowBytes < 1 || wanted > tmsize_t(strip.size()))
            fail();
        requireStored(number, wanted);
        if (TIFFReadEncodedStrip(tiff, number, strip.data(), wanted) != wanted)
            fail();
        place(strip.data(), rowBytes, {0, y - origin, target_.width, rows}, plane);
    }

    void readStrips() {
        const int end = target_.height;
        const auto rowsPerStrip = int(std::min<std::uint32_t>(tiffField<std::uint32_t>(file_, TIFFTAG_ROWSPERSTRIP, 1),
                                                              unsigned(target_.height)));
        if (rowsPerStrip < 1)
            fail();
        std::vector<std::byte> &strip = makeStripBuffer();
        for (int plane = 0; plane < planes(); ++plane)
            for (int y = 0; y < end; y += rowsPerStrip)
                readStrip(strip, y, std::min(rowsPerStrip, end - y), plane, 0);
    }

    void readTiles() {
        const auto height = tiffField<std::uint32_t>(file_, TIFFTAG_TILELENGTH);
        if (height < 1)
            fail();
        for (int plane = 0; plane < planes(); ++plane)
            for (std::int64_t y = 0; y < target_.height; y += height)
                readTileRow(plane, int(y), 0, int(std::min<std::int64_t>(height, target_.height - y)));
    }

    // The tiles that begin at row `y` of the file, `rows` of them used, to row y - origin of the target.
    void readTileRow(int plane, int y, int origin, int rows) {
        TIFF *tiff = file_.handle();
        const auto width = tiffField<std::uint32_t>(file_, TIFFTAG_TILEWIDTH);
        const tmsize_t rowBytes = TIFFTileRowSize(tiff);
        if (width < 1 || rowBytes < 1)
            fail();
        if (block_.empty())
            block_ = makeBuffer(TIFFTileSize64(tiff));
        for (std::int64_t x = 0; x < target_.width; x += width) {
            const std::uint32_t number =
                TIFFComputeTile(tiff, std::uint32_t(x), std::uint32_t(y), 0, std::uint16_t(plane));
            requireStored(number, tmsize_t(block_.size()));
            if (TIFFReadEncodedTile(tiff, number, block_.data(), tmsize_t(block_.size())) != tmsize_t(block_.size()))
                fail();
            place(block_.data(), rowBytes,
                  {int(x), y - origin, int(std::min<std::int64_t>(width, target_.width - x)), rows}, plane);
        }
    }

    // Puts a decoded block, whose rows are `rowBytes` apart, to its place.
    void place(const std::byte *block, tmsize_t rowBytes, const Rectangle &area, int plane) const {
        const int samples = layout_.samples;
        const std::ptrdiff_t count = std::ptrdiff_t(area.width) * (layout_.planes ? 1 : samples);
        const std::ptrdiff_t step = layout_.planes ? samples : 1;
        const std::ptrdiff_t first = std::ptrdiff_t(area.x) * samples + (layout_.planes ? plane : 0);
        for (int y = 0; y < area.height; ++y, block += rowBytes) {
            std::byte *row = target_.row<std::byte>(area.y + y) + first * bytesPerSample(layout_.sampleDepth);
            unpackTiffSamples(layout_, block, 0, count, row, step);
        }
    }

    const Source &source_;
    TiffFile &file_;
    const TiffLayout &layout_;
    const PixelView &target_;      // samples as stored: palette indices, inks
    std::vector<std::byte> block_; // a decoded strip or tile
};

template <class T> void invertRow(T *row, int width, int channels, T full) {
    for (int x = 0; x < width; ++x, row += channels)
        row[0] = static_cast<T>(full - row[0]);
}

void invertGrey(const PixelView &view) {
    for (int y = 0; y < view.height; ++y) {
        const int channels = view.format.channels;
        if (view.format.depth == Depth::U8)
            invertRow<std::uint8_t>(view.row<std::uint8_t>(y), view.width, channels, 255);
        if (view.format.depth == Depth::U16)
            invertRow<std::uint16_t>(view.row<std::uint16_t>(y), view.width, channels, 65535);
        // Floats have no fixed white to count from; their values stay.
    }
}

void lookUpPalette(const Source &source, TiffFile &file, const TiffLayout &layout, const ConstPixelView &indices,
                   const PixelView &target) {
    std::uint16_t *maps[3] = {};
    if (!TIFFGetField(file.handle(), TIFFTAG_COLORMAP, &maps[0], &maps[1], &maps[2]))
        failDamaged(source, "the TIFF has no palette");
    const std::size_t count = std::size_t(1) << layout.bits;
    const bool small = std::ranges::all_of(maps, [&](const std::uint16_t *map) {
        return std::all_of(map, map + count, [](std::uint16_t value) { return value < 256; });
    });
    for (int y = 0; y < target.height; ++y) {
        const auto *index = indices.row<std::uint8_t>(y);
        for (std::ptrdiff_t i = 0; i < std::ptrdiff_t(target.width) * 3; ++i) {
            const std::uint16_t value = maps[i % 3][index[i / 3]];
            if (target.format.depth == Depth::U16)
                target.row<std::uint16_t>(y)[i] = value;
            else
                target.row<std::uint8_t>(y)[i] = static_cast<std::uint8_t>(small ? value : value >> 8);
        }
    }
}

void convertInks(std::span<const std::uint8_t> profile, const ConstPixelView &inks, const PixelView &target) {
    const CmykConverter converter(profile, false);
    for (int y = 0; y < target.height; ++y)
        converter.convertRow(inks.row<std::uint8_t>(y), target.row<std::uint8_t>(y), target.width);
}

// libtiff's own conversion, for the rarer 8-bit colour spaces.
void readThroughLibrary(const Source &source, TiffFile &file, const PixelView &target) {
    std::vector<std::uint32_t> pixels(std::size_t(target.width) * std::size_t(target.height));
    if (!TIFFReadRGBAImageOriented(file.handle(), std::uint32_t(target.width), std::uint32_t(target.height),
                                   pixels.data(), tiffField<std::uint16_t>(file, TIFFTAG_ORIENTATION, 1), 1) ||
        !file.failure().empty())
        failDamaged(source, "TIFF: " + file.failure());
    const std::uint32_t *pixel = pixels.data();
    for (int y = 0; y < target.height; ++y) {
        auto *row = target.row<std::uint8_t>(y);
        for (int x = 0; x < target.width; ++x, ++pixel, row += 3) {
            row[0] = static_cast<std::uint8_t>(TIFFGetR(*pixel));
            row[1] = static_cast<std::uint8_t>(TIFFGetG(*pixel));
            row[2] = static_cast<std::uint8_t>(TIFFGetB(*pixel));
        }
    }
}

std::vector<std::uint8_t> profileOf(const TiffFile &file) {
    std::uint32_t size = 0;
    const std::uint8_t *data = nullptr;
    if (!TIFFGetField(file.handle(), TIFFTAG_ICCPROFILE, &size, &data))
        return {};
    return {data, data + size};
}

} // namespace

std::optional<Header> TiffLoader::readHeader(const Source &source) const {
    if (!isTiff(source.bytes))
        return std::nullopt;
    TiffFile file(source);
    return readTiffLayout(source, file).header;
}

Image TiffLoader::decode(const Source &source, const Header &) const {
    TiffFile file(source);
    const TiffLayout layout = readTiffLayout(source, file);
    const ImageInfo &info = layout.header.info;
    Image image(info.width, info.height, info.format);
    image.metadata.iccProfile = profileOf(file);
    image.metadata.exif = exifFromTiff(source.bytes);
    if (layout.colour == Colour::ThroughLibrary) {
        readThroughLibrary(source, file, image.view());
    } else if (layout.colour == Colour::Palette || layout.colour == Colour::Cmyk) {
        Image stored(info.width, info.height, {layout.sampleDepth, layout.samples});
        TiffPixels(source, file, layout, stored.view()).read();
        if (layout.colour == Colour::Palette) {
            lookUpPalette(source, file, layout, stored.view(), image.view());
        } else {
            convertInks(image.metadata.iccProfile, stored.view(), image.view());
            image.metadata.iccProfile.clear(); // it described the inks
        }
    } else {
        TiffPixels(source, file, layout, image.view()).read();
        if (layout.colour == Colour::InvertedGrey)
            invertGrey(image.view());
        if (layout.premultiplied)
            unpremultiply(image.view());
    }
    return image;
}

namespace {

// Rows of strips or tiles, one row of blocks at a time.
class TiffRows : public RowReader {
public:
    TiffRows(std::shared_ptr<const RowFile> file, std::unique_ptr<TiffFile> tiff, TiffLayout layout, int blockRows)
        : file_(std::move(file)), tiff_(std::move(tiff)), layout_(std::move(layout)), blockRows_(blockRows),
          block_(layout_.header.info.width, blockRows, layout_.header.info.format), blockView_(block_.view()),
          pixels_(file_->source(), *tiff_, layout_, blockView_) {
        metadata_.iccProfile = profileOf(*tiff_);
        metadata_.exif = exifFromTiff([this](std::uint64_t offset, std::byte *target, std::size_t count) {
            return offset <= file_->size() && count <= file_->size() - offset &&
                   (file_->read(target, count, offset), true);
        });
        resetExif(metadata_.exif);
        metadata_.sourceFormat = info().fileFormat;
    }
    const ImageInfo &info() const override { return layout_.header.info; }
    const ImageMetadata &metadata() const override { return metadata_; }
    void readRows(const PixelView &target) override {
        const std::size_t rowBytes = std::size_t(target.width) * std::size_t(target.format.bytesPerPixel());
        for (int y = 0; y < target.height; ++y, ++row_) {
            if (row_ % blockRows_ == 0)
                readBlocks();
            std::copy_n(block_.view().row<std::byte>(row_ % blockRows_), rowBytes, target.row<std::byte>(y));
        }
    }

private:
    void readBlocks() {
        const int rows = std::min(blockRows_, info().height - row_);
        pixels_.readBlockRow(row_, rows);
        const PixelView filled = block_.view().part({0, 0, info().width, rows});
        if (layout_.colour == Colour::InvertedGrey)
            invertGrey(filled);
        if (layout_.premultiplied)
            unpremultiply(filled);
    }

    std::shared_ptr<const RowFile> file_;
    std::unique_ptr<TiffFile> tiff_;
    const TiffLayout layout_;
    const int blockRows_;
    Image block_;
    const PixelView blockView_;
    TiffPixels pixels_;
    ImageMetadata metadata_;
    int row_ = 0;
};

} // namespace

StoredRows openTiffRows(std::shared_ptr<const RowFile> file) {
    if (!isTiff(file->source().bytes))
        return {};
    auto tiff = std::make_unique<TiffFile>(file->source(), file->handle());
    TiffLayout layout = readTiffLayout(file->source(), *tiff);
    const ImageInfo &info = layout.header.info;
    const bool plain =
        layout.colour == Colour::Grey || layout.colour == Colour::InvertedGrey || layout.colour == Colour::Rgb;
    if (!plain || layout.planes)
        return {};
    const auto blockRows = tiffField<std::uint32_t>(
        *tiff, TIFFIsTiled(tiff->handle()) ? std::uint32_t(TIFFTAG_TILELENGTH) : std::uint32_t(TIFFTAG_ROWSPERSTRIP),
        1);
    constexpr std::uint64_t largestBlocks = 64 << 20;
    const auto rowBytes = std::uint64_t(info.width) * std::uint64_t(info.format.bytesPerPixel());
    const auto rows = std::uint64_t(std::min<std::uint32_t>(blockRows, unsigned(info.height)));
    if (rows < 1 || rows * rowBytes > largestBlocks)
        return {}; // a single strip, as some programs write: nothing is won
    const int orientation = layout.header.orientation;
    return {std::make_unique<TiffRows>(std::move(file), std::move(tiff), std::move(layout), int(rows)), orientation};
}

std::optional<ImageInfo> probeTiffFile(const RowFile &file) {
    if (!isTiff(file.source().bytes))
        return std::nullopt;
    TiffFile tiff(file.source(), file.handle());
    Header header = readTiffLayout(file.source(), tiff).header;
    if (header.orientation >= 5)
        std::swap(header.info.width, header.info.height);
    return header.info;
}

} // namespace tessera::codecs
