#include "app/image/codecs/png_read.h"

#include "app/image/codecs/png_chunks.h"
#include "app/image/codecs/png_feed.h"
#include "app/image/codecs/png_library.h"

#include <bit>

namespace tessera::codecs {

namespace {

extern "C" void readPngBytes(png_structp png, png_bytep target, std::size_t count) {
    if (!static_cast<PngFeed *>(png_get_io_ptr(png))->read(reinterpret_cast<std::byte *>(target), count))
        png_error(png, "the data ends too early");
}

class PngReader {
public:
    PngReader(const Source &source, const PngChunks &chunks)
        : source_(source), feed_(source, chunks),
          png_(png_create_read_struct(PNG_LIBPNG_VER_STRING, &message_, tesseraPngError, tesseraPngWarning)) {
        info_ = png_ ? png_create_info_struct(png_) : nullptr;
        if (!info_)
            throw std::bad_alloc();
        png_set_read_fn(png_, &feed_, readPngBytes);
        if (feed_.isInflated()) { // everything has been checked, and what replaces it needs no check
            png_set_crc_action(png_, PNG_CRC_QUIET_USE, PNG_CRC_QUIET_USE);
#ifdef PNG_IGNORE_ADLER32
            png_set_option(png_, PNG_IGNORE_ADLER32, PNG_OPTION_ON);
#endif
        }
        png_set_user_limits(png_, 0x7fffffff, 0x7fffffff); // the limits were checked, and are not libpng's million
    }
    ~PngReader() { png_destroy_read_struct(&png_, &info_, nullptr); }
    PngReader(const PngReader &) = delete;
    PngReader &operator=(const PngReader &) = delete;

    void start() {
        run([this] {
            png_read_info(png_, info_);
            png_set_expand(png_); // palettes, 1, 2 and 4 bits, tRNS
            if constexpr (std::endian::native == std::endian::little)
                png_set_swap(png_);
            passes_ = png_set_interlace_handling(png_);
            png_read_update_info(png_, info_);
        });
    }
    std::size_t rowBytes() { return png_get_rowbytes(png_, info_); }
    // As png_read_image(), without a table of all rows: of a narrow picture it would be larger than the picture.
    void readRows(const PixelView &target) {
        run([&] {
            for (int pass = 0; pass < passes_; ++pass)
                for (int y = 0; y < target.height; ++y)
                    png_read_row(png_, target.row<png_byte>(y), nullptr);
            png_read_end(png_, nullptr);
        });
    }
    std::vector<std::uint8_t> profile() {
        png_charp name = nullptr;
        png_bytep data = nullptr;
        png_uint_32 size = 0;
        int method = 0;
        if (png_get_iCCP(png_, info_, &name, &method, &data, &size) != PNG_INFO_iCCP)
            return {};
        return {data, data + size};
    }

private:
    template <class Step> void run(const Step &step) {
        if (!pngSucceeds(png_, step))
            failDamaged(source_, std::string("PNG: ") + message_.text);
    }

    const Source &source_;
    PngFeed feed_;
    PngMessage message_;
    png_structp png_;
    png_infop info_ = nullptr;
    int passes_ = 1;
};

} // namespace

std::optional<Header> PngLoader::readHeader(const Source &source) const {
    const auto chunks = readPngChunks(source, false); // decode() checks the sums
    if (!chunks)
        return std::nullopt;
    return pngHeader(source, *chunks);
}

Image PngLoader::decode(const Source &source, const Header &header) const {
    const PngChunks chunks = *readPngChunks(source, true);
    PngReader reader(source, chunks);
    reader.start();
    Image image(header.info.width, header.info.height, header.info.format);
    const PixelView view = image.view();
    if (reader.rowBytes() != std::size_t(view.width) * std::size_t(view.format.bytesPerPixel()))
        failDamaged(source, "the PNG's header and its palette or transparency disagree");
    reader.readRows(view);
    image.metadata.iccProfile = reader.profile();
    image.metadata.exif = chunks.exif;
    return image;
}

} // namespace tessera::codecs
