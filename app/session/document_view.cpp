#include "app/session/document_view.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace tessera {

DocumentView viewWithin(const DocumentView &view, int width, int height) {
    DocumentView inside = view;
    const Rectangle &region = view.region;
    const std::int64_t left = std::max(region.x, 0), top = std::max(region.y, 0);
    const std::int64_t right = std::min<std::int64_t>(std::int64_t(region.x) + region.width, width);
    const std::int64_t bottom = std::min<std::int64_t>(std::int64_t(region.y) + region.height, height);
    inside.region = right > left && bottom > top ? Rectangle{int(left), int(top), int(right - left), int(bottom - top)}
                                                 : Rectangle{};
    if (!std::isfinite(view.zoom) || view.zoom <= 0 || !std::isfinite(view.centreX) || !std::isfinite(view.centreY)) {
        inside.fitted = true;
        inside.zoom = 1;
        inside.centreX = inside.centreY = 0;
    }
    return inside;
}

} // namespace tessera
