// PNG read a row after the other from a file.
#include "app/image/codecs/png_chunks.h"
#include "app/image/codecs/png_library.h"
#include "app/image/codecs/rows.h"
#include "app/image/exif.h"

#include <bit>

namespace tessera::codecs {

namespace {

// What libpng's callback reads from. Exceptions must not pass through libpng: a short read is told to it.
struct Feed {
    const RowFile *file;
    std::uint64_t offset = 0;
};

extern "C" void readPngFromFile(png_structp png, png_bytep target, std::size_t count) {
    auto *feed = static_cast<Feed *>(png_get_io_ptr(png));
    bool complete = false;
    try {
        feed->file->read(reinterpret_cast<std::byte *>(target), count, feed->offset);
        complete = true;
    } catch (const Error &) {
    }
    feed->offset += count;
    if (!complete)
        png_error(png, "the data ends too early");
}

class PngRows : public RowReader {
public:
    PngRows(std::shared_ptr<const RowFile> file, Header header)
        : file_(std::move(file)), info_(std::move(header.info)), feed_{file_.get()},
          png_(png_create_read_struct(PNG_LIBPNG_VER_STRING, &message_, tesseraPngError, tesseraPngWarning)) {
        pngInfo_ = png_ ? png_create_info_struct(png_) : nullptr;
        if (!pngInfo_)
            throw std::bad_alloc();
        png_set_read_fn(png_, &feed_, readPngFromFile);
        png_set_user_limits(png_, 0x7fffffff, 0x7fffffff);
        run([this] {
            png_read_info(png_, pngInfo_);
            png_set_expand(png_);
            if constexpr (std::endian::native == std::endian::little)
                png_set_swap(png_);
            png_read_update_info(png_, pngInfo_);
        });
        if (png_get_rowbytes(png_, pngInfo_) != std::size_t(info_.width) * std::size_t(info_.format.bytesPerPixel()))
            failDamaged(file_->source(), "the PNG's header and its palette or transparency disagree");
        takeMetadata();
    }
    ~PngRows() override { png_destroy_read_struct(&png_, &pngInfo_, nullptr); }
    PngRows(const PngRows &) = delete;
    PngRows &operator=(const PngRows &) = delete;

    const ImageInfo &info() const override { return info_; }
    const ImageMetadata &metadata() const override { return metadata_; }
    void readRows(const PixelView &target) override {
        run([&] {
            for (int y = 0; y < target.height; ++y)
                png_read_row(png_, target.row<png_byte>(y), nullptr);
        });
    }
    void finish() override {
        run([this] { png_read_end(png_, pngInfo_); });
        // EXIF may stand behind the pixels, which have been used as they are by now.
        const std::vector<std::uint8_t> known = std::move(metadata_.exif);
        takeMetadata();
        if (metadata_.exif != known)
            failInput(file_->source(), "its EXIF data stands behind its pixels, so it cannot be filtered in bands",
                      "raise --max-memory, or save it again with the EXIF data in front");
    }

private:
    template <class Step> void run(const Step &step) {
        if (!pngSucceeds(png_, step))
            failDamaged(file_->source(), std::string("PNG: ") + message_.text);
    }
    void takeMetadata() {
        metadata_.sourceFormat = info_.fileFormat;
        png_charp name = nullptr;
        png_bytep data = nullptr;
        png_uint_32 size = 0;
        int method = 0;
        if (png_get_iCCP(png_, pngInfo_, &name, &method, &data, &size) == PNG_INFO_iCCP)
            metadata_.iccProfile.assign(data, data + size);
        if (png_get_eXIf_1(png_, pngInfo_, &size, &data) == PNG_INFO_eXIf)
            metadata_.exif.assign(data, data + size);
        resetExif(metadata_.exif);
    }

    std::shared_ptr<const RowFile> file_;
    const ImageInfo info_;
    ImageMetadata metadata_;
    Feed feed_;
    PngMessage message_;
    png_structp png_;
    png_infop pngInfo_ = nullptr;
};

} // namespace

StoredRows openPngRows(std::shared_ptr<const RowFile> file) {
    const auto chunks = readPngChunks(file->source(), false);
    if (!chunks || chunks->interlaced)
        return {};
    Header header = pngHeader(file->source(), *chunks);
    const int orientation = header.orientation;
    return {std::make_unique<PngRows>(std::move(file), std::move(header)), orientation};
}

} // namespace tessera::codecs
