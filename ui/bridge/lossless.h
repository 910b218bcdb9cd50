// Files that give back a picture as it was.
#pragma once

#include "app/image/image_io.h"

namespace tessera {

// Of a format that keeps any picture of this depth.
inline const char *losslessExtension(Depth depth) { return depth == Depth::F32 ? "tif" : "png"; }

// Whether what is saved so is read back as it was. Doubtful cases count as no.
inline bool keepsAll(const Image &picture, const std::filesystem::path &path, const SaveOptions &options) {
    const FormatInfo *format = formatForExtension(options.format.empty() ? path.extension().string() : options.format);
    const bool metadata = !picture.metadata.exif.empty() || !picture.metadata.iccProfile.empty();
    return format && !format->lossy && (format->metadata || !metadata) &&
           (format->grey || picture.format().colourChannels() > 1);
}

} // namespace tessera
