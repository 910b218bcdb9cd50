// --verify for a picture that goes through a batch in bands.
#pragma once

#include "app/commands/batch/batch_file.h"
#include "app/commands/batch/content_hash.h"
#include "app/commands/batch/verification.h"
#include "app/session/bands.h"

namespace tessera {

// One call of each at a time; addBand() and addWritten() may overlap.
class BandCheck {
public:
    explicit BandCheck(const BatchTask &task) : task_(task), reference_(referenceEngine()) {}

    // `result`: what the steps made of these rows of the band; they are computed again with the reference.
    void addBand(const Image &band, const Rectangle &rows, const BandPlace &place, const Image &result,
                 const RunControl &control);
    // The rows as they went into the file, in order.
    void addWritten(const ConstPixelView &rows);
    // Reads a lossless file again, whose pixels must be those that were written.
    Verification finish(int handle, const std::string &format, PixelFormat pixels, const std::string &variant,
                        const RunControl &control);

private:
    const BatchTask &task_;
    const EngineChoice reference_;
    DifferenceSums differences_;
    double largest_ = 0; // of the source
    PixelFormat source_;
    HashStream written_;
};

} // namespace tessera
