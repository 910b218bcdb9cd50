#include "tests/app/image_test_support.h"

#include "app/image/codecs/png_chunks.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <unistd.h>

namespace tessera::test {

namespace fs = std::filesystem;

Image randomImage(int width, int height, PixelFormat format, unsigned seed) {
    std::mt19937 engine(seed);
    std::uniform_real_distribution<double> exponent(-6.0, 6.0);
    return makeImage(width, height, format, [&](int, int, int) -> double {
        const auto word = engine();
        if (format.depth != Depth::F32)
            return double(word & (format.depth == Depth::U8 ? 0xffu : 0xffffu));
        return (word & 1 ? -1.0 : 1.0) * std::pow(10.0, exponent(engine));
    });
}

Image makeImage(int width, int height, PixelFormat format, const std::function<double(int, int, int)> &value) {
    Image image(width, height, format);
    const PixelView view = image.view();
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
            for (int c = 0; c < format.channels; ++c) {
                const std::ptrdiff_t i = std::ptrdiff_t(x) * format.channels + c;
                const double level = value(x, y, c);
                if (format.depth == Depth::U8)
                    view.row<std::uint8_t>(y)[i] = static_cast<std::uint8_t>(level);
                else if (format.depth == Depth::U16)
                    view.row<std::uint16_t>(y)[i] = static_cast<std::uint16_t>(level);
                else
                    view.row<float>(y)[i] = static_cast<float>(level);
            }
    return image;
}

double sampleAt(const Image &image, int x, int y, int channel) {
    const ConstPixelView view = image.view();
    const std::ptrdiff_t i = std::ptrdiff_t(x) * view.format.channels + channel;
    switch (view.format.depth) {
    case Depth::U8:
        return view.row<std::uint8_t>(y)[i];
    case Depth::U16:
        return view.row<std::uint16_t>(y)[i];
    case Depth::F32:
        break;
    }
    return double(view.row<float>(y)[i]);
}

static std::string shape(const Image &image) {
    return std::to_string(image.width()) + "x" + std::to_string(image.height()) + ", " +
           std::to_string(image.format().channels) + " channels, " + depthName(image.format().depth) + " bit";
}

std::string difference(const Image &a, const Image &b) {
    if (a.width() != b.width() || a.height() != b.height() || a.format() != b.format())
        return shape(a) + " against " + shape(b);
    const std::size_t rowBytes = std::size_t(a.width()) * std::size_t(a.format().bytesPerPixel());
    for (int y = 0; y < a.height(); ++y) {
        if (std::memcmp(a.view().row<std::byte>(y), b.view().row<std::byte>(y), rowBytes) == 0)
            continue;
        for (int x = 0; x < a.width(); ++x)
            for (int c = 0; c < a.format().channels; ++c)
                if (const double p = sampleAt(a, x, y, c), q = sampleAt(b, x, y, c); !(p == q))
                    return "at " + std::to_string(x) + "," + std::to_string(y) + " channel " + std::to_string(c) +
                           ": " + std::to_string(p) + " against " + std::to_string(q);
        return "row " + std::to_string(y) + " differs in bits";
    }
    return {};
}

Failure failureOf(const std::function<void()> &action) {
    try {
        action();
        return {};
    } catch (const Error &error) {
        return {error.fullText(), error.kind()};
    }
}

ByteVector bytesOf(std::string_view text) {
    const auto *first = reinterpret_cast<const std::byte *>(text.data());
    return {first, first + text.size()};
}

ByteVector encoded(const Image &image, const std::string &format, int quality) {
    SaveOptions options;
    options.format = format;
    options.quality = quality;
    return encodeImage(image, options);
}

std::vector<Sample> writableSamples(int width, int height) {
    std::vector<Sample> samples;
    unsigned seed = 1;
    for (const FormatInfo &format : imageFormats()) {
        for (const Depth depth : {Depth::U8, Depth::U16, Depth::F32}) {
            for (int channels = 1; channels <= 4; ++channels) {
                if (!cannotHold(format, {depth, channels}).empty())
                    continue;
                Image picture = randomImage(width, height, {depth, channels}, ++seed);
                if (format.name == "hdr") // knows no negative values
                    picture = makeImage(width, height, {depth, channels},
                                        [&](int x, int y, int c) { return std::abs(sampleAt(picture, x, y, c)); });
                const std::string name = format.name + "-" + depthName(depth) + "-" + std::to_string(channels);
                samples.push_back({name, format.name, encoded(picture, format.name), std::move(picture)});
            }
        }
    }
    return samples;
}

TemporaryFolder::TemporaryFolder() {
    std::string pattern = (fs::temp_directory_path() / "tessera-test-XXXXXX").native();
    if (!::mkdtemp(pattern.data()))
        throw std::runtime_error("no temporary folder");
    path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

std::vector<std::string> TemporaryFolder::names() const {
    std::vector<std::string> list;
    for (const auto &entry : fs::directory_iterator(path_))
        list.push_back(entry.path().filename().native());
    std::ranges::sort(list);
    return list;
}

ByteVector readFile(const fs::path &path) {
    std::ifstream stream(path, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
    return bytesOf(text);
}

void writeFile(const fs::path &path, std::span<const std::byte> content) {
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char *>(content.data()), std::streamsize(content.size()));
}

// ---- PNG ----

PngBuilder::PngBuilder(std::uint32_t width, std::uint32_t height, int bitDepth, int colourType) {
    ByteWriter(file_, std::endian::big).text(std::string_view("\x89PNG\r\n\x1a\n", 8));
    ByteVector header;
    ByteWriter writer(header, std::endian::big);
    writer.u32(width);
    writer.u32(height);
    for (const int value : {bitDepth, colourType, 0, 0, 0})
        writer.u8(std::uint8_t(value));
    chunk("IHDR", header);
}

PngBuilder &PngBuilder::chunk(std::string_view type, std::span<const std::byte> data) {
    ByteWriter writer(file_, std::endian::big);
    writer.u32(std::uint32_t(data.size()));
    const std::size_t start = file_.size();
    writer.text(type);
    writer.raw(data.data(), data.size());
    writer.u32(codecs::pngCheckSum(std::span(file_).subspan(start)));
    return *this;
}

PngBuilder &PngBuilder::pixels(std::span<const std::byte> rows) {
    ByteVector zlib;
    ByteWriter writer(zlib, std::endian::little);
    writer.u8(0x78);
    writer.u8(0x01);
    std::uint32_t a = 1, b = 0; // Adler-32
    for (const std::byte value : rows) {
        a = (a + std::to_integer<std::uint32_t>(value)) % 65521;
        b = (b + a) % 65521;
    }
    for (std::size_t offset = 0; offset < rows.size();) {
        const std::size_t size = std::min<std::size_t>(65535, rows.size() - offset);
        writer.u8(offset + size == rows.size() ? 1 : 0);
        writer.u16(std::uint16_t(size));
        writer.u16(std::uint16_t(~size));
        writer.raw(rows.data() + offset, size);
        offset += size;
    }
    ByteWriter(zlib, std::endian::big).u32(b << 16 | a);
    return chunk("IDAT", zlib);
}

ByteVector PngBuilder::finish() {
    chunk("IEND", {});
    return std::move(file_);
}

// ---- TIFF ----

TiffBuilder &TiffBuilder::shorts(std::uint16_t tag, std::vector<std::uint16_t> values) {
    entries_.push_back({tag, 3, {values.begin(), values.end()}});
    return *this;
}

TiffBuilder &TiffBuilder::longs(std::uint16_t tag, std::vector<std::uint32_t> values) {
    entries_.push_back({tag, 4, std::move(values)});
    return *this;
}

TiffBuilder &TiffBuilder::text(std::uint16_t tag, std::string_view words) {
    entries_.push_back({tag, 2, {words.begin(), words.end()}});
    entries_.back().values.push_back(0);
    return *this;
}

TiffBuilder &TiffBuilder::data(ByteVector data) {
    data_ = std::move(data);
    return *this;
}

TiffBuilder &TiffBuilder::strip(ByteVector data) {
    longs(273, {8}); // StripOffsets
    longs(279, {std::uint32_t(data.size())});
    return this->data(std::move(data));
}

ByteVector TiffBuilder::finish() {
    ByteVector file, tail;
    ByteWriter writer(file, order_), outside(tail, order_);
    data_.resize((data_.size() + 1) / 2 * 2);
    const auto directory = std::uint32_t(8 + data_.size());
    writer.text(order_ == std::endian::little ? "II" : "MM");
    writer.u16(42);
    writer.u32(directory);
    writer.raw(data_.data(), data_.size());
    std::ranges::sort(entries_, {}, &Entry::tag);
    const auto tailStart = std::uint32_t(directory + 2 + 12 * entries_.size() + 4);
    writer.u16(std::uint16_t(entries_.size()));
    for (const Entry &entry : entries_) {
        const std::size_t size = entry.type == 2 ? 1 : entry.type == 3 ? 2 : 4;
        writer.u16(entry.tag);
        writer.u16(entry.type);
        writer.u32(std::uint32_t(entry.values.size()));
        const bool fits = entry.values.size() * size <= 4;
        const std::size_t place = file.size();
        if (!fits)
            writer.u32(tailStart + std::uint32_t(tail.size()));
        ByteWriter &target = fits ? writer : outside;
        for (const std::uint32_t value : entry.values)
            size == 1   ? target.u8(std::uint8_t(value))
            : size == 2 ? target.u16(std::uint16_t(value))
                        : target.u32(value);
        tail.resize((tail.size() + 1) / 2 * 2);
        file.resize(place + 4);
    }
    if (followedBySelf_) { // the same directory once more, at the end
        const ByteVector copy(file.begin() + directory, file.end());
        const auto second = std::uint32_t(tailStart + tail.size());
        writer.u32(second);
        writer.raw(tail.data(), tail.size());
        writer.raw(copy.data(), copy.size());
        writer.u32(0);
        return file;
    }
    writer.u32(0);
    writer.raw(tail.data(), tail.size());
    return file;
}

// ---- EXIF ----

std::vector<std::uint8_t> exifBlock(std::endian order, int orientation) {
    ByteVector block;
    ByteWriter writer(block, order);
    const auto entry = [&](std::uint16_t tag, std::uint16_t type, std::uint32_t count, std::uint32_t value) {
        writer.u16(tag);
        writer.u16(type);
        writer.u32(count);
        if (type == 3) {
            writer.u16(std::uint16_t(value));
            writer.u16(0);
        } else {
            writer.u32(value);
        }
    };
    writer.text(order == std::endian::little ? "II" : "MM");
    writer.u16(42);
    writer.u32(8);
    writer.u16(3);
    entry(0x010f, 2, 8, 200); // Make, at 200
    entry(0x0112, 3, 1, std::uint32_t(orientation));
    entry(0x8769, 4, 1, 100); // the Exif directory, at 100
    writer.u32(140);          // the thumbnail's directory
    block.resize(100);
    writer.u16(1);
    entry(0x927c, 7, 6, 210); // maker note
    writer.u32(0);
    block.resize(140);
    writer.u16(1);
    entry(0x0103, 3, 1, 6);
    writer.u32(0);
    block.resize(200);
    writer.text(std::string_view("Camera\0\0", 8));
    block.resize(210);
    writer.text("NOTES!");
    const auto *first = reinterpret_cast<const std::uint8_t *>(block.data());
    return {first, first + block.size()};
}

} // namespace tessera::test
