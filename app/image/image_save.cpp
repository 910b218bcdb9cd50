#include "app/image/codecs/codec.h"
#include "app/image/display_name.h"

#include <algorithm>
#include <new>

namespace tessera {

namespace {

// What the user can do about a format that cannot hold the picture: the formats that can.
std::string formatsFor(PixelFormat picture) {
    std::string list;
    for (const FormatInfo &info : imageFormats())
        if (cannotHold(info, picture).empty())
            list += (list.empty() ? "" : ", ") + info.name;
    return list;
}

std::string remedyFor(const FormatInfo &format, PixelFormat picture) {
    std::string remedy = "choose a format that can: " + formatsFor(picture);
    const bool depthFits = std::ranges::find(format.depths, picture.depth) != format.depths.end();
    if (!depthFits && format.canWrite)
        remedy += "; or convert with --depth " + std::string(depthName(format.depths.back()));
    return remedy;
}

const FormatInfo &requireFormat(const std::string &name) {
    const FormatInfo *format = formatForExtension(name);
    if (!format)
        throw Error(ErrorKind::Output,
                    name.empty() ? "the file name has no extension that would name a format"
                                 : "no picture format is called '" + displayText(name) + "'",
                    "use png, jpg, tiff or another one that this build writes");
    return *format;
}

codecs::ByteVector encodeAs(const FormatInfo &format, const Image &image, const SaveOptions &options) {
    if (const std::string reason = cannotHold(format, image.format()); !reason.empty())
        throw Error(ErrorKind::Output, reason, remedyFor(format, image.format()));
    const auto savers = codecs::savers();
    const auto saver = std::ranges::find(savers, format.name, &codecs::Saver::format);
    if (saver == savers.end())
        throw Error(ErrorKind::Internal, "no saver for " + format.name);
    try {
        return saver->encode(image, options);
    } catch (const std::bad_alloc &) {
        throw Error(ErrorKind::Limit, "no memory to encode the picture as " + format.name,
                    "close other programs, or filter a smaller picture");
    }
}

} // namespace

std::vector<std::byte> encodeImage(const Image &image, const SaveOptions &options) {
    if (image.empty())
        throw Error(ErrorKind::Output, "there is no picture to save");
    if (options.quality < 1 || options.quality > 100)
        throw Error(ErrorKind::Usage, "a quality of " + std::to_string(options.quality) + " is outside 1 to 100",
                    "give a quality from 1 to 100");
    return encodeAs(requireFormat(options.format), image, options);
}

void saveImage(const Image &image, const std::filesystem::path &path, const SaveOptions &options) {
    SaveOptions resolved = options;
    if (resolved.format.empty())
        resolved.format = path.extension().native();
    std::vector<std::byte> content;
    try {
        content = encodeImage(image, resolved);
    } catch (const Error &error) { // encodeImage knows no name
        throw Error(error.kind(), displayName(path) + ": " + error.what(), error.remedy());
    }
    writeFileAtomically(path, content, options.overwrite);
}

} // namespace tessera
