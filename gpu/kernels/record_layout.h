// The same reading from two layouts of the same records.
//
//   ArrayOfStructs   record after record: the fields of one lie together. A warp that reads one field of 32 records
//                    touches every record's sector and uses 4 of its bytes.
//   StructOfArrays   field after field: one field of all records lies together. The same warp reads 32 neighbours.
//
// A picture is records too: four channels a pixel, interleaved or planar. Where an operation needs one channel, planar
// wins as above; where it needs all of a pixel's channels, one 128-bit load of an interleaved pixel wastes nothing.
#pragma once

#include "gpu/image/pixel.h"
#include "gpu/kernels/block.h"

namespace tessera {

// `Fields` floats a record. `count` records; both layouts take count * Fields floats.
template <class T, int Fields> struct ArrayOfStructs {
    ImageView<T> view; // Fields wide, count high

    ArrayOfStructs() = default;
    GPU_CODE ArrayOfStructs(T *data, int count) : view{data, Fields, count, std::ptrdiff_t(sizeof(T)) * Fields} {}

    GPU_CODE int count() const { return view.height; }
    template <class Thread> GPU_CODE float load(const Thread &thread, int record, int field) const {
        return thread.load(view, field, record);
    }
    template <class Thread> GPU_CODE void store(const Thread &thread, int record, int field, float value) const {
        thread.store(view, field, record, value);
    }
};

template <class T, int Fields> struct StructOfArrays {
    ImageView<T> view; // count wide, Fields high

    StructOfArrays() = default;
    GPU_CODE StructOfArrays(T *data, int count) : view{data, count, Fields, std::ptrdiff_t(sizeof(T)) * count} {}

    GPU_CODE int count() const { return view.width; }
    template <class Thread> GPU_CODE float load(const Thread &thread, int record, int field) const {
        return thread.load(view, record, field);
    }
    template <class Thread> GPU_CODE void store(const Thread &thread, int record, int field, float value) const {
        thread.store(view, record, field, value);
    }
};

// target[i] = one field of record i.
template <template <class, int> class Layout, int Fields> struct ReadField {
    Layout<const float, Fields> records;
    ImageView<float> target; // one row
    int field;

    template <class Block> GPU_CODE void operator()(Block &block) const {
        block.each([&](auto thread) {
            const int i = block.index().x * block.threads() + thread.index;
            if (thread.branch(i < records.count()))
                thread.store(target, i, 0, records.load(thread, i, field));
        });
    }
};

inline constexpr int pictureChannels = 4; // red, green, blue, alpha

// One channel multiplied by a gain, to the same layout; the target's other channels stay as they are.
template <template <class, int> class Layout> struct GainChannel {
    Layout<const float, pictureChannels> source;
    Layout<float, pictureChannels> target;
    int channel;
    float gain;

    template <class Block> GPU_CODE void operator()(Block &block) const {
        block.each([&](auto thread) {
            const int i = block.index().x * block.threads() + thread.index;
            if (thread.branch(i < source.count()))
                target.store(thread, i, channel, gain * source.load(thread, i, channel));
        });
    }
};

// Rec. 709 luminance of a pixel, of values as they are stored.
GPU_CODE inline float luminance(float red, float green, float blue) {
    return 0.2126f * red + 0.7152f * green + 0.0722f * blue;
}

// Luminance, channel by channel from either layout.
template <template <class, int> class Layout> struct Luminance {
    Layout<const float, pictureChannels> source;
    ImageView<float> target; // one row

    template <class Block> GPU_CODE void operator()(Block &block) const {
        block.each([&](auto thread) {
            const int i = block.index().x * block.threads() + thread.index;
            if (!thread.branch(i < source.count()))
                return;
            const float red = source.load(thread, i, 0);
            const float green = source.load(thread, i, 1);
            const float blue = source.load(thread, i, 2);
            thread.store(target, i, 0, luminance(red, green, blue));
        });
    }
};

// Luminance from interleaved pixels, each in one load. The array begins on a 16-byte boundary.
struct LuminanceVector {
    ImageView<const Pixel<float, pictureChannels>> source; // one row
    ImageView<float> target;                               // one row

    template <class Block> GPU_CODE void operator()(Block &block) const {
        block.each([&](auto thread) {
            const int i = block.index().x * block.threads() + thread.index;
            if (!thread.branch(i < source.width))
                return;
            const Pixel<float, pictureChannels> pixel = thread.load(source, i, 0);
            thread.store(target, i, 0, luminance(pixel.channel[0], pixel.channel[1], pixel.channel[2]));
        });
    }
};

} // namespace tessera
