// Where a picture is looked at, and what is marked in it: kept with the document, so that it comes back with it. No
// edit: nothing to undo, nothing to save.
#pragma once

#include "app/image/image.h"

#include <optional>
#include <utility>

namespace tessera {

struct DocumentView {
    Rectangle region;                // marked by the user, inside the picture; empty: none
    bool fitted = true;              // to the window, whatever its size; else
    double zoom = 1;                 // screen pixels a picture pixel, and
    double centreX = 0, centreY = 0; // the place in the middle, in picture coordinates

    std::optional<std::pair<int, int>> pixel = std::nullopt; // that keys have put the inspector on; in no file

    friend bool operator==(const DocumentView &, const DocumentView &) = default;
};

// As much of it as there is in a picture of this size; whatever a file may hold.
DocumentView viewWithin(const DocumentView &view, int width, int height);

} // namespace tessera
