#include "app/commands/output_options.h"

#include "app/commands/option_values.h"

namespace tessera {

OptionGroup outputOptionGroup(OutputOptions &options) {
    return {"Output",
            {{"--json", "", "Print JSON instead of a table; nothing else goes to standard output.",
              [&options](const std::string &) { options.json = true; }},
             {"-q,--quiet", "", "Print nothing on standard error but errors; results are printed all the same.",
              [&options](const std::string &) { options.verbosity = Verbosity::Quiet; }},
             {"-v,--verbose", "", "Say more about what is done and why.",
              [&options](const std::string &) { options.verbosity = Verbosity::Verbose; }},
             {"--progress", "auto|always|never",
              "Show progress on standard error; auto: only where that is a terminal. Default auto.",
              [&options](const std::string &text) {
                  options.progress =
                      static_cast<ProgressMode>(parseChoice("--progress", text, {"auto", "always", "never"}));
              }}}};
}

} // namespace tessera
