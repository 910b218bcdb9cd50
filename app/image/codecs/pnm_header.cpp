#include "app/image/codecs/pnm_header.h"

#include "app/image/codecs/byte_reader.h"

#include <charconv>
#include <cmath>

namespace tessera::codecs {

namespace {

constexpr std::string_view netpbm = "a Netpbm picture";

bool isSpace(std::byte b) {
    const auto c = std::to_integer<char>(b);
    return c == ' ' || (c >= '\t' && c <= '\r');
}

Depth depthFor(const Source &source, unsigned maximum) {
    if (maximum < 1 || maximum > 65535)
        failDamaged(source, "its largest value is stated as " + std::to_string(maximum) + ", not 1 to 65535");
    return maximum < 256 ? Depth::U8 : Depth::U16;
}

PnmHeader readClassicHeader(const Source &source, int kind) {
    PnmHeader header;
    PnmCursor cursor(source, 2);
    const unsigned width = cursor.number();
    const unsigned height = cursor.number();
    const bool bits = kind == 1 || kind == 4;
    header.maximum = bits ? 1 : cursor.number();
    header.coding = kind == 1   ? PnmCoding::AsciiBits
                    : kind <= 3 ? PnmCoding::AsciiNumbers
                    : kind == 4 ? PnmCoding::PackedBits
                                : PnmCoding::Binary;
    const bool colour = kind == 3 || kind == 6;
    header.info = makeInfo(source, width, height, {depthFor(source, header.maximum), colour ? 3 : 1},
                           bits     ? "pbm"
                           : colour ? "ppm"
                                    : "pgm");
    cursor.skipOne();
    header.rasterOffset = cursor.offset();
    return header;
}

PnmHeader readFloatHeader(const Source &source, int channels) {
    PnmHeader header;
    PnmCursor cursor(source, 2);
    const unsigned width = cursor.number();
    const unsigned height = cursor.number();
    const std::string_view scaleWord = cursor.word();
    double scale = 0;
    const auto [end, error] = std::from_chars(scaleWord.data(), scaleWord.data() + scaleWord.size(), scale);
    if (error != std::errc{} || end != scaleWord.data() + scaleWord.size() || scale == 0 || !std::isfinite(scale))
        failDamaged(source, "the scale in its header is no number other than 0");
    header.littleEndian = scale < 0; // its size is a unit of light, which does not change the stored values
    header.coding = PnmCoding::Float;
    header.info = makeInfo(source, width, height, {Depth::F32, channels}, "pfm");
    cursor.skipOne();
    header.rasterOffset = cursor.offset();
    return header;
}

// PAM names its fields, one a line, in any order.
PnmHeader readPamHeader(const Source &source) {
    PnmHeader header;
    PnmCursor cursor(source, 2);
    unsigned width = 0, height = 0, channels = 0;
    header.maximum = 0;
    for (std::string_view field = cursor.word(); field != "ENDHDR"; field = cursor.word()) {
        if (field == "WIDTH")
            width = cursor.number();
        else if (field == "HEIGHT")
            height = cursor.number();
        else if (field == "DEPTH")
            channels = cursor.number();
        else if (field == "MAXVAL")
            header.maximum = cursor.number();
        else if (field == "TUPLTYPE")
            cursor.line(); // the count of channels says the same
        else
            failDamaged(source, "its header has an unknown field");
    }
    if (channels < 1 || channels > 4)
        failInput(source, "it has " + std::to_string(channels) + " channels; 1 to 4 can be read",
                  "split it into pictures of up to 4 channels");
    header.info = makeInfo(source, width, height, {depthFor(source, header.maximum), int(channels)}, "pam");
    cursor.skipOne();
    header.rasterOffset = cursor.offset();
    return header;
}

} // namespace

void refuseAnotherPicture(const Source &source, std::span<const std::byte> rest) {
    while (!rest.empty() && isSpace(rest.front()))
        rest = rest.subspan(1);
    if (rest.size() < 3 || rest[0] != std::byte('P') || !isSpace(rest[2]))
        return;
    const char kind = std::to_integer<char>(rest[1]);
    if ((kind >= '1' && kind <= '7') || kind == 'F' || kind == 'f')
        failInput(source, "it holds several pictures, one behind the other", "split it into single pictures first");
}

void PnmCursor::skipSpace() {
    while (offset_ < source_.bytes.size()) {
        if (source_.bytes[offset_] == std::byte('#'))
            line();
        else if (!isSpace(source_.bytes[offset_]))
            return;
        else
            ++offset_;
    }
}

std::string_view PnmCursor::line() {
    const std::size_t start = offset_;
    while (offset_ < source_.bytes.size() && source_.bytes[offset_] != std::byte('\n'))
        ++offset_;
    return {reinterpret_cast<const char *>(source_.bytes.data()) + start, offset_ - start};
}

std::string_view PnmCursor::word() {
    skipSpace();
    const std::size_t start = offset_;
    while (offset_ < source_.bytes.size() && !isSpace(source_.bytes[offset_]))
        ++offset_;
    if (offset_ == start)
        failTruncated(source_, std::string(netpbm) + " ends too early");
    return {reinterpret_cast<const char *>(source_.bytes.data()) + start, offset_ - start};
}

unsigned PnmCursor::number() {
    const std::string_view text = word();
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value < 0)
        failDamaged(source_, "a number was expected at byte " + std::to_string(offset_ - text.size()));
    return static_cast<unsigned>(value);
}

unsigned PnmCursor::bit() {
    skipSpace();
    if (offset_ >= source_.bytes.size())
        failTruncated(source_, std::string(netpbm) + " ends too early");
    const auto c = std::to_integer<char>(source_.bytes[offset_++]);
    if (c != '0' && c != '1')
        failDamaged(source_, "0 or 1 was expected at byte " + std::to_string(offset_ - 1));
    return c == '1' ? 1 : 0;
}

std::optional<PnmHeader> readPnmHeader(const Source &source) {
    const Bytes bytes = source.bytes;
    if (bytes.size() < 3 || bytes[0] != std::byte('P') || !(isSpace(bytes[2]) || bytes[2] == std::byte('#')))
        return std::nullopt;
    const auto kind = std::to_integer<char>(bytes[1]);
    if (kind >= '1' && kind <= '6')
        return readClassicHeader(source, kind - '0');
    if (kind == '7')
        return readPamHeader(source);
    if (kind == 'F' || kind == 'f')
        return readFloatHeader(source, kind == 'F' ? 3 : 1);
    return std::nullopt;
}

} // namespace tessera::codecs
