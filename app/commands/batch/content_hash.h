// A short name for the content of a file.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace tessera {

// XXH3 with 128 bits as 32 hexadecimal digits, the same that `xxhsum -H2` prints. It tells accidental changes apart and
// runs at the speed of memory, so that hashing costs nothing beside decoding; it is no protection against forgery,
// which resuming a batch does not need.
std::string contentHash(std::span<const std::byte> content);

// The same of content that comes piece by piece.
class HashStream {
public:
    HashStream();
    ~HashStream();
    HashStream(const HashStream &) = delete;
    HashStream &operator=(const HashStream &) = delete;

    void add(std::span<const std::byte> content);
    std::string finish() const;

private:
    struct State;
    const std::unique_ptr<State> state_;
};

// Of a file, read piece by piece: a few megabytes of memory whatever its size. Empty where it cannot be read.
std::string fileHash(const std::filesystem::path &path);
std::string handleHash(int handle); // from its first byte to its last; its position stays

} // namespace tessera
