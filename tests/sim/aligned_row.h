// Memory for simulated kernels, aligned as the device's is.
#pragma once

#include "gpu/image/view.h"

#include <algorithm>
#include <new>

namespace tessera::sim {

// `count` values of T, all zero, on a 256-byte boundary.
template <class T> struct AlignedRow {
    explicit AlignedRow(int n)
        : count(n), data(static_cast<T *>(::operator new[](sizeof(T) * std::size_t(n) + 1, std::align_val_t{256}))) {
        std::fill(data, data + n, T{});
    }
    ~AlignedRow() { ::operator delete[](data, std::align_val_t{256}); }
    AlignedRow(const AlignedRow &) = delete;
    AlignedRow &operator=(const AlignedRow &) = delete;

    ImageView<T> view() { return {data, count, 1, std::ptrdiff_t(sizeof(T)) * count}; }
    ImageView<const T> constant() const { return {data, count, 1, std::ptrdiff_t(sizeof(T)) * count}; }

    int count;
    T *data;
};

} // namespace tessera::sim
