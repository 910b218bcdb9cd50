// Compiled kernels on disk: a cache in the plain sense. Any file in it, or all of it, can go at any time; what is
// missing, damaged or not ours is compiled again. Several processes may use it at once.
//
// A file holds one kernel, named by the digest of what it was made from; its header repeats that digest and holds the
// content's, so that truncated, mixed up or foreign files are told from good ones. Files are written beside their name
// and renamed, so that no reader sees half of one.
#pragma once

#include "gpu/jit/program.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>

namespace tessera::jit {

class CubinStore {
public:
    static constexpr std::uint64_t defaultBytes = std::uint64_t(64) << 20;

    // $XDG_CACHE_HOME/tessera/kernels, else $HOME/.cache/tessera/kernels; empty where the environment names neither.
    static std::filesystem::path defaultFolder();

    // An empty folder keeps nothing. The folder is made when the first kernel is saved.
    explicit CubinStore(std::filesystem::path folder, std::uint64_t maximumBytes = defaultBytes);

    const std::filesystem::path &folder() const { return folder_; }
    std::filesystem::path fileOf(const Digest &name) const;

    // Nothing where the file is missing or not sound. A hit counts as use: the least recently used files go first.
    std::optional<Cubin> load(const Digest &name) const;

    // False where it could not be kept (no folder, no permission, no space, too large): no error, since the kernel is
    // there all the same.
    bool save(const Digest &name, std::span<const std::byte> cubin) const;

private:
    void trim() const;

    std::filesystem::path folder_;
    std::uint64_t maximumBytes_;
};

} // namespace tessera::jit
