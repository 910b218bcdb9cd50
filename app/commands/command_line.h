// The front end of the executable: finds the command, parses, runs it, and turns whatever happens into a message and
// an exit code.
#pragma once

namespace tessera {

// Never throws; the result is one of ExitCode's values, or what the window returned.
int runCommandLine(int argc, char **argv);

} // namespace tessera
