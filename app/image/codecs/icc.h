// The few facts about an ICC profile that decide whether it may be embedded. Source: ICC.1:2022, clause 7.2.
#pragma once

#include "app/image/image.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace tessera::codecs {

// "RGB ", "GRAY", "CMYK", ...; empty where this is no profile.
std::string_view iccColourSpace(std::span<const std::uint8_t> profile);

// Whether the profile describes pixels of this kind: a grey result of a colour picture must not claim an RGB profile.
bool iccFits(std::span<const std::uint8_t> profile, PixelFormat format);

} // namespace tessera::codecs
