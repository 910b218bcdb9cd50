// Pictures read and written a few rows at a time, for those that are larger than the memory allows. What comes out is
// bit for bit what loadImage() and encodeImage() would give, but for how PNG is compressed.
//
// Read so: binary PNM, PAM and 8-bit or 16-bit samples of it; PNG without interlacing; baseline JPEG; TIFF in strips or
// tiles, grey or RGB, samples side by side; all of them also where EXIF says to turn them. Written so: pnm, ppm, pgm,
// pam, png, jpg, tiff.
#pragma once

#include "app/core/run_control.h"
#include "app/image/image_io.h"

#include <filesystem>
#include <memory>

namespace tessera {

class RowReader {
public:
    virtual ~RowReader() = default;
    virtual const ImageInfo &info() const = 0;
    virtual const ImageMetadata &metadata() const = 0;
    // The next rows, as many as `target` has; it has the picture's width and format. Throws Error{Input}.
    virtual void readRows(const PixelView &target) = 0;
    // After the last row: what stands behind the pixels is in order too. Throws Error{Input}.
    virtual void finish() {}
    // Back to the first row; false where the file has to be opened anew for that.
    virtual bool rewind() { return false; }
};

// Null where a file has to be decoded whole (a kind named nowhere above); errors as decodeImage() has them. A picture
// that has to be turned is put aside in a nameless file of its decoded size beside `beside`, the file that is to be
// made of it, with the first rows asked for; where the disk is too small for that it is an Error{Output}.
std::unique_ptr<RowReader> openRows(const std::filesystem::path &path, const LoadLimits &limits,
                                    const std::filesystem::path &beside, const RunControl &control);

// The rows of a file that createRows() has written, from its beginning on. Never null; `name` is for errors.
std::unique_ptr<RowReader> openWrittenRows(int handle, const std::string &name);

class RowWriter {
public:
    virtual ~RowWriter() = default;
    virtual void writeRows(const ConstPixelView &rows) = 0; // Throws Error{Output}.
    virtual void finish() = 0;
};

// Whether createRows() can write such pictures.
bool canWriteRows(const std::string &format, const ImageInfo &picture);

// Writes from the beginning of `handle`, which is open for reading and writing. `metadata` must outlive it.
std::unique_ptr<RowWriter> createRows(int handle, const std::string &format, int quality, const ImageInfo &picture,
                                      const ImageMetadata &metadata);

// What the header says, read from the file itself where its beginning does not tell: without reading it whole.
// Throws Error{Input} where it has to be read whole.
ImageInfo probeFileRows(const std::filesystem::path &path);

} // namespace tessera
