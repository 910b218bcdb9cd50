#include "app/commands/command_line.h"

#include "app/commands/output_options.h"
#include "app/commands/parser.h"
#include "app/commands/text.h"
#include "app/commands/window_launcher.h"
#include "app/filters/nearest_name.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <new>

namespace tessera {

namespace {

using Commands = std::vector<std::unique_ptr<Command>>;

std::string rootHelp(const Commands &commands) {
    std::string page = "Usage: tessera [IMAGE...]           open pictures in the window\n"
                       "       tessera COMMAND [OPTION...]   work without a window\n\n"
                       "Tessera filters pictures, shows what the filter does to them, and races the\n"
                       "implementations of a convolution against each other.\n\nCommands:\n";
    for (const auto &command : commands) {
        std::string line = "  " + std::string(command->name());
        line.append(12 - std::min<std::size_t>(11, line.size()), ' ');
        page += line + std::string(command->summary()) + "\n";
    }
    page += "\nOptions:\n"
            "  -h, --help    this page; 'tessera help COMMAND' explains a command\n"
            "  --version     the version\n\n"
            "Examples:\n"
            "  tessera photo.jpg\n"
            "  tessera batch photos/ -o blurred/ --filter gaussian:sigma=2\n"
            "  tessera compare before.png after.png --tolerance 1\n\n"
            "Exit codes:\n"
            "  0   all done                        3   no usable input\n"
            "  1   some files failed; compare:     4   the device asked for is not there\n"
            "      the pictures differ             75  interrupted after finishing the files\n"
            "  2   wrong usage, nothing done           in hand; --skip-existing goes on\n\n"
            "A picture whose name is that of a command, or starts with '-': tessera ./batch, tessera -- -x.png\n";
    return page;
}

// Those that the command does not define otherwise: bench writes its JSON to a file.
OptionGroup commonOptions(const CommandSyntax &syntax, OutputOptions &options) {
    OptionGroup common = outputOptionGroup(options);
    std::erase_if(common.options, [&](const Option &option) {
        return std::ranges::any_of(syntax.groups, [&](const OptionGroup &group) {
            return std::ranges::find(group.options, option.names, &Option::names) != group.options.end();
        });
    });
    return common;
}

CommandSyntax fullSyntax(Command &command, Console &console) {
    CommandSyntax syntax = command.syntax();
    syntax.groups.push_back(commonOptions(syntax, console.options));
    return syntax;
}

ExitCode runCommand(Command &command, const std::vector<std::string> &arguments, Console &console) {
    const CommandSyntax syntax = fullSyntax(command, console);
    if (parseArguments(command.name(), syntax, arguments) == ParseResult::HelpWanted) {
        print(helpPage(command.name(), syntax));
        return ExitCode::Done;
    }
    return command.run(console);
}

// Qt's own options, which the window hands on. Those with a value take the next argument.
bool isWindowOption(std::string_view argument) {
    constexpr std::array known{"-platform",
                               "-platformpluginpath",
                               "-platformtheme",
                               "-plugin",
                               "-qwindowgeometry",
                               "-geometry",
                               "-display",
                               "-style",
                               "-stylesheet",
                               "-session",
                               "-reverse",
                               "-qwindowtitle",
                               "-qwindowicon",
                               "-widgetcount",
                               "-name"};
    const std::string_view name = argument.substr(0, argument.find('='));
    const std::string_view single = name.starts_with("--") ? name.substr(1) : name;
    return std::find(known.begin(), known.end(), single) != known.end();
}

std::vector<std::string> commandNames(const Commands &commands) {
    std::vector<std::string> names;
    for (const auto &command : commands)
        names.emplace_back(command->name());
    return names;
}

// No command of its own: it has no options and no help.
constexpr std::string_view helpWord = "help";

// Of `tessera help`, `tessera help COMMAND`.
std::string helpAsked(const std::vector<std::string> &words, const Commands &commands, Console &console) {
    if (words.size() > 1)
        throw Error(ErrorKind::Usage, "'help' has no use for " + inQuotes(words[1]), "name one command");
    if (words.empty() || words[0] == helpWord || words[0] == "--help" || words[0] == "-h")
        return rootHelp(commands);
    for (const auto &command : commands)
        if (command->name() == words[0])
            return helpPage(command->name(), fullSyntax(*command, console));
    const std::string nearest = nearestName(words[0], commandNames(commands));
    throw Error(ErrorKind::Usage, "there is no command " + inQuotes(words[0]),
                nearest.empty() ? "see 'tessera --help'" : "did you mean 'tessera help " + nearest + "'?");
}

void refuseOption(const std::string &argument, const std::vector<std::string> &rest, const Commands &commands) {
    const std::vector<std::string> names = commandNames(commands);
    for (const std::string &other : rest)
        if (std::find(names.begin(), names.end(), other) != names.end())
            throw Error(ErrorKind::Usage, inQuotes(argument) + " stands before the command",
                        "options follow it: tessera " + other + " " + displayText(argument) + " ...");
    const std::string nearest = nearestName(argument, std::vector<std::string>{"--help", "--version"});
    throw Error(ErrorKind::Usage, "there is no option " + inQuotes(argument),
                nearest.empty() ? "see 'tessera --help'" : "did you mean '" + nearest + "'?");
}

// A word that is no picture is more likely a mistyped command than a picture to come.
void refuseMissingCommand(const std::string &word, const Commands &commands) {
    std::error_code error;
    if (word.find_first_of("./") != std::string::npos || std::filesystem::exists(word, error))
        return;
    std::vector<std::string> names = commandNames(commands);
    names.emplace_back(helpWord);
    const std::string nearest = nearestName(word, names);
    throw Error(ErrorKind::Usage, "there is no command and no picture " + inQuotes(word),
                nearest.empty() ? "see 'tessera --help'" : "did you mean 'tessera " + nearest + "'?");
}

int runWindowOrRefuse(int argc, char **argv, const std::vector<std::string> &arguments, const Commands &commands) {
    if (!arguments.empty() && !arguments.front().starts_with('-'))
        refuseMissingCommand(arguments.front(), commands);
    for (std::size_t i = 0; i < arguments.size() && arguments[i] != "--"; ++i)
        if (arguments[i].starts_with('-') && arguments[i] != "-" && !isWindowOption(arguments[i]))
            refuseOption(arguments[i], {arguments.begin() + static_cast<std::ptrdiff_t>(i) + 1, arguments.end()},
                         commands);
    return launchWindow(argc, argv);
}

int dispatch(int argc, char **argv, Console &console) {
    const std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
    const Commands commands = makeCommands();
    const std::string first = arguments.empty() ? "" : arguments.front();
    if (first == "-h" || first == "--help") {
        print(rootHelp(commands));
        return 0;
    }
    if (first == "--version") {
        print("tessera " TESSERA_VERSION "\n");
        return 0;
    }
    if (first == helpWord) {
        print(helpAsked({arguments.begin() + 1, arguments.end()}, commands, console));
        return 0;
    }
    for (const auto &command : commands)
        if (command->name() == first)
            return static_cast<int>(runCommand(*command, {arguments.begin() + 1, arguments.end()}, console));
    return runWindowOrRefuse(argc, argv, arguments, commands);
}

int reported(Console &console, ErrorKind kind, const std::string &message) {
    console.clearProgress();
    console.error(message);
    return static_cast<int>(exitCodeFor(kind));
}

} // namespace

int runCommandLine(int argc, char **argv) {
    occupyStandardDescriptors();
    Console console;
    int code = 0;
    try {
        code = dispatch(argc, argv, console);
        flushStandardOutput();
    } catch (const Error &problem) {
        code = reported(console, problem.kind(), problem.fullText());
    } catch (const std::bad_alloc &) {
        code = reported(console, ErrorKind::Internal,
                        "there is not enough memory (lower --jobs or --max-memory, or use smaller pictures)");
    } catch (const std::exception &problem) {
        code = reported(console, ErrorKind::Internal,
                        std::string("unexpected error: ") + problem.what() + " (please report it)");
    }
    return code;
}

} // namespace tessera
