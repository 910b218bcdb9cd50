#include "app/image/codecs/codec.h"
#include "app/image/codecs/opencv_bridge.h"
#include "app/image/format_limits.h"

#include <algorithm>
#include <cctype>

namespace tessera {

namespace {

#ifdef TESSERA_WITH_PNG
constexpr bool hasPng16 = true;
#else
constexpr bool hasPng16 = false;    // stb_image_write knows 8 bit only
#endif
#ifdef TESSERA_WITH_JPEG
constexpr bool hasGreyJpeg = true;
#else
constexpr bool hasGreyJpeg = false; // stb_image_write makes every JPEG a colour one
#endif
#ifdef TESSERA_WITH_TIFF
constexpr bool hasTiff = true;
#else
constexpr bool hasTiff = false;
#endif
#ifdef TESSERA_WITH_WEBP
constexpr bool hasWebp = true;
#else
constexpr bool hasWebp = false;
#endif

FormatInfo format(std::string name, std::vector<std::string> extensions, std::vector<Depth> depths) {
    FormatInfo info;
    info.name = std::move(name);
    info.extensions = std::move(extensions);
    info.depths = std::move(depths);
    return info;
}

// The order is the one shown to users: what is asked for most comes first.
std::vector<FormatInfo> makeFormats() {
    const bool opencv = codecs::opencvCodecsPresent();
    const std::vector<Depth> integers{Depth::U8, Depth::U16};

    FormatInfo png = format("png", {"png"}, hasPng16 ? integers : std::vector{Depth::U8});
    png.alpha = png.metadata = true;
    FormatInfo jpg = format("jpg", {"jpg", "jpeg", "jpe", "jfif"}, {Depth::U8});
    jpg.lossy = jpg.metadata = true;
    jpg.grey = hasGreyJpeg;
    FormatInfo tiff = format("tiff", {"tif", "tiff"}, {Depth::U8, Depth::U16, Depth::F32});
    tiff.alpha = tiff.metadata = true;
    tiff.canRead = tiff.canWrite = hasTiff;
    FormatInfo webp = format("webp", {"webp"}, {Depth::U8});
    webp.alpha = webp.lossy = webp.metadata = true;
    webp.grey = false;
    webp.canRead = webp.canWrite = hasWebp;
    FormatInfo exr = format("exr", {"exr"}, {Depth::F32});
    exr.alpha = true;
    exr.canRead = exr.canWrite = opencv;
    FormatInfo hdr = format("hdr", {"hdr", "rgbe"}, {Depth::F32});
    hdr.lossy = true;
    hdr.grey = false;
    FormatInfo pfm = format("pfm", {"pfm"}, {Depth::F32});
    FormatInfo pnm = format("pnm", {"pnm"}, integers);
    FormatInfo ppm = format("ppm", {"ppm"}, integers);
    ppm.grey = false;
    FormatInfo pgm = format("pgm", {"pgm"}, integers);
    pgm.colour = false;
    FormatInfo pbm = format("pbm", {"pbm"}, {Depth::U8});
    pbm.colour = pbm.canWrite = false;
    FormatInfo bmp = format("bmp", {"bmp", "dib"}, {Depth::U8});
    FormatInfo tga = format("tga", {"tga"}, {Depth::U8});
    tga.alpha = true;
    FormatInfo jp2 = format("jp2", {"jp2", "j2k"}, integers);
    jp2.alpha = true;
    jp2.canRead = opencv;
    jp2.canWrite = false;
    FormatInfo pam = format("pam", {"pam"}, integers);
    pam.alpha = true;
    return {png, jpg, tiff, webp, exr, hdr, pfm, pnm, ppm, pgm, pbm, pam, bmp, tga, jp2};
}

std::string depthWords(Depth depth) {
    return depth == Depth::F32 ? "32-bit float" : std::string(depthName(depth)) + "-bit";
}

std::string depthList(const std::vector<Depth> &depths) {
    std::string text;
    for (std::size_t i = 0; i < depths.size(); ++i)
        text += (i == 0 ? "" : i + 1 == depths.size() ? " and " : ", ") + depthWords(depths[i]);
    return text;
}

} // namespace

const std::vector<FormatInfo> &imageFormats() {
    static const std::vector<FormatInfo> formats = makeFormats();
    return formats;
}

const FormatInfo *formatForExtension(std::string_view extension) {
    if (extension.starts_with('.'))
        extension.remove_prefix(1);
    std::string wanted(extension);
    std::ranges::transform(wanted, wanted.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    for (const FormatInfo &info : imageFormats())
        if (info.name == wanted || std::ranges::find(info.extensions, wanted) != info.extensions.end())
            return &info;
    return nullptr;
}

// RIFF chunks, each a name, a length and its content, padded to even length; "VP8L" holds lossless pixels.
bool isLosslessWebp(std::span<const std::byte> file) {
    const auto nameAt = [&](std::size_t at) {
        return at + 8 <= file.size() ? std::string_view(reinterpret_cast<const char *>(file.data()) + at, 4)
                                     : std::string_view();
    };
    if (nameAt(0) != "RIFF" || nameAt(8) != "WEBP")
        return false;
    for (std::size_t at = 12; !nameAt(at).empty();) {
        if (nameAt(at) == "VP8L")
            return true;
        std::size_t length = 0;
        for (std::size_t i = 0; i < 4; ++i)
            length |= std::to_integer<std::size_t>(file[at + 4 + i]) << 8 * i;
        at += 8 + length + length % 2;
    }
    return false;
}

std::string cannotHold(const FormatInfo &format, PixelFormat picture) {
    const std::string name = upperCaseName(format);
    if (!format.canWrite)
        return "this build cannot write " + name;
    if (std::ranges::find(format.depths, picture.depth) == format.depths.end())
        return name + " holds " + depthList(format.depths) + " pictures, and this one is " + depthWords(picture.depth);
    if (picture.hasAlpha() && !format.alpha)
        return name + " holds no transparency, and this picture has an alpha channel";
    if (picture.colourChannels() > 1 && !format.colour)
        return name + " holds grey pictures only, and this one is in colour";
    return {};
}

} // namespace tessera
