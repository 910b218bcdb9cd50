// Radiance HDR. Source: G. Ward, "Real Pixels", Graphics Gems II (1991); Radiance file formats, "Picture".
#include "app/image/codecs/byte_reader.h"
#include "app/image/codecs/simple_codecs.h"

#include <charconv>
#include <cmath>

namespace tessera::codecs {

namespace {

struct HdrHeader {
    ImageInfo info;
    int orientation = 1;
    std::size_t pixelOffset = 0;
};

std::string_view nextLine(const Source &source, std::size_t &offset) {
    const std::string_view text(reinterpret_cast<const char *>(source.bytes.data()), source.bytes.size());
    const std::size_t end = text.find('\n', offset);
    if (end == std::string_view::npos)
        failTruncated(source, "a Radiance picture that ends within its header");
    std::string_view line = text.substr(offset, end - offset);
    offset = end + 1;
    if (line.ends_with('\r'))
        line.remove_suffix(1);
    return line;
}

// "-Y 512 +X 768": rows from the top, columns from the left. The axis named first is the one of the rows.
HdrHeader readSize(const Source &source, std::string_view line) {
    std::string_view words[4];
    for (std::string_view &word : words) {
        const std::size_t end = std::min(line.find(' '), line.size());
        word = line.substr(0, end);
        line.remove_prefix(std::min(end + 1, line.size()));
    }
    const auto number = [&](std::string_view word) {
        unsigned value = 0;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
        if (error != std::errc{} || end != word.data() + word.size())
            failDamaged(source, "the Radiance picture states no size");
        return value;
    };
    HdrHeader header;
    // By the corner that comes first; Y first means that rows are rows.
    constexpr struct {
        std::string_view first, second;
        int orientation;
    } orders[] = {{"-Y", "+X", 1}, {"-Y", "-X", 2}, {"+Y", "-X", 3}, {"+Y", "+X", 4},
                  {"+X", "-Y", 5}, {"-X", "-Y", 6}, {"-X", "+Y", 7}, {"+X", "+Y", 8}};
    for (const auto &order : orders) {
        if (words[0] != order.first || words[2] != order.second)
            continue;
        header.orientation = order.orientation;
        header.info = makeInfo(source, number(words[3]), number(words[1]), {Depth::F32, 3}, "hdr");
        return header;
    }
    failDamaged(source, "the Radiance picture states no size");
}

std::optional<HdrHeader> readHdrHeader(const Source &source) {
    if (!startsWith(source.bytes, "#?RADIANCE\n") && !startsWith(source.bytes, "#?RGBE\n"))
        return std::nullopt;
    std::size_t offset = 0;
    for (std::string_view line = nextLine(source, offset); !line.empty(); line = nextLine(source, offset))
        if (line.starts_with("FORMAT=") && line != "FORMAT=32-bit_rle_rgbe")
            failInput(source, "it is a Radiance picture in XYZ colours, which cannot be read", "convert it to RGB");
    HdrHeader header = readSize(source, nextLine(source, offset));
    header.pixelOffset = offset;
    return header;
}

using Rgbe = std::array<std::uint8_t, 4>;

// Rows come in three codings, told apart row by row: plain, plain with repeats (1, 1, 1, n), and run lengths a channel.
class HdrRows {
public:
    HdrRows(const Source &source, const HdrHeader &header) : source_(source), offset_(header.pixelOffset) {}

    void next(std::vector<Rgbe> &row) {
        const std::size_t width = row.size();
        const Rgbe first = takePixel();
        const bool lengthFits = first[0] == 2 && first[1] == 2 && (std::size_t(first[2]) << 8 | first[3]) == width;
        if (lengthFits && width >= 8 && width < 32768)
            readChannels(row);
        else
            readPixels(row, first);
    }

private:
    std::uint8_t take() {
        if (offset_ >= source_.bytes.size())
            failTruncated(source_, "a Radiance picture whose pixels end too early");
        return std::to_integer<std::uint8_t>(source_.bytes[offset_++]);
    }
    Rgbe takePixel() {
        Rgbe pixel;
        for (std::uint8_t &value : pixel)
            value = take();
        return pixel;
    }
    [[noreturn]] void failRun() { failDamaged(source_, "a run of the Radiance picture is longer than its row"); }
    void readChannels(std::vector<Rgbe> &row) {
        for (std::size_t channel = 0; channel < 4; ++channel) {
            for (std::size_t x = 0; x < row.size();) {
                const unsigned code = take();
                const bool repeats = code > 128;
                const std::size_t count = repeats ? code - 128 : code;
                if (count == 0 || count > row.size() - x)
                    failRun();
                const std::uint8_t value = repeats ? take() : 0;
                for (const std::size_t end = x + count; x < end; ++x)
                    row[x][channel] = repeats ? value : take();
            }
        }
    }
    void readPixels(std::vector<Rgbe> &row, Rgbe pixel) {
        unsigned shift = 0; // successive repeat codes are the bytes of one count
        for (std::size_t x = 0; x < row.size();) {
            if (pixel[0] == 1 && pixel[1] == 1 && pixel[2] == 1) {
                const std::size_t count = shift < 32 ? std::size_t(pixel[3]) << shift : row.size() + 1;
                if (x == 0 || count > row.size() - x)
                    failRun();
                for (const std::size_t end = x + count; x < end; ++x)
                    row[x] = row[x - 1];
                shift += 8;
            } else {
                row[x++] = pixel;
                shift = 0;
            }
            if (x < row.size())
                pixel = takePixel();
        }
    }

    const Source &source_;
    std::size_t offset_;
};

void toFloat(const std::vector<Rgbe> &pixels, float *row) {
    for (const Rgbe &pixel : pixels) {
        const float unit = pixel[3] == 0 ? 0.0f : std::ldexp(1.0f, int(pixel[3]) - (128 + 8));
        for (int c = 0; c < 3; ++c)
            *row++ = unit * float(pixel[std::size_t(c)]);
    }
}

} // namespace

std::optional<Header> HdrLoader::readHeader(const Source &source) const {
    const auto header = readHdrHeader(source);
    if (!header)
        return std::nullopt;
    Header result{header->info, header->orientation};
    // A row begins with a pixel or a code of four bytes, and repeats may stand for any number of pixels after that.
    const ImageInfo &info = header->info;
    result.leastBytes = 4 * std::uint64_t(header->orientation >= 5 ? info.width : info.height);
    return result;
}

Image HdrLoader::decode(const Source &source, const Header &) const {
    const HdrHeader header = *readHdrHeader(source);
    HdrRows rows(source, header);
    Image image(header.info.width, header.info.height, header.info.format);
    const PixelView view = image.view();
    std::vector<Rgbe> row(std::size_t(view.width));
    for (int y = 0; y < view.height; ++y) {
        rows.next(row);
        toFloat(row, view.row<float>(y));
    }
    return image;
}

} // namespace tessera::codecs
