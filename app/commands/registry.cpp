#include "app/commands/command.h"

// To add a command: write NAME_command.cpp with make<Name>Command(), and name it here.
#define TESSERA_COMMANDS(command)                                                                                      \
    command(Batch) command(Bench) command(Report) command(Compare) command(Stats) command(Inspect) command(Filters)    \
        command(Devices) command(Variants)

namespace tessera {

#define TESSERA_DECLARE(Name) std::unique_ptr<Command> make##Name##Command();
TESSERA_COMMANDS(TESSERA_DECLARE)
#undef TESSERA_DECLARE

std::vector<std::unique_ptr<Command>> makeCommands() {
    std::vector<std::unique_ptr<Command>> commands;
#define TESSERA_ADD(Name) commands.push_back(make##Name##Command());
    TESSERA_COMMANDS(TESSERA_ADD)
#undef TESSERA_ADD
    return commands;
}

} // namespace tessera
