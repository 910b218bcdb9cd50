// libtiff on memory instead of files, with its messages kept.
#pragma once

#include "app/image/codecs/codec.h"

#include <tiffio.h>

namespace tessera::codecs {

// Opens on construction; `handle()` is never null (else Error).
class TiffFile {
public:
    explicit TiffFile(const Source &source);        // for reading
    TiffFile(ByteVector &target, const char *mode); // for writing: "w" or, above 4 GiB, "w8"
    TiffFile(const Source &head, int file);         // for reading from a file; `head` is for errors
    TiffFile(int file, const char *mode);           // for writing into a file
    ~TiffFile();
    TiffFile(const TiffFile &) = delete;
    TiffFile &operator=(const TiffFile &) = delete;

    TIFF *handle() const { return handle_; }
    // The first error, or a warning that pixels were made up; empty while all went well.
    const std::string &failure() const { return failure_; }
    void keep(const char *module, const char *format, va_list values, bool warning);
    [[noreturn]] void failWriting() const;
    void close(); // writes what is still pending; throws Error{Output} where that fails

    // For libtiff's callbacks.
    tmsize_t writeToFile(Bytes content);
    Bytes input;
    ByteVector *output = nullptr;
    int file = -1; // instead of both
    std::size_t position = 0;
    int writeError = 0; // errno of a write that failed

private:
    void open(const char *mode);

    TIFF *handle_ = nullptr;
    std::string failure_;
};

template <class T> T tiffField(const TiffFile &file, std::uint32_t tag, T missing = {}) {
    T value{};
    return TIFFGetFieldDefaulted(file.handle(), tag, &value) ? value : missing;
}

} // namespace tessera::codecs
