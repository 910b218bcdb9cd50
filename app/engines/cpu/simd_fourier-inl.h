// Fourier transforms of a tile, for large dense filters.
//
// The tile is complex: two real pictures are filtered at once, one as the real and one as the imaginary part, since a
// filter with real taps mixes neither. A transform runs along one axis while vectors run across the other, so that it
// knows no shuffles and its factors are the same for a whole vector; between the axes, blocks of 4x4 are transposed.
// Forward transforms decimate in frequency and leave their result in digit-reversed order, inverse ones decimate in
// time and take it in that order: nothing is ever put in order, as the filter's spectrum has the same.
#if defined(TESSERA_SIMD_FOURIER_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_SIMD_FOURIER_INL_H
#undef TESSERA_SIMD_FOURIER_INL_H
#else
#define TESSERA_SIMD_FOURIER_INL_H
#endif

#include "app/engines/cpu/simd_finish-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tessera::cpu::HWY_NAMESPACE {

// A complex vector, or a complex factor spread over one.
struct Complex {
    FloatVector re, im;
};

HWY_INLINE Complex operator+(const Complex &a, const Complex &b) { return {hn::Add(a.re, b.re), hn::Add(a.im, b.im)}; }
HWY_INLINE Complex operator-(const Complex &a, const Complex &b) { return {hn::Sub(a.re, b.re), hn::Sub(a.im, b.im)}; }
HWY_INLINE Complex operator*(const Complex &a, const Complex &b) {
    return {hn::NegMulAdd(a.im, b.im, hn::Mul(a.re, b.re)), hn::MulAdd(a.im, b.re, hn::Mul(a.re, b.im))};
}
// a times the conjugate of b.
HWY_INLINE Complex timesConjugate(const Complex &a, const Complex &b) {
    return {hn::MulAdd(a.im, b.im, hn::Mul(a.re, b.re)), hn::NegMulAdd(a.re, b.im, hn::Mul(a.im, b.re))};
}

// `count` complex vectors in a row: what one transform works on. It stays in the first-level cache.
struct Line {
    float *re;
    float *im;

    HWY_INLINE Complex load(std::size_t at) const { return {hn::Load(Floats(), re + at), hn::Load(Floats(), im + at)}; }
    HWY_INLINE void store(const Complex &value, std::size_t at) const {
        hn::Store(value.re, Floats(), re + at);
        hn::Store(value.im, Floats(), im + at);
    }
};

HWY_INLINE Complex factorAt(const float *factors) {
    return {hn::Set(Floats(), factors[0]), hn::Set(Floats(), factors[1])};
}

// The four values a quarter block apart, combined and turned: X[4k + r] of the block continues in quarter r.
HWY_INLINE void forwardButterfly(const Line &line, std::size_t at, std::size_t quarter, const Complex (&turn)[3]) {
    const Complex a = line.load(at), b = line.load(at + quarter);
    const Complex c = line.load(at + 2 * quarter), d = line.load(at + 3 * quarter);
    const Complex sumAC = a + c, sumBD = b + d, differenceAC = a - c, differenceBD = b - d;
    const Complex turned{differenceBD.im, hn::Neg(differenceBD.re)}; // times -i
    line.store(sumAC + sumBD, at);
    line.store((differenceAC + turned) * turn[0], at + quarter);
    line.store((sumAC - sumBD) * turn[1], at + 2 * quarter);
    line.store((differenceAC - turned) * turn[2], at + 3 * quarter);
}

HWY_INLINE void inverseButterfly(const Line &line, std::size_t at, std::size_t quarter, const Complex (&turn)[3]) {
    const Complex a = line.load(at);
    const Complex b = timesConjugate(line.load(at + quarter), turn[0]);
    const Complex c = timesConjugate(line.load(at + 2 * quarter), turn[1]);
    const Complex d = timesConjugate(line.load(at + 3 * quarter), turn[2]);
    const Complex sumAC = a + c, sumBD = b + d, differenceAC = a - c, differenceBD = b - d;
    const Complex turned{hn::Neg(differenceBD.im), differenceBD.re}; // times i
    line.store(sumAC + sumBD, at);
    line.store(differenceAC + turned, at + quarter);
    line.store(sumAC - sumBD, at + 2 * quarter);
    line.store(differenceAC - turned, at + 3 * quarter);
}

HWY_INLINE void pairButterfly(const Line &line, std::size_t at, std::size_t half) {
    const Complex a = line.load(at), b = line.load(at + half);
    line.store(a + b, at);
    line.store(a - b, at + half);
}

// One stage on all blocks of `block` values. Factors outside, blocks inside: a factor is loaded once.
template <bool forward> HWY_INLINE void stage(const Line &line, int count, int block, const float *factors) {
    const std::size_t lanes = hn::Lanes(Floats());
    const std::size_t quarter = std::size_t(block / 4) * lanes;
    const std::size_t end = std::size_t(count) * lanes;
    for (std::size_t j = 0; j < quarter; j += lanes, factors += 6) {
        const Complex turn[3] = {factorAt(factors), factorAt(factors + 2), factorAt(factors + 4)};
        for (std::size_t at = j; at < end; at += 4 * quarter) {
            if constexpr (forward)
                forwardButterfly(line, at, quarter, turn);
            else
                inverseButterfly(line, at, quarter, turn);
        }
    }
}

HWY_INLINE void pairStage(const Line &line, int count) {
    const std::size_t lanes = hn::Lanes(Floats());
    for (std::size_t at = 0; at < std::size_t(count) * lanes; at += 2 * lanes)
        pairButterfly(line, at, lanes);
}

HWY_INLINE void forwardTransform(const Line &line, const FourierFactors &factors) {
    int block = factors.count;
    const float *next = factors.values.data();
    for (; block >= 4; block /= 4) {
        stage<true>(line, factors.count, block, next);
        next += 6 * (block / 4);
    }
    if (block == 2)
        pairStage(line, factors.count);
}

HWY_INLINE void inverseTransform(const Line &line, const FourierFactors &factors) {
    const bool odd = (std::countr_zero(unsigned(factors.count)) & 1) != 0;
    if (odd)
        pairStage(line, factors.count);
    const float *next = factors.values.data() + factors.values.size();
    for (int block = odd ? 8 : 4; block <= factors.count; block *= 4) {
        next -= 6 * (block / 4);
        stage<false>(line, factors.count, block, next);
    }
}

#if HWY_TARGET != HWY_SCALAR
// Transposes 4x4: rows of `from` become columns of `to`.
HWY_INLINE void transposeBlock(const float *from, std::ptrdiff_t fromPitch, float *to, std::ptrdiff_t toPitch) {
    const hn::CappedTag<float, 4> four;
    const auto a = hn::LoadU(four, from), b = hn::LoadU(four, from + fromPitch);
    const auto c = hn::LoadU(four, from + 2 * fromPitch), d = hn::LoadU(four, from + 3 * fromPitch);
    const auto lowerAB = hn::InterleaveLower(four, a, b), upperAB = hn::InterleaveUpper(four, a, b);
    const auto lowerCD = hn::InterleaveLower(four, c, d), upperCD = hn::InterleaveUpper(four, c, d);
    hn::StoreU(hn::ConcatLowerLower(four, lowerCD, lowerAB), four, to);
    hn::StoreU(hn::ConcatUpperUpper(four, lowerCD, lowerAB), four, to + toPitch);
    hn::StoreU(hn::ConcatLowerLower(four, upperCD, upperAB), four, to + 2 * toPitch);
    hn::StoreU(hn::ConcatUpperUpper(four, upperCD, upperAB), four, to + 3 * toPitch);
}

#else
// One lane: a row is a line already. Only the loops below need the name.
HWY_INLINE void transposeBlock(const float *from, std::ptrdiff_t, float *to, std::ptrdiff_t) {
    std::memcpy(to, from, 4 * sizeof(float));
}
#endif

// A vector of rows of the tile, as a line along x, and back.
HWY_INLINE void rowsToLine(const float *rows, std::ptrdiff_t pitch, int width, float *line) {
    const int lanes = int(hn::Lanes(Floats()));
    for (int x = 0; x < width; x += 4)
        for (int y = 0; y < lanes; y += 4)
            transposeBlock(rows + y * pitch + x, pitch, line + x * lanes + y, lanes);
}

HWY_INLINE void lineToRows(const float *line, std::ptrdiff_t pitch, int width, float *rows) {
    const int lanes = int(hn::Lanes(Floats()));
    for (int x = 0; x < width; x += 4)
        for (int y = 0; y < lanes; y += 4)
            transposeBlock(line + x * lanes + y, lanes, rows + y * pitch + x, pitch);
}

// A vector of columns, copied together: their rows lie far apart in the tile.
HWY_INLINE void columnsToLine(const float *columns, std::ptrdiff_t pitch, int height, float *line) {
    const std::size_t lanes = hn::Lanes(Floats());
    for (int y = 0; y < height; ++y)
        hn::Store(hn::LoadU(Floats(), columns + y * pitch), Floats(), line + std::size_t(y) * lanes);
}

HWY_INLINE void lineToColumns(const float *line, std::ptrdiff_t pitch, int height, float *columns) {
    const std::size_t lanes = hn::Lanes(Floats());
    for (int y = 0; y < height; ++y)
        hn::StoreU(hn::Load(Floats(), line + std::size_t(y) * lanes), Floats(), columns + y * pitch);
}

template <bool forward> HWY_INLINE void transformColumns(const FourierTile &tile, const FourierFactors &factors) {
    HWY_ALIGN float re[maximumFourierSize * hn::MaxLanes(Floats())];
    HWY_ALIGN float im[maximumFourierSize * hn::MaxLanes(Floats())];
    const Line line{re, im};
    for (int x = 0; x < tile.width; x += int(hn::Lanes(Floats()))) {
        columnsToLine(tile.re + x, tile.pitch, tile.height, re);
        columnsToLine(tile.im + x, tile.pitch, tile.height, im);
        if constexpr (forward)
            forwardTransform(line, factors);
        else
            inverseTransform(line, factors);
        lineToColumns(re, tile.pitch, tile.height, tile.re + x);
        lineToColumns(im, tile.pitch, tile.height, tile.im + x);
    }
}

void forwardColumns(const FourierTile &tile, const FourierFactors &factors) { transformColumns<true>(tile, factors); }
void inverseColumns(const FourierTile &tile, const FourierFactors &factors) { transformColumns<false>(tile, factors); }

// Rows there, times the filter's spectrum, and back, while they are in the cache.
void filterRows(const FourierTile &tile, const FourierFactors &factors, const float *spectrum) {
    HWY_ALIGN float re[maximumFourierSize * hn::MaxLanes(Floats())];
    HWY_ALIGN float im[maximumFourierSize * hn::MaxLanes(Floats())];
    const Line line{re, im};
    const std::size_t lanes = hn::Lanes(Floats());
    for (int y = 0; y < tile.height; y += int(lanes)) {
        rowsToLine(tile.re + y * tile.pitch, tile.pitch, tile.width, re);
        rowsToLine(tile.im + y * tile.pitch, tile.pitch, tile.width, im);
        forwardTransform(line, factors);
        for (std::size_t at = 0; at < std::size_t(tile.width) * lanes; at += lanes, spectrum += 2 * lanes) {
            const Complex filter{hn::LoadU(Floats(), spectrum), hn::LoadU(Floats(), spectrum + lanes)};
            line.store(line.load(at) * filter, at);
        }
        inverseTransform(line, factors);
        lineToRows(re, tile.pitch, tile.width, tile.re + y * tile.pitch);
        lineToRows(im, tile.pitch, tile.width, tile.im + y * tile.pitch);
    }
}

// The second half of a filter's transform: rows, in the order in which filterRows takes them.
void spectrumOfRows(const FourierTile &tile, const FourierFactors &factors, float scale, float *spectrum) {
    HWY_ALIGN float re[maximumFourierSize * hn::MaxLanes(Floats())];
    HWY_ALIGN float im[maximumFourierSize * hn::MaxLanes(Floats())];
    const Line line{re, im};
    const std::size_t lanes = hn::Lanes(Floats());
    const FloatVector factor = hn::Set(Floats(), scale);
    for (int y = 0; y < tile.height; y += int(lanes)) {
        rowsToLine(tile.re + y * tile.pitch, tile.pitch, tile.width, re);
        rowsToLine(tile.im + y * tile.pitch, tile.pitch, tile.width, im);
        forwardTransform(line, factors);
        for (std::size_t at = 0; at < std::size_t(tile.width) * lanes; at += lanes, spectrum += 2 * lanes) {
            const Complex value = line.load(at);
            hn::StoreU(hn::Mul(value.re, factor), Floats(), spectrum);
            hn::StoreU(hn::Mul(value.im, factor), Floats(), spectrum + lanes);
        }
    }
}

} // namespace tessera::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
