// What a command is. A new one is one file (NAME_command.cpp, with make<Name>Command()) and one line in registry.cpp.
#pragma once

#include "app/commands/console.h"
#include "app/commands/exit_code.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

// One option. `take` is called for every time it is given, in the order of the command line, so that options whose
// order matters (--filter, --kernel) need nothing special. It throws Error{Usage}.
struct Option {
    std::string names;     // "-o,--output"
    std::string valueName; // "DIR"; empty for a switch, whose `take` gets an empty text
    std::string help;      // wrapped by the help page; a line break stays
    std::function<void(const std::string &value)> take;
    bool repeatable = false;
};

struct OptionGroup {
    std::string title;
    std::vector<Option> options;
};

// What follows the options: "INPUT...".
struct Positionals {
    std::string name;
    std::string help;
    std::size_t minimum = 0, maximum = 0;
    std::function<void(const std::string &value)> take;
};

struct Example {
    std::string command, explanation;
};

struct CommandSyntax {
    std::string description; // what it does, for the top of its help page
    Positionals positionals;
    std::vector<OptionGroup> groups;
    std::vector<Example> examples;
    std::string notes; // after the examples; may be empty
};

class Command {
public:
    virtual ~Command() = default;

    virtual std::string_view name() const = 0;
    virtual std::string_view summary() const = 0; // one line, no final stop
    virtual CommandSyntax syntax() = 0;           // its options store into this object

    // Runs after every option was taken. Results go to standard output through print() of console.h, everything else
    // to `console`. Throws Error, which the front end shows and turns into an exit code.
    virtual ExitCode run(Console &console) = 0;
};

// All commands in the order of the help page (registry.cpp).
std::vector<std::unique_ptr<Command>> makeCommands();

} // namespace tessera
