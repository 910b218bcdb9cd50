#include "app/commands/batch/band_check.h"

#include "app/engines/reach.h"
#include "app/session/chain_reach.h"

#include <algorithm>

namespace tessera {

namespace {

void addRows(HashStream &hash, const ConstPixelView &rows) {
    const std::size_t rowBytes = std::size_t(rows.width) * std::size_t(rows.format.bytesPerPixel());
    for (int y = 0; y < rows.height; ++y)
        hash.add({rows.row<std::byte>(y), rowBytes});
}

std::string hashOfFile(RowReader &reader, const RunControl &control) {
    constexpr int rowsAtOnce = 64;
    const ImageInfo info = reader.info();
    Image rows(info.width, std::min(rowsAtOnce, info.height), info.format);
    HashStream hash;
    for (int y = 0; y < info.height; y += rowsAtOnce) {
        control.checkpoint();
        const PixelView part = rows.view().part({0, 0, info.width, std::min(rowsAtOnce, info.height - y)});
        reader.readRows(part);
        addRows(hash, part);
    }
    reader.finish();
    return hash.finish();
}

} // namespace

void BandCheck::addBand(const Image &band, const Rectangle &rows, const BandPlace &place, const Image &result,
                        const RunControl &control) {
    const Image expected = runPipelineBand(band, rows, task_.steps, reference_, task_.depth, place, control);
    OpenSamples open = openSamples(band.view(), task_.steps, task_.depth, place.opaque);
    open.samples = open.samples.part(rows);
    openThinAlpha(open, expected.view(), task_.steps, band.format());
    differences_.add(differenceSums(result, expected, open));
    largest_ = std::max(largest_, largestMagnitude(band.view()));
    source_ = band.format();
}

void BandCheck::addWritten(const ConstPixelView &rows) { addRows(written_, rows); }

Verification BandCheck::finish(int handle, const std::string &format, PixelFormat pixels, const std::string &variant,
                               const RunControl &control) {
    Verification verification =
        judge(differences_, pixels.depth, boundOf(task_.steps, source_, largest_, task_.depth), variant);
    verification.lossless = !formatForExtension(format)->lossy;
    if (!verification.lossless)
        return verification;
    const auto reader = openWrittenRows(handle, "the encoded picture");
    // Formats without grey store three equal channels: the shape alone tells no error then.
    verification.fileMatches =
        reader->info().format.depth == pixels.depth &&
        (reader->info().format.channels != pixels.channels || hashOfFile(*reader, control) == written_.finish());
    return verification;
}

} // namespace tessera
