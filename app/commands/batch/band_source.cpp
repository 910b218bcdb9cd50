#include "app/commands/batch/band_source.h"

#include <algorithm>
#include <cstring>

namespace tessera {

namespace {

constexpr int rowsAtOnce = 64;

std::size_t rowBytesOf(const ConstPixelView &view) {
    return std::size_t(view.width) * std::size_t(view.format.bytesPerPixel());
}

// The rows that both have, where one begins with row `fromFirst` of the picture and the other with `toFirst`.
void copySharedRows(const ConstPixelView &from, int fromFirst, const PixelView &to, int toFirst) {
    const int end = std::min(fromFirst + from.height, toFirst + to.height);
    for (int y = std::max(fromFirst, toFirst); y < end; ++y)
        std::memcpy(to.row<std::byte>(y - toFirst), from.row<std::byte>(y - fromFirst), rowBytesOf(to));
}

} // namespace

BandSource::BandSource(std::unique_ptr<RowReader> reader, const BandReach &reach, const Reopen &reopen,
                       const RunControl &control)
    : reader_(std::move(reader)), info_(reader_->info()), reach_(reach),
      opaque_(reach.needsOpacity && info_.format.hasAlpha()) {
    if (!opaque_ && !reach.wraps)
        return;
    lookAhead(control);
    if (!reader_->rewind())
        reader_ = reopen();
}

// Ends where everything is known.
void BandSource::lookAhead(const RunControl &control) {
    const int edge = reach_.wraps ? std::min(reach_.rows, info_.height) : 0;
    if (edge > 0) {
        top_ = Image(info_.width, edge, info_.format);
        bottom_ = Image(info_.width, edge, info_.format);
    }
    Image rows(info_.width, std::min(rowsAtOnce, info_.height), info_.format);
    for (int y = 0; y < info_.height && (opaque_ || edge > 0); y += rowsAtOnce) {
        control.checkpoint();
        const PixelView part = rows.view().part({0, 0, rows.width(), std::min(rowsAtOnce, info_.height - y)});
        reader_->readRows(part);
        opaque_ = opaque_ && isOpaqueBand(part);
        if (edge > 0) {
            copySharedRows(part, y, top_.view(), 0);
            copySharedRows(part, y, bottom_.view(), info_.height - edge);
        }
    }
}

void BandSource::copyOtherEnd(Band &band, int from, int to) const {
    const int height = info_.height;
    const PixelView view = band.image.view();
    for (int y = from; y < to; ++y) {
        const int row = (y % height + height) % height;
        const ConstPixelView edge = y < 0 ? bottom_.view() : top_.view();
        const int edgeRow = y < 0 ? row - (height - edge.height) : row;
        std::memcpy(view.row<std::byte>(y - band.first), edge.row<std::byte>(edgeRow), rowBytesOf(view));
    }
}

Band BandSource::read(const Band *before, int rows) {
    Band band;
    band.begin = before ? before->end : 0;
    band.end = std::min(info_.height, band.begin + rows);
    if (band.begin >= info_.height)
        return band;
    band.first = band.begin - reach_.rows;
    int last = band.end + reach_.rows;
    if (!reach_.wraps) {
        band.first = std::max(0, band.first);
        last = std::min(info_.height, last);
    }
    band.image = Image(info_.width, last - band.first, info_.format);
    const PixelView view = band.image.view();
    if (before)
        copySharedRows(before->image.view(), before->first, view, band.first);
    else
        copyOtherEnd(band, band.first, 0);
    const int there = before ? before->first + before->image.height() : 0; // first row that is not there yet
    const int readTo = std::min(last, info_.height);
    if (readTo > there)
        reader_->readRows(view.part({0, there - band.first, view.width, readTo - there}));
    copyOtherEnd(band, std::max(there, info_.height), last);
    return band;
}

} // namespace tessera
