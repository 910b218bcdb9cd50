#include "app/image/codecs/icc.h"

#include "app/image/codecs/byte_reader.h"

namespace tessera::codecs {

std::string_view iccColourSpace(std::span<const std::uint8_t> profile) {
    if (profile.size() < 132 || !startsWith(std::as_bytes(profile), "acsp", 36))
        return {};
    return {reinterpret_cast<const char *>(profile.data()) + 16, 4};
}

bool iccFits(std::span<const std::uint8_t> profile, PixelFormat format) {
    return iccColourSpace(profile) == (format.colourChannels() == 1 ? "GRAY" : "RGB ");
}

} // namespace tessera::codecs
