#include "app/image/row_io.h"

#include "app/image/atomic_file.h"
#include "app/image/codecs/rows.h"
#include "app/image/display_name.h"
#include "app/image/format_limits.h"
#include "app/image/load_limits.h"
#include "app/image/orientation.h"
#include "app/image/turned_rows.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>

namespace tessera {

namespace codecs {

RowFile::RowFile(const std::filesystem::path &path, std::string shownName)
    : RowFile(FileHandle(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)), std::move(shownName)) {}

RowFile::RowFile(FileHandle file, std::string shownName) : name_(std::move(shownName)), file_(std::move(file)) {
    source_ = {{}, name_, true};
    struct stat status {};
    if (!file_ || ::fstat(file_.get(), &status) != 0)
        failInput(source_, "cannot be opened: " + std::generic_category().message(errno),
                  "check the name and the permissions");
    if (!S_ISREG(status.st_mode))
        failInput(source_, "is not a regular file", "name a picture file");
    size_ = source_.fileLength = std::uint64_t(status.st_size);
    constexpr std::uint64_t headBytes = 1 << 18;
    head_.resize(std::size_t(std::min(size_, headBytes)));
    read(head_.data(), head_.size(), 0);
    source_.bytes = head_;
}

std::size_t RowFile::readSome(std::byte *target, std::size_t count, std::uint64_t offset) const {
    while (true) {
        const ssize_t got = ::pread(file_.get(), target, count, off_t(offset));
        if (got >= 0)
            return std::size_t(got);
        if (errno != EINTR)
            failInput(source_, "cannot be read: " + std::generic_category().message(errno), "check the disk");
    }
}

void RowFile::read(std::byte *target, std::size_t count, std::uint64_t offset) const {
    while (count > 0) {
        const std::size_t got = readSome(target, count, offset);
        if (got == 0)
            failTruncated(source_, "the file ends before its pixels do");
        target += got;
        count -= got;
        offset += got;
    }
}

void failWriting(std::string_view format, int error) {
    failOutput(format, "the file cannot be written: " + std::generic_category().message(error),
               remedyForWriting(error));
}

void writeFully(int handle, Bytes content, std::string_view format) {
    while (!content.empty()) {
        const ssize_t count = ::write(handle, content.data(), std::min(content.size(), std::size_t(1) << 30));
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            failWriting(format, errno);
        content = content.subspan(std::size_t(count));
    }
}

} // namespace codecs

namespace {

codecs::StoredRows openStored(const std::shared_ptr<const codecs::RowFile> &file) {
    using Open = codecs::StoredRows (*)(std::shared_ptr<const codecs::RowFile>);
    static constexpr std::array ways{
        Open(codecs::openPnmRows),
#ifdef TESSERA_WITH_PNG
        Open(codecs::openPngRows),
#endif
#ifdef TESSERA_WITH_JPEG
        Open(codecs::openJpegRows),
#endif
#ifdef TESSERA_WITH_TIFF
        Open(codecs::openTiffRows),
#endif
    };
    for (const Open open : ways)
        if (codecs::StoredRows rows = open(file); rows.reader)
            return rows;
    return {};
}

} // namespace

std::unique_ptr<RowReader> openRows(const std::filesystem::path &path, const LoadLimits &limits,
                                    const std::filesystem::path &beside, const RunControl &control) {
    const auto file = std::make_shared<const codecs::RowFile>(path, displayName(path));
    codecs::StoredRows rows = openStored(file);
    if (!rows.reader)
        return nullptr;
    checkPixelLimit(file->source().name, rows.reader->info(), limits);
    return rows.orientation > 1 ? turnRows(std::move(rows.reader), rows.orientation, beside, control)
                                : std::move(rows.reader);
}

std::unique_ptr<RowReader> openWrittenRows(int handle, const std::string &name) {
    const auto file = std::make_shared<const codecs::RowFile>(FileHandle(::dup(handle)), name);
    codecs::StoredRows rows = openStored(file);
    if (!rows.reader)
        codecs::failDamaged(file->source(), "what was written is no picture that can be read by rows");
    return std::move(rows.reader);
}

ImageInfo probeFileRows(const std::filesystem::path &path) {
    const codecs::RowFile file(path, displayName(path));
#ifdef TESSERA_WITH_TIFF
    if (const auto info = codecs::probeTiffFile(file))
        return *info;
#endif
    codecs::failInput(file.source(), "its kind cannot be told from its beginning");
}

bool canWriteRows(const std::string &format, const ImageInfo &picture) {
    if (format == "pnm" || format == "ppm" || format == "pgm" || format == "pam")
        return picture.format.depth != Depth::F32;
#ifdef TESSERA_WITH_PNG
    if (format == "png")
        return true;
#endif
#ifdef TESSERA_WITH_JPEG
    if (format == "jpg")
        return std::max(picture.width, picture.height) <= longestJpegSide;
#endif
#ifdef TESSERA_WITH_TIFF
    if (format == "tiff")
        return true;
#endif
    return false;
}

std::unique_ptr<RowWriter> createRows(int handle, const std::string &format, int quality, const ImageInfo &picture,
                                      const ImageMetadata &metadata) {
#ifdef TESSERA_WITH_PNG
    if (format == "png")
        return codecs::createPngRows(handle, picture, metadata);
#endif
#ifdef TESSERA_WITH_JPEG
    if (format == "jpg")
        return codecs::createJpegRows(handle, quality, picture, metadata);
#endif
#ifdef TESSERA_WITH_TIFF
    if (format == "tiff")
        return codecs::createTiffRows(handle, picture, metadata);
#endif
    static_cast<void>(quality);
    static_cast<void>(metadata);
    return codecs::createPnmRows(handle, format, picture);
}

} // namespace tessera
