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

} // namespace tessera
