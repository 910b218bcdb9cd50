// What the formats offer for reading and writing by rows. See app/image/row_io.h.
#pragma once

#include "app/image/codecs/codec.h"
#include "app/image/file_handle.h"
#include "app/image/row_io.h"

namespace tessera::codecs {

// A file that is read from the front. `source` is its head.
class RowFile {
public:
    RowFile(const std::filesystem::path &path, std::string shownName);
    RowFile(FileHandle file, std::string shownName);

    const Source &source() const { return source_; }
    int handle() const { return file_.get(); }
    std::uint64_t size() const { return size_; }
    // Exactly `count` bytes at `offset`; throws Error{Input} where there are fewer.
    void read(std::byte *target, std::size_t count, std::uint64_t offset) const;
    // Up to `count`; 0 at the end.
    std::size_t readSome(std::byte *target, std::size_t count, std::uint64_t offset) const;

private:
    std::string name_;
    FileHandle file_;
    std::uint64_t size_ = 0;
    ByteVector head_;
    Source source_;
};

// Rows as they are in the file, and EXIF's orientation of them.
struct StoredRows {
    std::unique_ptr<RowReader> reader;
    int orientation = 1;
};

// Each without a reader where the file is another format's, or of a kind that cannot be read so.
StoredRows openPnmRows(std::shared_ptr<const RowFile> file);
#ifdef TESSERA_WITH_PNG
StoredRows openPngRows(std::shared_ptr<const RowFile> file);
std::unique_ptr<RowWriter> createPngRows(int handle, const ImageInfo &picture, const ImageMetadata &metadata);
#endif
#ifdef TESSERA_WITH_JPEG
StoredRows openJpegRows(std::shared_ptr<const RowFile> file);
std::unique_ptr<RowWriter> createJpegRows(int handle, int quality, const ImageInfo &picture,
                                          const ImageMetadata &metadata);
#endif
#ifdef TESSERA_WITH_TIFF
StoredRows openTiffRows(std::shared_ptr<const RowFile> file);
std::unique_ptr<RowWriter> createTiffRows(int handle, const ImageInfo &picture, const ImageMetadata &metadata);
std::optional<ImageInfo> probeTiffFile(const RowFile &file);
#endif
std::unique_ptr<RowWriter> createPnmRows(int handle, const std::string &format, const ImageInfo &picture);

// Throws Error{Output} for an `errno` of writing.
[[noreturn]] void failWriting(std::string_view format, int error);

// All of it; throws Error{Output}.
void writeFully(int handle, Bytes content, std::string_view format);

} // namespace tessera::codecs
