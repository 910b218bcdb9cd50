#include "app/commands/batch/content_hash.h"

#include <array>
#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <memory>
#include <unistd.h>
#include <vector>

#define XXH_INLINE_ALL // header only: one dependency less when the program runs
#include <xxhash.h>

namespace tessera {

namespace {

std::string hexadecimalOf(XXH128_hash_t hash) {
    XXH128_canonical_t canonical; // big endian on every machine
    XXH128_canonicalFromHash(&canonical, hash);
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (const unsigned char byte : canonical.digest) {
        text += digits[byte >> 4];
        text += digits[byte & 15];
    }
    return text;
}

} // namespace

std::string contentHash(std::span<const std::byte> content) {
    return hexadecimalOf(XXH3_128bits(content.data(), content.size()));
}

struct HashStream::State {
    XXH3_state_t hash;
};

HashStream::HashStream() : state_(std::make_unique<State>()) { XXH3_128bits_reset(&state_->hash); }

HashStream::~HashStream() = default;

void HashStream::add(std::span<const std::byte> content) {
    XXH3_128bits_update(&state_->hash, content.data(), content.size());
}

std::string HashStream::finish() const { return hexadecimalOf(XXH3_128bits_digest(&state_->hash)); }

std::string handleHash(int handle) {
    HashStream stream;
    std::vector<std::byte> buffer(std::size_t{1} << 20);
    off_t offset = 0;
    while (true) {
        const ssize_t count = ::pread(handle, buffer.data(), buffer.size(), offset);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return {};
        if (count == 0)
            return stream.finish();
        stream.add(std::span(buffer).first(static_cast<std::size_t>(count)));
        offset += count;
    }
}

std::string fileHash(const std::filesystem::path &path) {
    const int handle = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (handle < 0)
        return {};
    std::string hash = handleHash(handle);
    ::close(handle);
    return hash;
}

} // namespace tessera
