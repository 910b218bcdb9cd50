// The lessons' names and texts, where code may ask for them when it is compiled. Others take lessonList().
#pragma once

#include "gpu/launch/lesson_list.h"

#include <array>

namespace tessera {

namespace lesson_text {

inline constexpr std::string_view interleaved = "V0 interleaved";
inline constexpr std::string_view strided = "V1 strided";
inline constexpr std::string_view sequential = "V2 sequential";
inline constexpr std::string_view onLoad = "V3 first fold on load";
inline constexpr std::string_view lastWarp = "V4 last warp unrolled";
inline constexpr std::string_view unrolled = "V5 fully unrolled";
inline constexpr std::string_view shuffle = "V6 shuffles last";
inline constexpr std::string_view vector = "V7 float4, grid stride";

inline constexpr std::string_view interleavedChange = "A tree of pairs in shared memory; the working threads lie "
                                                      "scattered over all warps, so nearly every round diverges.";
inline constexpr std::string_view stridedChange =
    "Neighbouring threads work, so warps no longer diverge; their words lie a growing stride apart and meet on banks.";
inline constexpr std::string_view sequentialChange =
    "Far partners first: neighbouring lanes touch neighbouring words, and no two meet on a bank.";
inline constexpr std::string_view onLoadChange =
    "Half of V2's threads only load; here each folds two elements on load, in half as many blocks.";
inline constexpr std::string_view lastWarpChange = "V3 keeps the whole block at barriers for one warp's work; here the "
                                                   "last warp goes on alone, its rounds written out.";
inline constexpr std::string_view unrolledChange = "V4 counts, compares and jumps around its few foldings; with the "
                                                   "block's size known at compile time no loop is left.";
inline constexpr std::string_view shuffleChange =
    "V5's last rounds go through shared memory; here lanes exchange registers.";
inline constexpr std::string_view vectorChange =
    "V6 pays for a block and its tree every 512 elements; here a fixed grid walks the array, four elements a load.";

inline constexpr std::string_view scalar = "One element a thread";
inline constexpr std::string_view float4 = "Four a thread (float4)";
inline constexpr std::string_view stride = "Grid stride";
inline constexpr std::string_view scalarChange =
    "One load and one store of 4 bytes a thread; the grid is rounded up and the threads beyond the end stand aside.";
inline constexpr std::string_view float4Change =
    "One 128-bit access does what took four; elements beside the 16-byte boundaries go one by one.";
inline constexpr std::string_view strideChange = "A grid that just fills the GPU walks the array, whatever its length.";

} // namespace lesson_text

inline constexpr std::array lessonTable{
    LessonInfo{LessonGroup::ArraySum, 0, "sum-v0", lesson_text::interleaved, lesson_text::interleavedChange},
    LessonInfo{LessonGroup::ArraySum, 1, "sum-v1", lesson_text::strided, lesson_text::stridedChange},
    LessonInfo{LessonGroup::ArraySum, 2, "sum-v2", lesson_text::sequential, lesson_text::sequentialChange},
    LessonInfo{LessonGroup::ArraySum, 3, "sum-v3", lesson_text::onLoad, lesson_text::onLoadChange},
    LessonInfo{LessonGroup::ArraySum, 4, "sum-v4", lesson_text::lastWarp, lesson_text::lastWarpChange},
    LessonInfo{LessonGroup::ArraySum, 5, "sum-v5", lesson_text::unrolled, lesson_text::unrolledChange},
    LessonInfo{LessonGroup::ArraySum, 6, "sum-v6", lesson_text::shuffle, lesson_text::shuffleChange},
    LessonInfo{LessonGroup::ArraySum, 7, "sum-v7", lesson_text::vector, lesson_text::vectorChange},
    LessonInfo{LessonGroup::ArrayMaximum, 0, "max-v0", lesson_text::interleaved, lesson_text::interleavedChange},
    LessonInfo{LessonGroup::ArrayMaximum, 1, "max-v1", lesson_text::strided, lesson_text::stridedChange},
    LessonInfo{LessonGroup::ArrayMaximum, 2, "max-v2", lesson_text::sequential, lesson_text::sequentialChange},
    LessonInfo{LessonGroup::ArrayMaximum, 3, "max-v3", lesson_text::onLoad, lesson_text::onLoadChange},
    LessonInfo{LessonGroup::ArrayMaximum, 4, "max-v4", lesson_text::lastWarp, lesson_text::lastWarpChange},
    LessonInfo{LessonGroup::ArrayMaximum, 5, "max-v5", lesson_text::unrolled, lesson_text::unrolledChange},
    LessonInfo{LessonGroup::ArrayMaximum, 6, "max-v6", lesson_text::shuffle, lesson_text::shuffleChange},
    LessonInfo{LessonGroup::ArrayMaximum, 7, "max-v7", lesson_text::vector, lesson_text::vectorChange},
    LessonInfo{LessonGroup::ArrayScale, 0, "scale-scalar", lesson_text::scalar, lesson_text::scalarChange},
    LessonInfo{LessonGroup::ArrayScale, 1, "scale-float4", lesson_text::float4, lesson_text::float4Change},
    LessonInfo{LessonGroup::ArrayScale, 2, "scale-stride", lesson_text::stride, lesson_text::strideChange},
    LessonInfo{LessonGroup::ArrayAdd, 0, "add-scalar", lesson_text::scalar, lesson_text::scalarChange},
    LessonInfo{LessonGroup::ArrayAdd, 1, "add-float4", lesson_text::float4, lesson_text::float4Change},
    LessonInfo{LessonGroup::ArrayAdd, 2, "add-stride", lesson_text::stride, lesson_text::strideChange},
    LessonInfo{LessonGroup::Brightness, 0, "brighten-scalar", lesson_text::scalar, lesson_text::scalarChange},
    LessonInfo{LessonGroup::Brightness, 1, "brighten-float4", lesson_text::float4, lesson_text::float4Change},
    LessonInfo{LessonGroup::Brightness, 2, "brighten-stride", lesson_text::stride, lesson_text::strideChange},
    LessonInfo{LessonGroup::CountAbove, 0, "count-atomic", "An atomic a hit",
               "Every element above the threshold adds one to a single counter; the compiler gathers a warp's "
               "additions by itself."},
    LessonInfo{LessonGroup::CountAbove, 1, "count-ballot", "An atomic a warp",
               "A ballot packs a warp's 32 comparisons into one word, and one lane adds how many of its bits are set."},
    LessonInfo{LessonGroup::CountAbove, 2, "count-grid", "Ballot, grid stride",
               "Each warp adds up its votes in a register while it walks the array, and goes to memory once."},
    LessonInfo{LessonGroup::RecordField, 0, "field-aos", "Array of structures",
               "One field of records that lie one after another: each lane reads from a sector of its own."},
    LessonInfo{LessonGroup::RecordField, 1, "field-soa", "Structure of arrays",
               "The same field of all records lies together: 32 lanes read 4 sectors instead of 32."},
    LessonInfo{LessonGroup::ChannelGain, 0, "gain-interleaved", "Interleaved picture",
               "One channel of interleaved pixels: a quarter of every sector is wanted, all of it is moved."},
    LessonInfo{LessonGroup::ChannelGain, 1, "gain-planar", "Planar picture",
               "One plane is read and written, the others stay untouched."},
    LessonInfo{LessonGroup::PictureLuminance, 0, "luma-interleaved", "Interleaved, scalar loads",
               "Three loads of 4 bytes a pixel, 16 bytes apart: each touches all of a warp's 16 sectors."},
    LessonInfo{LessonGroup::PictureLuminance, 1, "luma-float4", "Interleaved, one load a pixel",
               "One 128-bit load takes the whole pixel, so that interleaving costs the unused alpha and no more."},
    LessonInfo{LessonGroup::PictureLuminance, 2, "luma-planar", "Planar",
               "Three loads from three planes, each of neighbouring words."},
};

} // namespace tessera
