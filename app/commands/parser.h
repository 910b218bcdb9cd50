// From the arguments of one command to calls of its options' `take`. Knows nothing about any single command.
#pragma once

#include "app/commands/command.h"

#include <string>
#include <string_view>
#include <vector>

namespace tessera {

enum class ParseResult { Run, HelpWanted };

// `arguments` are those behind the command's name. Throws Error{Usage} for an unknown option (naming the nearest), a
// missing value, a repeated option that may be given once, too few or too many positionals, and what `take` throws.
ParseResult parseArguments(std::string_view command, const CommandSyntax &syntax,
                           const std::vector<std::string> &arguments);

// The help page, at most 100 columns wide.
std::string helpPage(std::string_view command, const CommandSyntax &syntax);

// Where a person can read on, for the remedy of an error: "see 'tessera batch --help'".
std::string seeHelp(std::string_view command);

} // namespace tessera
