// What the run-time compiler is given, and the name under which its result is kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::jit {

// Machine code for one architecture. It runs on every GPU of the same `major` and the same or a higher `minor`;
// `specific` code ("sm_90a": what only that very architecture has) on exactly this one.
struct Architecture {
    int major = 0, minor = 0;
    bool specific = false;

    std::string name() const; // "sm_90", "sm_90a"
    friend bool operator==(const Architecture &, const Architecture &) = default;
};

// A whole translation unit. `entry` names its kernel, declared extern "C" __global__ so that the name stays as it is.
// The text may include the headers of gpu/image/, gpu/kernels/ and gpu/launch/device_block.h by their paths from the
// project's root, and of the standard library what those use. It is compiled as C++20; functions without an execution
// space are for the GPU.
struct KernelSource {
    std::string text;
    std::string entry;
    std::vector<std::string> options; // further ones of NVRTC, as "--maxrregcount=64"
    bool architectureSpecific = false;
};

using Cubin = std::vector<std::byte>;

// XXH3 with 128 bits: tells accidental differences apart, and is no defence against forgery.
struct Digest {
    std::uint64_t high = 0, low = 0;

    std::string text() const; // 32 hexadecimal digits
    friend bool operator==(const Digest &, const Digest &) = default;
};

Digest digestOf(std::span<const std::byte> bytes);

// Of the fields one by one: {"ab", "c"} and {"a", "bc"} differ.
Digest digestOf(std::span<const std::string_view> fields);

Digest digestOf(const KernelSource &source);

} // namespace tessera::jit
