#include "app/commands/batch/shard.h"

#include "app/commands/option_values.h"
#include "app/commands/text.h"
#include "app/core/error.h"

#include <limits>
#include <optional>

namespace tessera {

namespace {

constexpr std::int64_t largest = std::numeric_limits<std::int32_t>::max();

std::optional<std::int64_t> number(const Environment &environment, const char *name, std::int64_t minimum) {
    const char *value = environment(name);
    if (!value || !*value)
        return std::nullopt;
    return parseInteger(name, value, minimum, largest);
}

Shard slurmShard(const Environment &environment, std::int64_t task) {
    const auto count = number(environment, "SLURM_ARRAY_TASK_COUNT", 1);
    if (!count)
        throw Error(ErrorKind::Usage, "SLURM_ARRAY_TASK_ID is set, but SLURM_ARRAY_TASK_COUNT is not",
                    "give --shard i/n instead of auto");
    const std::int64_t first = number(environment, "SLURM_ARRAY_TASK_MIN", 0).value_or(0);
    const std::int64_t step = number(environment, "SLURM_ARRAY_TASK_STEP", 1).value_or(1);
    const std::int64_t index = (task - first) / step;
    if (task < first || (task - first) % step != 0 || index >= *count)
        throw Error(ErrorKind::Usage,
                    "task " + std::to_string(task) + " does not fit an array of " + std::to_string(*count) +
                        " tasks from " + std::to_string(first) + " in steps of " + std::to_string(step),
                    "use an array without gaps, such as --array=0-" + std::to_string(*count - 1));
    return {static_cast<std::size_t>(index) + 1, static_cast<std::size_t>(*count)};
}

Shard kubernetesShard(const Environment &environment, std::int64_t index) {
    const auto count = number(environment, shardCountVariable, 1);
    if (!count)
        throw Error(ErrorKind::Usage, std::string("JOB_COMPLETION_INDEX is set, but ") + shardCountVariable + " is not",
                    std::string("set ") + shardCountVariable + " to the job's completions, or give --shard i/n");
    if (index >= *count)
        throw Error(ErrorKind::Usage,
                    "JOB_COMPLETION_INDEX is " + std::to_string(index) + ", but there are only " +
                        counted(static_cast<std::uint64_t>(*count), "part"),
                    std::string("set ") + shardCountVariable + " to the job's completions");
    return {static_cast<std::size_t>(index) + 1, static_cast<std::size_t>(*count)};
}

} // namespace

Shard parseShard(const std::string &text, const Environment &environment) {
    if (text == "auto") {
        if (const auto task = number(environment, "SLURM_ARRAY_TASK_ID", 0))
            return slurmShard(environment, *task);
        if (const auto index = number(environment, "JOB_COMPLETION_INDEX", 0))
            return kubernetesShard(environment, *index);
        throw Error(ErrorKind::Usage,
                    "--shard auto found neither a Slurm array (SLURM_ARRAY_TASK_ID) nor a Kubernetes indexed job "
                    "(JOB_COMPLETION_INDEX)",
                    "give --shard i/n");
    }
    const std::size_t slash = text.find('/');
    if (slash == std::string::npos)
        throw Error(ErrorKind::Usage, "--shard does not take " + inQuotes(text), "i/n such as 1/4, or auto");
    const std::int64_t count = parseInteger("--shard's n", text.substr(slash + 1), 1, largest);
    const std::int64_t index = parseInteger("--shard's i", text.substr(0, slash), 1, count);
    return {static_cast<std::size_t>(index), static_cast<std::size_t>(count)};
}

} // namespace tessera
