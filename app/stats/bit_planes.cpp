// Written for one family of instruction sets, as Highway 1.0 has no name for products of bit matrices.
#include "app/stats/bit_planes.h"

#include "app/stats/channel_rows.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define TESSERA_BIT_PLANES 1
#include <immintrin.h>
#define TESSERA_PLANES_TARGET                                                                                          \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi,avx512vnni,avx512vpopcntdq,gfni")))
#endif

namespace tessera {

#if defined(TESSERA_BIT_PLANES)

namespace {

// Of every 8 samples one byte for each bit; then bytes of the same bit come together. The order of the samples within a
// plane is of no interest, only that it is the same in all.
TESSERA_PLANES_TARGET inline void turn(const std::uint8_t *samples, __m512i (&plane)[8]) {
    const __m512i identity = _mm512_set1_epi64(0x8040201008040201);
    __m512i bits[8], bytes[8], words[8], doubles[8];
    for (int i = 0; i < 8; ++i)
        bits[i] = _mm512_gf2p8affine_epi64_epi8(identity, _mm512_loadu_si512(samples + 64 * i), 0);
    for (int i = 0; i < 4; ++i) { // [side][pair]
        bytes[i] = _mm512_unpacklo_epi8(bits[2 * i], bits[2 * i + 1]);
        bytes[4 + i] = _mm512_unpackhi_epi8(bits[2 * i], bits[2 * i + 1]);
    }
    for (int i = 0; i < 4; ++i) { // [side][four][half]
        const int from = 2 * i;
        words[2 * i] = _mm512_unpacklo_epi16(bytes[from], bytes[from + 1]);
        words[2 * i + 1] = _mm512_unpackhi_epi16(bytes[from], bytes[from + 1]);
    }
    for (int side = 0; side < 2; ++side)
        for (int half = 0; half < 2; ++half) {
            doubles[4 * side + 2 * half] = _mm512_unpacklo_epi32(words[4 * side + half], words[4 * side + 2 + half]);
            doubles[4 * side + 2 * half + 1] =
                _mm512_unpackhi_epi32(words[4 * side + half], words[4 * side + 2 + half]);
        }
    for (int i = 0; i < 4; ++i) {
        plane[2 * i] = _mm512_unpacklo_epi64(doubles[i], doubles[4 + i]);
        plane[2 * i + 1] = _mm512_unpackhi_epi64(doubles[i], doubles[4 + i]);
    }
}

// quarter[v]: where two bits make v.
TESSERA_PLANES_TARGET inline void combine(const __m512i *bit, __m512i (&quarter)[4]) {
    const __m512i neither = _mm512_ternarylogic_epi64(bit[0], bit[1], bit[1], 0x03); // ~(a | b)
    quarter[0] = neither;
    quarter[1] = _mm512_andnot_si512(bit[1], bit[0]);
    quarter[2] = _mm512_andnot_si512(bit[0], bit[1]);
    quarter[3] = _mm512_and_si512(bit[0], bit[1]);
}
TESSERA_PLANES_TARGET inline bool isEmpty(__m512i plane) { return _mm512_test_epi64_mask(plane, plane) == 0; }

// Several blocks at once, so that a level's counters are read and written once for all of them.
template <int together> TESSERA_PLANES_TARGET inline void count(const std::uint8_t *samples, BitPlaneCounts &counts) {
    __m512i quarters[together][4][4], lower[together][16];
    for (int n = 0; n < together; ++n) {
        __m512i plane[8];
        turn(samples + n * bitPlaneBlock, plane);
        for (int i = 0; i < 4; ++i)
            combine(plane + 2 * i, quarters[n][i]);
        for (int v = 0; v < 16; ++v)
            lower[n][v] = _mm512_and_si512(quarters[n][0][v & 3], quarters[n][1][v >> 2]);
    }
    for (int u = 0; u < 16; ++u) {
        __m512i upper[together], any = _mm512_setzero_si512();
        for (int n = 0; n < together; ++n) {
            upper[n] = _mm512_and_si512(quarters[n][2][u & 3], quarters[n][3][u >> 2]);
            any = _mm512_or_si512(any, upper[n]);
        }
        if (isEmpty(any))
            continue;
        auto *const levels = reinterpret_cast<__m512i *>(counts.level[std::size_t(16 * u)].data());
        for (int v = 0; v < 16; ++v) {
            __m512i sum = levels[v];
            for (int n = 0; n < together; ++n)
                sum = _mm512_add_epi64(sum, _mm512_popcnt_epi64(_mm512_and_si512(upper[n], lower[n][v])));
            levels[v] = sum;
        }
    }
}

TESSERA_PLANES_TARGET void count(const std::uint8_t *samples, int blocks, BitPlaneCounts &counts) {
    constexpr int together = 2;
    for (; blocks >= together; blocks -= together, samples += together * bitPlaneBlock)
        count<together>(samples, counts);
    for (; blocks > 0; --blocks, samples += bitPlaneBlock)
        count<1>(samples, counts);
}

// What takes every third of 192 bytes from three vectors: of the first two, then of the last where it lies there; and
// what puts 16 pixels of three bytes into four bytes each.
struct alignas(64) Places {
    std::uint8_t first[3][64] = {}, last[3][64] = {}, apart[64] = {};
    std::uint64_t fromLast[3] = {};

    constexpr Places() {
        for (int channel = 0; channel < 3; ++channel)
            for (int i = 0; i < 64; ++i) {
                const int at = 3 * i + channel;
                first[channel][i] = std::uint8_t(at & 127);
                last[channel][i] = std::uint8_t(at & 63);
                fromLast[channel] |= std::uint64_t(at >= 128) << i;
            }
        for (int i = 0; i < 64; ++i)
            apart[i] = std::uint8_t(i / 4 * 3 + i % 4);
    }
};
constexpr Places places;

// Each weight in two signed digits of eight bits, for dot products of bytes.
constexpr int lowDigit(int weight) { return (weight + 128) % 256 - 128; }
constexpr int highDigit(int weight) { return (weight - lowDigit(weight)) / 256; }
static_assert(highDigit(lumaGreen / 2) < 128);
constexpr int digits(int red, int green, int blue) { return (red & 255) | (green & 255) << 8 | (blue & 255) << 16; }

// Luminance as lumaLevels() has it, halves of the weights and all.
TESSERA_PLANES_TARGET void separate(const std::uint8_t *row, int pixels, std::uint8_t *planes, int stride) {
    const __m512i fours = _mm512_load_si512(places.apart);
    constexpr int r = lumaRed / 2, g = lumaGreen / 2, b = lumaBlue / 2;
    const __m512i low = _mm512_set1_epi32(digits(lowDigit(r), lowDigit(g), lowDigit(b)));
    const __m512i high = _mm512_set1_epi32(digits(highDigit(r), highDigit(g), highDigit(b)));
    const __m512 reciprocal = _mm512_set1_ps(1.0f / float(lumaWhole / 2)), whole = _mm512_set1_ps(0x1p23f);
    for (int x = 0; x < pixels; x += 64, row += 192) {
        const __m512i a = _mm512_loadu_si512(row), c = _mm512_loadu_si512(row + 64), d = _mm512_loadu_si512(row + 128);
        for (int channel = 0; channel < 3; ++channel) {
            const __m512i most = _mm512_permutex2var_epi8(a, _mm512_load_si512(places.first[channel]), c);
            _mm512_storeu_si512(planes + channel * stride + x,
                                _mm512_mask_permutexvar_epi8(most, places.fromLast[channel],
                                                             _mm512_load_si512(places.last[channel]), d));
        }
        for (int i = 0; i < 4; ++i) {
            const __m512i some = _mm512_maskz_loadu_epi8(0xffffffffffffu, row + 48 * i);
            const __m512i pixel = _mm512_maskz_permutexvar_epi8(0x7777777777777777u, fours, some);
            const __m512i upper = _mm512_dpbusd_epi32(_mm512_setzero_si512(), pixel, high);
            const __m512i sum = _mm512_dpbusd_epi32(_mm512_slli_epi32(upper, 8), pixel, low);
            const __m512 rounded = _mm512_add_ps(_mm512_mul_ps(_mm512_cvtepi32_ps(sum), reciprocal), whole);
            _mm_storeu_si128(reinterpret_cast<__m128i *>(planes + 3 * stride + x + 16 * i),
                             _mm512_cvtepi32_epi8(_mm512_castps_si512(rounded)));
        }
    }
}

bool asked() {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi") &&
           __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512vpopcntdq") &&
           __builtin_cpu_supports("gfni");
}

} // namespace

bool canCountBitPlanes() {
    static const bool can = asked();
    return can;
}
void countBitPlanes(const std::uint8_t *samples, int blocks, BitPlaneCounts &counts) { count(samples, blocks, counts); }
void separateRgb(const std::uint8_t *row, int pixels, std::uint8_t *planes, int stride) {
    separate(row, pixels, planes, stride);
}

#else

bool canCountBitPlanes() { return false; }
void countBitPlanes(const std::uint8_t *, int, BitPlaneCounts &) {}
void separateRgb(const std::uint8_t *, int, std::uint8_t *, int) {}

#endif

} // namespace tessera
