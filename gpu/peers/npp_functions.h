// NPP's filters behind one signature, whatever their pixel type. Built where NPP's headers were found.
#pragma once

#include "gpu/peers/library.h"
#include "gpu/peers/peer.h"

#include <functional>
#include <initializer_list>
#include <nppdefs.h>

namespace tessera::cuda {

struct NppFilterCall {
    const void *source = nullptr; // the first output's own pixel
    int sourceStep = 0;
    NppiSize sourceSize{};    // of the whole picture
    NppiPoint sourceOffset{}; // of `source` in it
    void *target = nullptr;
    int targetStep = 0;
    NppiSize region{};
    const Npp32f *taps = nullptr; // device memory
    NppiSize tapsSize{};
    NppiPoint anchor{};
    NppStreamContext context{};
};

using NppFilter = std::function<NppStatus(const NppFilterCall &)>;

struct NppFilterPair {
    NppFilter bordered; // replicates the picture's rim
    NppFilter plain;    // reads beyond the region as if there were pixels
    const char *borderedName = "";
    const char *plainName = "";
};

// The first of `names` that can be opened, after libnppc, which all of NPP's libraries need: opened first, it is found
// wherever it lies.
peers::OpenLibrary openNpp(std::initializer_list<const char *> names);

// libnppif, which filters.
struct NppFilters {
    peers::OpenLibrary library;
    NppFilterPair pairs[4][2]; // by ScalarType; one channel, four channels

    const NppFilterPair &of(ScalarType type, int channels) const { return pairs[int(type)][channels == 1 ? 0 : 1]; }
};
const NppFilters &nppFilters();

// Of the current device.
NppStreamContext nppContext(StreamView stream);

// Throws PeerError for errors; NPP's warnings are positive.
void checkNpp(NppStatus status, const char *call);

// What NPP's headers leave open, found out by running a filter on a picture of one bright pixel: which way round the
// taps are taken, from which end the anchor counts, and how integers are rounded.
struct NppConvention {
    bool tapsReversed = true;   // the caller turns them round to get a correlation
    bool anchorFromEnd = false; // the caller passes size - 1 - anchor
    Rounding rounding = Rounding::NearestEven;
};

// Throws PeerError for an order that is not known, and where pixels beside the region do not count. NPP has functions
// of its own for some sizes, so that each job's size is asked by itself: of version 13, nppiFilter with 3x3 and 5x5
// taps repeats the region's edge instead of reading beyond it, with others it reads.
NppConvention probeNpp(const NppFilter &filter, const char *name, const ConvolutionRequest &request, StreamView stream);

} // namespace tessera::cuda
