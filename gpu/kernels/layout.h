// Changes of layout and type, one thread a pixel: three interleaved channels to four and back, so that the convolution
// kernels move whole aligned pixels.
#pragma once

#include "gpu/image/finish.h"
#include "gpu/kernels/block.h"

namespace tessera {

// target = source, channel by channel. Channels that only the target has are 0; those that only the source has are
// dropped. Values are converted with `finish` (round and saturate for integers).
template <class SourcePixel, class TargetPixel> struct Repack {
    ImageView<const SourcePixel> source;
    ImageView<TargetPixel> target; // same size
    Finish finish;

    template <class Block> GPU_CODE void operator()(Block &block) const {
        block.each([&](auto thread) {
            const int x = block.index().x * block.size().x + thread.x;
            const int y = block.index().y * block.size().y + thread.y;
            if (thread.branch(!target.contains(x, y)))
                return;
            using Value = typename TargetPixel::Scalar;
            constexpr int common =
                SourcePixel::channels < TargetPixel::channels ? SourcePixel::channels : TargetPixel::channels;
            const SourcePixel pixel = thread.load(source, x, y);
            TargetPixel result{};
            for (int c = 0; c < common; ++c)
                result.channel[c] = finishValue<Value>(finish, static_cast<float>(pixel.channel[c]));
            thread.store(target, x, y, result);
        });
    }
};

// Gives the channels that `mask` leaves out back their source values, at the output's place: for kernels that filter
// all channels alike.
template <class SourcePixel, class TargetPixel> struct RestoreChannels {
    BorderedView<SourcePixel> source;
    ImageView<TargetPixel> target;
    int originX = 0;
    int originY = 0;
    unsigned mask = ~0u;

    template <class Block> GPU_CODE void operator()(Block &block) const {
        block.each([&](auto thread) {
            const int x = block.index().x * block.size().x + thread.x;
            const int y = block.index().y * block.size().y + thread.y;
            if (thread.branch(!target.contains(x, y)))
                return;
            using Value = typename TargetPixel::Scalar;
            const auto original = widen(thread.load(source, x + originX, y + originY));
            TargetPixel pixel = thread.load(target, x, y);
            for (int c = 0; c < TargetPixel::channels; ++c)
                if (!(mask >> c & 1u))
                    pixel.channel[c] = finishValue<Value>(Finish{}, original.channel[c]);
            thread.store(target, x, y, pixel);
        });
    }
};

} // namespace tessera
