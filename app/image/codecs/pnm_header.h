// Headers of the Netpbm family: P1 to P6, P7 (PAM), and PFM. Source: netpbm's format pages pbm(5), pgm(5), ppm(5),
// pam(5); Debevec's description of PFM.
#pragma once

#include "app/image/codecs/codec.h"

#include <span>

namespace tessera::codecs {

enum class PnmCoding { AsciiBits, AsciiNumbers, PackedBits, Binary, Float };

struct PnmHeader {
    ImageInfo info;
    PnmCoding coding = PnmCoding::Binary;
    unsigned maximum = 255;    // the value of white; integers only
    bool littleEndian = false; // floats only
    std::size_t rasterOffset = 0;
};

// Empty where the content starts like none of them.
std::optional<PnmHeader> readPnmHeader(const Source &source);

// Throws where `rest`, what follows a raster, begins another picture: of such a file only the first would be filtered.
void refuseAnotherPicture(const Source &source, std::span<const std::byte> rest);

// Reads the words of an ASCII header or raster.
class PnmCursor {
public:
    PnmCursor(const Source &source, std::size_t offset) : source_(source), offset_(offset) {}

    std::size_t offset() const { return offset_; }
    std::string_view word();      // after white space and comments; throws where the file ends
    unsigned number();            // a decimal up to 2^31-1; throws where it is none
    unsigned bit();               // '0' or '1', white space optional
    void skipOne() { ++offset_; } // the single white space before a binary raster
    std::string_view line();      // up to the line's end

private:
    void skipSpace();

    const Source &source_;
    std::size_t offset_;
};

} // namespace tessera::codecs
