#include "app/image/codecs/tiff_layout.h"

#include "app/image/codecs/byte_reader.h"

#include <algorithm>
#include <compare>
#include <span>
#include <vector>

namespace tessera::codecs {

namespace {

using Colour = TiffLayout::Colour;

constexpr const char *asPng = "save it as PNG or as an ordinary TIFF from the program that made it";

// Makes the picture's page the current one; thumbnails and masks are no pages.
void goToOnlyPage(const Source &source, TiffFile &file) {
    constexpr int enough = 1000;
    int pages = 0;
    std::uint32_t index = 0, picture = 0;
    do {
        const auto kind = tiffField<std::uint32_t>(file, TIFFTAG_SUBFILETYPE);
        if ((kind & (FILETYPE_REDUCEDIMAGE | FILETYPE_MASK)) == 0 && ++pages == 1)
            picture = index;
        ++index;
    } while (pages < enough && index < 10 * enough && TIFFReadDirectory(file.handle()));
    if (!file.failure().empty())
        failDamaged(source, "TIFF: " + file.failure());
    if (pages > 1)
        failInput(source, "it holds " + std::to_string(pages) + (pages == enough ? " or more" : "") + " pages",
                  "split it into single pictures first");
    if (!TIFFSetDirectory(file.handle(), picture))
        failDamaged(source, "TIFF: " + file.failure());
    // Raw photographs are TIFFs too, in which only a small preview is a picture.
    const std::uint8_t *version = nullptr;
    const bool canon = startsWith(source.bytes, "CR", 8);
    if (pages == 0 || canon || TIFFGetField(file.handle(), TIFFTAG_DNGVERSION, &version))
        failInput(source, "it is a camera's raw photograph", "develop it to a 16-bit TIFF first");
}

// A sound file, of which another copy would be no better.
void requireCompression(const Source &source, TiffFile &file) {
    const auto compression = tiffField<std::uint16_t>(file, TIFFTAG_COMPRESSION, std::uint16_t(COMPRESSION_NONE));
    if (!TIFFIsCODECConfigured(compression))
        failInput(source, "it is a TIFF whose compression cannot be read (number " + std::to_string(compression) + ")",
                  asPng);
}

Colour colourOf(const Source &source, TiffFile &file, int bits) {
    std::uint16_t photometric = PHOTOMETRIC_MINISBLACK;
    if (!TIFFGetField(file.handle(), TIFFTAG_PHOTOMETRIC, &photometric))
        photometric =
            tiffField<std::uint16_t>(file, TIFFTAG_SAMPLESPERPIXEL, 1) >= 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK;
    switch (photometric) {
    case PHOTOMETRIC_MINISWHITE:
        return Colour::InvertedGrey;
    case PHOTOMETRIC_MINISBLACK:
        return Colour::Grey;
    case PHOTOMETRIC_RGB:
        return Colour::Rgb;
    case PHOTOMETRIC_PALETTE:
        return Colour::Palette;
    case PHOTOMETRIC_SEPARATED:
        return Colour::Cmyk;
    case PHOTOMETRIC_YCBCR:
        if (tiffField<std::uint16_t>(file, TIFFTAG_COMPRESSION) == COMPRESSION_JPEG) {
            TIFFSetField(file.handle(), TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
            return Colour::Rgb;
        }
        if (bits == 8)
            return Colour::ThroughLibrary;
        [[fallthrough]];
    default: // L*a*b* among them: libtiff turns it by a screen's primaries, which yellows greys
        failInput(source,
                  "it is a TIFF in colours that cannot be read (photometric " + std::to_string(photometric) + ")",
                  asPng);
    }
}

// Whether the palette needs 16 bits. Palettes of 8 bits are stored as v * 257, v * 256 or, wrongly, as v.
bool paletteIsWide(TiffFile &file, int bits) {
    std::uint16_t *maps[3] = {};
    if (!TIFFGetField(file.handle(), TIFFTAG_COLORMAP, &maps[0], &maps[1], &maps[2]))
        return false;
    const std::size_t count = std::size_t(1) << bits;
    bool small = true, byteOnly = true;
    for (const std::uint16_t *map : maps) {
        for (const std::uint16_t value : std::span(map, count)) {
            small &= value < 256;
            byteOnly &= (value & 255) == 0 || (value & 255) == value >> 8;
        }
    }
    return !small && !byteOnly;
}

Depth depthOf(const Source &source, const TiffLayout &layout) {
    const int bits = layout.bits;
    switch (layout.sampleFormat) {
    case SAMPLEFORMAT_IEEEFP:
        if (bits == 16 || bits == 32 || bits == 64)
            return Depth::F32;
        break;
    case SAMPLEFORMAT_INT: // negative values have a place in float only
        if (bits == 8 || bits == 16)
            return Depth::F32;
        break;
    case SAMPLEFORMAT_UINT:
    case SAMPLEFORMAT_VOID:
        if (bits >= 1 && bits <= 16)
            return bits <= 8 ? Depth::U8 : Depth::U16;
        break;
    default:
        break;
    }
    static constexpr const char *kinds[] = {"", "unsigned", "signed", "float", "untyped", "complex", "complex"};
    const char *kind = layout.sampleFormat >= 1 && layout.sampleFormat <= 6 ? kinds[layout.sampleFormat] : "unknown";
    failInput(source, "it is a TIFF of " + std::to_string(bits) + "-bit " + kind + " samples, which cannot be read",
              "convert it to 8 or 16 bits or to 32-bit float");
}

// Grey or RGB, and alpha where there is one more sample.
int channelsOf(const Source &source, TiffFile &file, TiffLayout &layout) {
    const int colours = layout.colour == Colour::Cmyk                                             ? 4
                        : layout.colour == Colour::Rgb || layout.colour == Colour::ThroughLibrary ? 3
                                                                                                  : 1;
    const int extras = layout.samples - colours;
    const bool alphaAllowed =
        layout.colour == Colour::Grey || layout.colour == Colour::InvertedGrey || layout.colour == Colour::Rgb;
    if (extras < 0 || extras > (alphaAllowed ? 1 : 0))
        failInput(source, "it is a TIFF with " + std::to_string(layout.samples) + " channels, which cannot be read",
                  "save grey or RGB, with or without alpha; split scientific stacks into single channels");
    std::uint16_t count = 0;
    std::uint16_t *kinds = nullptr;
    if (extras == 1 && TIFFGetField(file.handle(), TIFFTAG_EXTRASAMPLES, &count, &kinds) && count >= 1)
        layout.premultiplied = kinds[0] == EXTRASAMPLE_ASSOCALPHA;
    const bool toRgb = layout.colour == Colour::Cmyk || layout.colour == Colour::Palette;
    return toRgb ? 3 : colours + extras;
}

// How many bytes at most a stored one makes, by the coding of blocks; 0 for codings that may make any number.
std::uint64_t mostOfByte(TiffFile &file) {
    switch (tiffField<std::uint16_t>(file, TIFFTAG_COMPRESSION, std::uint16_t(COMPRESSION_NONE))) {
    case COMPRESSION_NONE:
        return 1;
    case COMPRESSION_PACKBITS: // 128 bytes of two
        return 64;
    case COMPRESSION_LZW: // strings of up to 3840 bytes, in codes of 9 bits at least
        return 4096;
    case COMPRESSION_DEFLATE:
    case COMPRESSION_ADOBE_DEFLATE:
        return mostOfDeflate;
    default:
        return 0;
    }
}

// A strip or a tile.
struct Block {
    std::uint64_t offset = 0, bytes = 0; // in the file; what it holds once decoded

    friend auto operator<=>(const Block &, const Block &) = default;
};

// Empty where one of them is not there, or states fewer bytes than it takes at least.
std::vector<Block> blocksOf(TiffFile &file, const TiffLayout &layout, std::uint64_t most) {
    constexpr std::uint32_t enough = 1 << 24, ordinary = 1 << 16;
    TIFF *tiff = file.handle();
    const bool tiled = TIFFIsTiled(tiff) != 0;
    const std::uint32_t count = tiled ? TIFFNumberOfTiles(tiff) : TIFFNumberOfStrips(tiff);
    const auto height = std::uint32_t(layout.header.info.height);
    const std::uint32_t rows = std::min(tiffField<std::uint32_t>(file, TIFFTAG_ROWSPERSTRIP, height), height);
    if (count == 0 || count > enough || (!tiled && rows == 0))
        return {};
    const std::uint32_t stripsOfPlane = tiled ? 1 : (height + rows - 1) / rows;
    std::vector<Block> blocks;
    blocks.reserve(std::min(count, ordinary)); // a count is a claim like any other
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint32_t used = tiled ? 0 : std::min(rows, height - i % stripsOfPlane * rows);
        const Block block{TIFFGetStrileOffset(tiff, i),
                          tiled ? TIFFTileSize64(tiff) : saturatingProduct(used, TIFFScanlineSize64(tiff))};
        if (block.offset == 0 || TIFFGetStrileByteCount(tiff, i) < block.bytes / most)
            return {};
        blocks.push_back(block);
    }
    return blocks;
}

// What the file must have at least. Blocks that look alike may be stored once.
std::uint64_t leastBytes(const Source &source, TiffFile &file, const TiffLayout &layout) {
    constexpr std::uint64_t worthALook = 1 << 20;
    const std::uint64_t most = mostOfByte(file);
    if (layout.colour == Colour::ThroughLibrary || most == 0) // chroma may be stored for a few pixels together
        return 0;
    const auto rowBytes =
        std::uint64_t(layout.header.info.width) * unsigned(layout.samples) * unsigned(layout.bits) / 8;
    const std::uint64_t raw = saturatingProduct(rowBytes, std::uint64_t(layout.header.info.height));
    const std::uint64_t there = std::max(source.fileLength, std::uint64_t(source.bytes.size()));
    if (raw < worthALook || raw / most <= there) // no sharing is needed: the blocks need no look
        return raw / most;
    std::vector<Block> blocks = blocksOf(file, layout, most);
    if (blocks.empty())
        return raw / most;
    std::ranges::sort(blocks);
    std::uint64_t furthest = 0, apart = 0;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        furthest = std::max(furthest, saturatingSum(blocks[i].offset, blocks[i].bytes / most));
        if (i + 1 == blocks.size() || blocks[i + 1].offset != blocks[i].offset)
            apart = saturatingSum(apart, blocks[i].bytes / most);
    }
    // Uncoded blocks may also overlap; of coded ones the length is not known so well.
    return std::min(raw / most, most == 1 ? furthest : std::max(apart, std::uint64_t(1)));
}

} // namespace

TiffLayout readTiffLayout(const Source &source, TiffFile &file) {
    goToOnlyPage(source, file);
    TiffLayout layout;
    layout.samples = tiffField<std::uint16_t>(file, TIFFTAG_SAMPLESPERPIXEL, 1);
    layout.bits = tiffField<std::uint16_t>(file, TIFFTAG_BITSPERSAMPLE, 1);
    layout.sampleFormat = tiffField<std::uint16_t>(file, TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_UINT);
    layout.planes =
        tiffField<std::uint16_t>(file, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG) == PLANARCONFIG_SEPARATE &&
        layout.samples > 1;
    requireCompression(source, file);
    layout.colour = colourOf(source, file, layout.bits);
    layout.sampleDepth = depthOf(source, layout);
    const int channels = channelsOf(source, file, layout);
    Depth depth = layout.sampleDepth;
    if (layout.colour == Colour::Palette) {
        if (layout.bits > 8 || layout.sampleDepth != Depth::U8)
            failInput(source, "it is a TIFF whose palette cannot be read", asPng);
        depth = paletteIsWide(file, layout.bits) ? Depth::U16 : Depth::U8;
    }
    if (layout.colour == Colour::Cmyk && layout.bits != 8)
        failInput(source, "it is a CMYK TIFF of " + std::to_string(layout.bits) + " bits, of which 8 can be read",
                  asPng);
    layout.header.info = makeInfo(source, tiffField<std::uint32_t>(file, TIFFTAG_IMAGEWIDTH),
                                  tiffField<std::uint32_t>(file, TIFFTAG_IMAGELENGTH), {depth, channels}, "tiff");
    if (layout.bits == 64)
        layout.header.info.narrowed = "64-bit floats";
    const int orientation = tiffField<std::uint16_t>(file, TIFFTAG_ORIENTATION, 1);
    layout.header.orientation = orientation >= 1 && orientation <= 8 ? orientation : 1;
    layout.header.leastBytes = leastBytes(source, file, layout);
    return layout;
}

} // namespace tessera::codecs
