// The options that every command has: --json, -q, -v, --progress.
#pragma once

#include "app/commands/command.h"

namespace tessera {

OptionGroup outputOptionGroup(OutputOptions &options);

} // namespace tessera
