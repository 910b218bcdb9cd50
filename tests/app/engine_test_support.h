// Cases for engines: random pictures inside guarded memory, random asymmetric kernels, and the comparison with the
// float64 reference.
#pragma once

#include "app/engines/engine.h"

#include <random>
#include <string>
#include <vector>

namespace tessera::test {

using Random = std::mt19937_64;

// A picture inside a larger block of memory: the pitch is any multiple of the sample, the base is not aligned to more
// than a sample, and every byte that is no pixel holds a pattern that must survive.
class GuardedPicture {
public:
    GuardedPicture(int width, int height, PixelFormat format, int extraPitchSamples);

    PixelView view();
    ConstPixelView view() const;
    void fillRandom(Random &random); // integers over the whole range; float within -0.25..1.25
    void poison();                   // pixels become a pattern that no result has by chance
    bool guardsIntact() const;
    double at(int x, int y, int channel) const;
    void set(int x, int y, int channel, double value);

private:
    std::ptrdiff_t offset() const;
    bool isPixelByte(std::size_t index) const;

    int width_, height_;
    PixelFormat format_;
    std::ptrdiff_t pitch_;
    std::vector<std::byte> memory_;
};

// Taps uniform in -1..1 and different from each other, so that no mistake of orientation hides behind symmetry; the
// divisor is automatic, and the sum is kept away from 0.
ConvolutionKernel randomKernel(int width, int height, Random &random);

// Divides by the plain sum of the taps.
Finish averaging(const ConvolutionKernel &kernel);

struct Case {
    int width = 8, height = 8;
    int channels = 1;
    Depth source = Depth::U8;
    Depth target = Depth::U8;
    Border border;
    ConvolutionKernel kernel;
    Finish finish;
    Rectangle region; // empty: the whole picture
    unsigned channelMask = ~0u;
    int extraPitchSamples = 0;

    Rectangle resolvedRegion() const;
    double work() const; // taps x pixels, what a simulator's time grows with
    std::string text() const;
};

struct CaseResult {
    std::string failure; // empty: as the reference says
    bool refused = false;
};

// Runs the case on fresh random data and compares every value with float64: float relative L2 <= 1e-5; integers equal
// but for ties, one level there. `checked` limits the comparison to a part of the region (for large pictures).
CaseResult runCase(Engine &engine, const std::string &variant, const Case &what, Random &random,
                   const std::vector<Rectangle> &checked = {});

} // namespace tessera::test
