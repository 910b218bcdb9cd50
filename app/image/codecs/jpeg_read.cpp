#include "app/image/codecs/cmyk.h"
#include "app/image/codecs/jpeg_codec.h"
#include "app/image/codecs/jpeg_library.h"
#include "app/image/codecs/jpeg_segments.h"

namespace tessera::codecs {

namespace {

extern "C" void watchScans(j_common_ptr codec) {
    if (reinterpret_cast<j_decompress_ptr>(codec)->input_scan_number > mostJpegScans)
        ERREXIT(codec, JERR_BAD_PROGRESSION);
}

class JpegReader {
public:
    explicit JpegReader(const Source &source) : source_(source) {
        codec_.err = setUpJpegErrors(errors_);
        run([this] {
            jpeg_create_decompress(&codec_);
            jpeg_mem_src(&codec_, reinterpret_cast<const unsigned char *>(source_.bytes.data()), source_.bytes.size());
        });
        progress_.progress_monitor = watchScans;
        codec_.progress = &progress_;
    }
    ~JpegReader() { jpeg_destroy_decompress(&codec_); }
    JpegReader(const JpegReader &) = delete;
    JpegReader &operator=(const JpegReader &) = delete;

    void start() {
        run([this] {
            jpeg_read_header(&codec_, TRUE);
            codec_.out_color_space = codec_.num_components == 1   ? JCS_GRAYSCALE
                                     : codec_.num_components == 4 ? JCS_CMYK
                                                                  : JCS_RGB;
            jpeg_start_decompress(&codec_);
        });
    }
    bool fits(const ImageInfo &info) const {
        return codec_.output_width == JDIMENSION(info.width) && codec_.output_height == JDIMENSION(info.height) &&
               (codec_.output_components == info.format.channels || isCmyk());
    }
    bool isCmyk() const { return codec_.output_components == 4; }
    bool isInverted() const { return codec_.saw_Adobe_marker; }
    void readRow(JSAMPROW row) {
        run([this, row] {
            JSAMPROW rows[] = {row};
            jpeg_read_scanlines(&codec_, rows, 1);
        });
    }
    void finish() {
        run([this] { jpeg_finish_decompress(&codec_); });
    }

private:
    template <class Step> void run(const Step &step) { readJpeg(errors_, source_, step); }

    const Source &source_;
    JpegErrors errors_;
    jpeg_progress_mgr progress_{};
    jpeg_decompress_struct codec_{};
};

} // namespace

std::optional<Header> JpegLoader::readHeader(const Source &source) const {
    const auto segments = readJpegSegments(source, false);
    if (!segments)
        return std::nullopt;
    return jpegHeader(source, *segments);
}

Image JpegLoader::decode(const Source &source, const Header &header) const {
    JpegSegments segments = *readJpegSegments(source, false);
    JpegReader reader(source);
    reader.start();
    if (!reader.fits(header.info))
        failDamaged(source, "the JPEG states its size or its colours twice, differently");
    Image image(header.info.width, header.info.height, header.info.format);
    const PixelView view = image.view();
    if (reader.isCmyk()) {
        const CmykConverter converter(segments.iccProfile, reader.isInverted());
        std::vector<std::uint8_t> inks(std::size_t(view.width) * 4);
        for (int y = 0; y < view.height; ++y) {
            reader.readRow(inks.data());
            converter.convertRow(inks.data(), view.row<std::uint8_t>(y), view.width);
        }
        segments.iccProfile.clear(); // it described the inks
    } else {
        for (int y = 0; y < view.height; ++y)
            reader.readRow(view.row<std::uint8_t>(y));
    }
    reader.finish();
    image.metadata.iccProfile = std::move(segments.iccProfile);
    image.metadata.exif = std::move(segments.exif);
    return image;
}

} // namespace tessera::codecs
