#include "app/image/codecs/tiff_file.h"

#include "app/image/codecs/rows.h"

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

namespace tessera::codecs {

namespace {

TiffFile &fileOf(thandle_t handle) { return *static_cast<TiffFile *>(handle); }

extern "C" {

tmsize_t tiffRead(thandle_t handle, void *target, tmsize_t count) {
    TiffFile &file = fileOf(handle);
    if (file.file >= 0) {
        const ssize_t got = ::pread(file.file, target, std::size_t(count), off_t(file.position));
        file.position += std::size_t(std::max<ssize_t>(got, 0));
        return got;
    }
    const Bytes content = file.output ? Bytes(*file.output) : file.input;
    const std::size_t there = content.size() - std::min(content.size(), file.position);
    const std::size_t size = std::min(there, std::size_t(std::max<tmsize_t>(count, 0)));
    if (size > 0)
        std::memcpy(target, content.data() + file.position, size);
    file.position += size;
    return tmsize_t(size);
}

tmsize_t tiffWrite(thandle_t handle, void *source, tmsize_t count) {
    TiffFile &file = fileOf(handle);
    if (file.file >= 0) {
        return file.writeToFile({static_cast<const std::byte *>(source), std::size_t(std::max<tmsize_t>(count, 0))});
    }
    if (!file.output || count < 0)
        return -1;
    try {
        if (file.position + std::size_t(count) > file.output->size())
            file.output->resize(file.position + std::size_t(count));
    } catch (const std::exception &) {
        return -1;
    }
    std::memcpy(file.output->data() + file.position, source, std::size_t(count));
    file.position += std::size_t(count);
    return count;
}

std::size_t sizeOf(const TiffFile &file) {
    struct stat status {};
    if (file.file >= 0)
        return ::fstat(file.file, &status) == 0 ? std::size_t(status.st_size) : 0;
    return file.output ? file.output->size() : file.input.size();
}

toff_t tiffSeek(thandle_t handle, toff_t offset, int origin) {
    TiffFile &file = fileOf(handle);
    const std::size_t size = origin == SEEK_END ? sizeOf(file) : 0;
    file.position = std::size_t(offset) + (origin == SEEK_CUR ? file.position : origin == SEEK_END ? size : 0);
    return file.position;
}

int tiffClose(thandle_t) { return 0; }

toff_t tiffSize(thandle_t handle) { return sizeOf(fileOf(handle)); }

int tiffMap(thandle_t handle, void **base, toff_t *size) {
    TiffFile &file = fileOf(handle);
    if (file.output || file.file >= 0)
        return 0;
    *base = const_cast<std::byte *>(file.input.data()); // libtiff only reads it
    *size = file.input.size();
    return 1;
}

void tiffUnmap(thandle_t, void *, toff_t) {}

int tiffError(TIFF *, void *user, const char *module, const char *format, va_list values) {
    fileOf(user).keep(module, format, values, false);
    return 1;
}

int tiffWarning(TIFF *, void *user, const char *module, const char *format, va_list values) {
    fileOf(user).keep(module, format, values, true);
    return 1;
}

} // extern "C"

} // namespace

TiffFile::TiffFile(const Source &source) : input(source.bytes) {
    open("r");
    if (!handle_)
        failDamaged(source, "TIFF: " + (failure_.empty() ? "it states no directory" : failure_));
}

TiffFile::TiffFile(ByteVector &target, const char *mode) : output(&target) {
    open(mode);
    if (!handle_)
        failWriting();
}

TiffFile::TiffFile(const Source &head, int handle) : file(handle) {
    open("r");
    if (!handle_)
        failDamaged(head, "TIFF: " + (failure_.empty() ? "it states no directory" : failure_));
}

TiffFile::TiffFile(int handle, const char *mode) : file(handle) {
    open(mode);
    if (!handle_)
        failWriting();
}

TiffFile::~TiffFile() {
    if (handle_)
        TIFFClose(handle_);
}

void TiffFile::open(const char *mode) {
    constexpr tmsize_t largestAllocation = tmsize_t(1) << 30; // its own tables; pixels go to buffers of ours
    TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
    if (!options)
        throw std::bad_alloc();
    TIFFOpenOptionsSetMaxSingleMemAlloc(options, largestAllocation);
    TIFFOpenOptionsSetErrorHandlerExtR(options, tiffError, this);
    TIFFOpenOptionsSetWarningHandlerExtR(options, tiffWarning, this);
    handle_ = TIFFClientOpenExt("picture", mode, this, tiffRead, tiffWrite, tiffSeek, tiffClose, tiffSize, tiffMap,
                                tiffUnmap, options);
    TIFFOpenOptionsFree(options);
}

void TiffFile::keep(const char *module, const char *format, va_list values, bool warning) {
    // Most warnings concern unknown tags. libjpeg's say that it went on with pixels of its own making.
    const bool madeUp = module && std::string_view(module) == "JPEGLib";
    if (!failure_.empty() || (warning && !madeUp))
        return;
    // libtiff's numbers are made of what the file states, and can be any: "scanline 4294967295".
    const std::string_view what(format);
    if (what.starts_with("Read error ") || what.starts_with("Seek error at")) {
        failure_ = "the file ends before its pixels do";
        return;
    }
    char text[256];
    std::vsnprintf(text, sizeof(text), format, values);
    failure_ = text;
}

// A full disk takes what fits, and says why only to the next attempt.
tmsize_t TiffFile::writeToFile(Bytes content) {
    std::size_t done = 0;
    while (done < content.size()) {
        const ssize_t written = ::pwrite(file, content.data() + done, content.size() - done, off_t(position));
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0) {
            writeError = errno;
            return -1;
        }
        done += std::size_t(written);
        position += std::size_t(written);
    }
    return tmsize_t(done);
}

void TiffFile::failWriting() const {
    if (writeError != 0)
        codecs::failWriting("TIFF", writeError);
    failOutput("TIFF", failure_.empty() ? "the directory cannot be written" : failure_);
}

void TiffFile::close() {
    if (!TIFFWriteDirectory(handle_) || !failure_.empty())
        failWriting();
    TIFFClose(handle_);
    handle_ = nullptr;
}

} // namespace tessera::codecs
