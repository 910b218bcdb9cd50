// Which part of a batch this process does: `--shard i/n`, or what Slurm or Kubernetes says.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace tessera {

// Part `index` of `count`, from 1. File number k of the list (from 0) belongs to part k mod count + 1, so that large
// files that stand together are spread. Every process must see the same list.
struct Shard {
    std::size_t index = 1;
    std::size_t count = 1;

    bool takes(std::size_t position) const { return position % count == index - 1; }
    bool isWhole() const { return count == 1; }
    std::string text() const { return std::to_string(index) + "/" + std::to_string(count); }
};

// The value of an environment variable, or nullptr.
using Environment = std::function<const char *(const char *name)>;

// The variable that tells the number of parts under Kubernetes, which itself only tells the index.
inline constexpr const char *shardCountVariable = "TESSERA_SHARD_COUNT";

// "3/8", or "auto": the task of a Slurm array (SLURM_ARRAY_TASK_ID, _COUNT, _MIN, _STEP) or the index of a Kubernetes
// indexed job (JOB_COMPLETION_INDEX and TESSERA_SHARD_COUNT). Throws Error{Usage}.
Shard parseShard(const std::string &text, const Environment &environment);

} // namespace tessera
