#include "gpu/jit/program.h"

#include <array>
#include <cstdio>
#include <memory>

#define XXH_INLINE_ALL // header only
#include <xxhash.h>

namespace tessera::jit {

namespace {

class Hasher {
public:
    Hasher() : state_(XXH3_createState(), &XXH3_freeState) { XXH3_128bits_reset(state_.get()); }
    void add(std::string_view field) {
        const std::uint64_t size = field.size();
        XXH3_128bits_update(state_.get(), &size, sizeof size);
        XXH3_128bits_update(state_.get(), field.data(), field.size());
    }
    Digest result() const {
        const XXH128_hash_t hash = XXH3_128bits_digest(state_.get());
        return {hash.high64, hash.low64};
    }

private:
    std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state_;
};

} // namespace

std::string Architecture::name() const { return "sm_" + std::to_string(10 * major + minor) + (specific ? "a" : ""); }

std::string Digest::text() const {
    std::array<char, 33> digits{};
    std::snprintf(digits.data(), digits.size(), "%016llx%016llx", static_cast<unsigned long long>(high),
                  static_cast<unsigned long long>(low));
    return digits.data();
}

Digest digestOf(std::span<const std::byte> bytes) {
    const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
    return {hash.high64, hash.low64};
}

Digest digestOf(std::span<const std::string_view> fields) {
    Hasher hasher;
    for (const std::string_view field : fields)
        hasher.add(field);
    return hasher.result();
}

Digest digestOf(const KernelSource &source) {
    Hasher hasher;
    hasher.add(source.text);
    hasher.add(source.entry);
    hasher.add(source.architectureSpecific ? "a" : "");
    for (const std::string &option : source.options)
        hasher.add(option);
    return hasher.result();
}

} // namespace tessera::jit
