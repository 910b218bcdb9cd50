// A picture read in bands: consecutive rows, with as many around them as the filters reach.
#pragma once

#include "app/image/row_io.h"
#include "app/session/bands.h"

#include <functional>
#include <memory>

namespace tessera {

// Rows of the picture in memory, and which of them are this band's own. Rows are counted from the picture's first;
// where it wraps around, those before it and behind its last are rows of its other end.
struct Band {
    Image image;
    int first = 0;          // row that the image begins with
    int begin = 0, end = 0; // the band's own rows
};

class BandSource {
public:
    using Reopen = std::function<std::unique_ptr<RowReader>()>;

    // Where the reach asks for something of the whole picture, that is read once before; `reopen` gives the same
    // picture from its first row again, for readers that cannot go back.
    BandSource(std::unique_ptr<RowReader> reader, const BandReach &reach, const Reopen &reopen,
               const RunControl &control);

    const ImageInfo &info() const { return info_; }
    const ImageMetadata &metadata() const { return reader_->metadata(); }
    bool opaque() const { return opaque_; } // of the whole picture; false where nobody asked

    // The band behind `before` (null: the first one), at most `rows` rows of its own; without any at the picture's end.
    Band read(const Band *before, int rows);
    void finish() { reader_->finish(); }

private:
    void lookAhead(const RunControl &control);
    void copyOtherEnd(Band &band, int from, int to) const;

    std::unique_ptr<RowReader> reader_;
    const ImageInfo info_;
    const BandReach reach_;
    bool opaque_ = false;
    Image top_, bottom_; // the picture's outermost rows, where it wraps around
};

} // namespace tessera
