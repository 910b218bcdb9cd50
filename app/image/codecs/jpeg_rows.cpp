// JPEG read a row after the other from a file. Baseline only: a progressive picture has to be known whole before its
// first row is.
#include "app/image/codecs/jpeg_library.h"
#include "app/image/codecs/jpeg_segments.h"
#include "app/image/codecs/rows.h"
#include "app/image/exif.h"

#include <algorithm>

namespace tessera::codecs {

namespace {

struct FileSource {
    jpeg_source_mgr manager; // first, so that a pointer to it is one to the whole
    const RowFile *file;
    std::uint64_t offset;
    JOCTET buffer[1 << 16];
};

extern "C" {

void startJpegSource(j_decompress_ptr) {}

boolean fillJpegSource(j_decompress_ptr codec) {
    auto *source = reinterpret_cast<FileSource *>(codec->src);
    std::size_t count = 0;
    try { // no exception may pass through libjpeg
        count = source->file->readSome(reinterpret_cast<std::byte *>(source->buffer), sizeof source->buffer,
                                       source->offset);
    } catch (const Error &) {
    }
    if (count == 0)
        WARNMS(codec, JWRN_JPEG_EOF); // counts as an error: see jpeg_library.h
    source->offset += count;
    source->manager.next_input_byte = source->buffer;
    source->manager.bytes_in_buffer = count;
    return TRUE;
}

void skipJpegSource(j_decompress_ptr codec, long count) {
    jpeg_source_mgr *manager = codec->src;
    while (count > 0) {
        if (manager->bytes_in_buffer == 0)
            fillJpegSource(codec);
        const auto step = std::min<std::size_t>(std::size_t(count), manager->bytes_in_buffer);
        manager->next_input_byte += step;
        manager->bytes_in_buffer -= step;
        count -= long(step);
    }
}

void endJpegSource(j_decompress_ptr) {}

} // extern "C"

class JpegRows : public RowReader {
public:
    JpegRows(std::shared_ptr<const RowFile> file, ImageInfo info, JpegSegments segments)
        : file_(std::move(file)), info_(std::move(info)) {
        metadata_.iccProfile = std::move(segments.iccProfile);
        metadata_.exif = std::move(segments.exif);
        resetExif(metadata_.exif);
        metadata_.sourceFormat = info_.fileFormat;
        source_.manager = {nullptr,      0, startJpegSource, fillJpegSource, skipJpegSource, jpeg_resync_to_restart,
                           endJpegSource};
        source_.file = file_.get();
        source_.offset = 0;
        codec_.err = setUpJpegErrors(errors_);
        run([this] {
            jpeg_create_decompress(&codec_);
            codec_.src = &source_.manager;
            jpeg_read_header(&codec_, TRUE);
            codec_.out_color_space = codec_.num_components == 1 ? JCS_GRAYSCALE : JCS_RGB;
            jpeg_start_decompress(&codec_);
        });
        if (codec_.output_width != JDIMENSION(info_.width) || codec_.output_height != JDIMENSION(info_.height) ||
            codec_.output_components != info_.format.channels)
            failDamaged(file_->source(), "the JPEG states its size or its colours twice, differently");
    }
    ~JpegRows() override { jpeg_destroy_decompress(&codec_); }
    JpegRows(const JpegRows &) = delete;
    JpegRows &operator=(const JpegRows &) = delete;

    const ImageInfo &info() const override { return info_; }
    const ImageMetadata &metadata() const override { return metadata_; }
    void readRows(const PixelView &target) override {
        run([&] {
            for (int y = 0; y < target.height; ++y) {
                JSAMPROW rows[] = {target.row<JSAMPLE>(y)};
                jpeg_read_scanlines(&codec_, rows, 1);
            }
        });
    }
    void finish() override {
        run([this] { jpeg_finish_decompress(&codec_); });
    }

private:
    template <class Step> void run(const Step &step) { readJpeg(errors_, file_->source(), step); }

    std::shared_ptr<const RowFile> file_;
    const ImageInfo info_;
    ImageMetadata metadata_;
    FileSource source_;
    JpegErrors errors_;
    jpeg_decompress_struct codec_{};
};

} // namespace

StoredRows openJpegRows(std::shared_ptr<const RowFile> file) {
    constexpr int baseline = 0xc0, extendedSequential = 0xc1;
    auto segments = readJpegSegments(file->source(), false);
    if (!segments || (segments->process != baseline && segments->process != extendedSequential))
        return {};
    Header header = jpegHeader(file->source(), *segments);
    if (segments->components == 4)
        return {};
    return {std::make_unique<JpegRows>(std::move(file), std::move(header.info), std::move(*segments)),
            header.orientation};
}

} // namespace tessera::codecs
