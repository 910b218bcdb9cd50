// What passes over pixels are made of: rows over all cores, and the ends of integer values.
#pragma once

#include "app/core/run_control.h"
#include "app/core/thread_pool.h"
#include "app/image/image.h"

#include <algorithm>

namespace tessera {

template <class Body> void forEachRow(int rows, const RunControl &control, const Body &body) {
    ThreadPool::shared().parallelFor(std::size_t(rows), [&](std::size_t row) {
        control.checkpoint();
        body(int(row));
    });
}

// Applies `change` to every value of the channels whose bit is set.
template <class Change>
void changeValues(unsigned channels, const PixelView &values, const RunControl &control, const Change &change) {
    forEachRow(values.height, control, [&](int y) {
        float *row = values.row<float>(y);
        for (int i = 0, c = 0; i < values.width * values.format.channels; ++i) {
            if ((channels >> c & 1u) != 0)
                row[i] = change(row[i]);
            c = c + 1 == values.format.channels ? 0 : c + 1;
        }
    });
}

// As finishValue does for integers: a NaN becomes 0.
inline float limited(float value, float maximum) { return value > 0.0f ? std::min(value, maximum) : 0.0f; }

} // namespace tessera
