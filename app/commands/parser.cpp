#include "app/commands/parser.h"

#include "app/commands/text.h"
#include "app/filters/nearest_name.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <map>

namespace tessera {

namespace {

// CLI11 splits the command line (long and short options, '=', bundled switches, '--'); what the values mean, the
// order in which they count, the messages and the help page are Tessera's own.
struct Grammar {
    CLI::App app;
    std::map<const CLI::Option *, const Option *> options;
    CLI::Option *positionals = nullptr;
    std::vector<std::string> longNames{"--help"};
};

void addOptions(Grammar &grammar, const CommandSyntax &syntax) {
    for (const OptionGroup &group : syntax.groups) {
        for (const Option &option : group.options) {
            CLI::Option *added = nullptr;
            if (option.valueName.empty()) {
                added = grammar.app.add_flag(option.names);
            } else {
                added = grammar.app.add_option(option.names);
                added->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)->allow_extra_args(false);
            }
            grammar.options.emplace(added, &option);
            for (const std::string &name : added->get_lnames())
                grammar.longNames.push_back("--" + name);
        }
    }
    grammar.positionals = grammar.app.add_option("POSITIONALS");
    grammar.positionals->expected(0, CLI::detail::expected_max_vector_size)->allow_extra_args(true);
}

// CLI11 reads "[a,b]" as a list of two; a picture or folder may well be called so.
std::vector<std::string> guardBrackets(std::vector<std::string> arguments) {
    for (std::string &argument : arguments)
        if (argument.starts_with('[') && argument.ends_with(']'))
            argument.insert(0, "./");
    return arguments;
}

void refuseUnknown(const Grammar &grammar, std::string_view command) {
    for (const std::string &argument : grammar.app.remaining()) {
        if (argument == "--") // behind it everything was a positional
            continue;
        const std::string name = argument.substr(0, argument.find('='));
        const std::string nearest = nearestName(name, grammar.longNames);
        throw Error(ErrorKind::Usage, "'" + std::string(command) + "' has no option " + inQuotes(name),
                    nearest.empty() ? seeHelp(command) : "did you mean '" + nearest + "'?");
    }
}

void takeOptions(const Grammar &grammar, std::string_view command, const CommandSyntax &syntax) {
    std::map<const CLI::Option *, std::size_t> taken;
    for (const CLI::Option *given : grammar.app.parse_order()) {
        const std::size_t count = taken[given]++;
        if (given == grammar.positionals) {
            if (count < syntax.positionals.maximum)
                syntax.positionals.take(given->results()[count]);
            continue;
        }
        const auto option = grammar.options.find(given);
        if (option == grammar.options.end())
            continue;
        const Option &known = *option->second;
        if (known.valueName.empty()) {
            if (given->results()[count] != "true") // as in --overwrite=no
                throw Error(ErrorKind::Usage, given->get_name() + " takes no value", "give it or leave it out");
            known.take({});
            continue;
        }
        const std::string &value = given->results()[count];
        if (value.starts_with('-') && grammar.app.get_option_no_throw(value))
            throw Error(ErrorKind::Usage,
                        given->get_name() + " needs a value, and " + inQuotes(value) + " is an option",
                        seeHelp(command));
        if (count > 0 && !known.repeatable)
            throw Error(ErrorKind::Usage, given->get_name() + " was given more than once", "give it once");
        known.take(value);
    }
}

void checkPositionals(const Grammar &grammar, std::string_view command, const Positionals &positionals) {
    const std::size_t count = grammar.positionals->count();
    if (count < positionals.minimum)
        throw Error(ErrorKind::Usage, "'" + std::string(command) + "' needs " + positionals.name, seeHelp(command));
    if (count > positionals.maximum)
        throw Error(ErrorKind::Usage,
                    "'" + std::string(command) + "' has no use for " +
                        inQuotes(grammar.positionals->results()[positionals.maximum]),
                    seeHelp(command));
}

constexpr std::size_t pageWidth = 96;
constexpr std::size_t helpColumn = 30;

void appendEntry(std::string &page, const std::string &left, const std::string &help) {
    std::string line = "  " + left;
    const std::vector<std::string> lines = wrapText(help, pageWidth - helpColumn);
    std::size_t next = 0;
    if (displayWidth(line) + 2 <= helpColumn) {
        line.append(helpColumn - displayWidth(line), ' ');
        line += lines[next++];
    }
    page += line + "\n";
    for (; next < lines.size(); ++next)
        page += std::string(helpColumn, ' ') + lines[next] + "\n";
}

std::string leftColumn(const Option &option) {
    std::string names = option.names;
    if (const std::size_t comma = names.find(','); comma != std::string::npos)
        names.insert(comma + 1, " ");
    return option.valueName.empty() ? names : names + " " + option.valueName;
}

} // namespace

std::string seeHelp(std::string_view command) { return "see 'tessera " + std::string(command) + " --help'"; }

ParseResult parseArguments(std::string_view command, const CommandSyntax &syntax,
                           const std::vector<std::string> &arguments) {
    Grammar grammar;
    grammar.app.set_help_flag("-h,--help");
    addOptions(grammar, syntax);
    grammar.app.allow_extras(); // unknown options are refused below, with the nearest known one
    std::vector<std::string> reversed = guardBrackets(arguments);
    std::reverse(reversed.begin(), reversed.end()); // the order in which CLI11 consumes them
    try {
        grammar.app.parse(std::move(reversed));
    } catch (const CLI::CallForHelp &) {
        return ParseResult::HelpWanted;
    } catch (const CLI::ArgumentMismatch &problem) {
        refuseUnknown(grammar, command);
        const std::string what = problem.what(); // "--name: ..."
        throw Error(ErrorKind::Usage, what.substr(0, what.find(':')) + " needs a value", seeHelp(command));
    } catch (const CLI::ParseError &problem) {
        refuseUnknown(grammar, command);
        throw Error(ErrorKind::Usage, problem.what(), seeHelp(command));
    }
    refuseUnknown(grammar, command);
    takeOptions(grammar, command, syntax);
    checkPositionals(grammar, command, syntax.positionals);
    return ParseResult::Run;
}

std::string helpPage(std::string_view command, const CommandSyntax &syntax) {
    std::string page = "Usage: tessera " + std::string(command);
    if (!syntax.positionals.name.empty())
        page += " " + syntax.positionals.name;
    page += " [OPTION...]\n\n";
    for (const std::string &line : wrapText(syntax.description, pageWidth))
        page += line + "\n";
    if (!syntax.positionals.name.empty()) {
        page += "\n";
        appendEntry(page, syntax.positionals.name, syntax.positionals.help);
    }
    for (const OptionGroup &group : syntax.groups) {
        page += "\n" + group.title + ":\n";
        for (const Option &option : group.options)
            appendEntry(page, leftColumn(option), option.help);
    }
    if (!syntax.examples.empty())
        page += "\nExamples:\n";
    for (const Example &example : syntax.examples)
        page += "  " + example.command + "\n      " + example.explanation + "\n";
    if (!syntax.notes.empty())
        page += "\n";
    for (const std::string &line : wrapText(syntax.notes, pageWidth))
        page += syntax.notes.empty() ? "" : line + "\n";
    return page;
}

} // namespace tessera
