// The door between the command line and the window. The window is a module of its own (libtessera-window.so), loaded
// when it is wanted: so the headless commands start without Qt, the same binary serves a machine that has no Qt, and
// app/ depends on nothing in ui/.
#pragma once

namespace tessera {

// Implemented in ui/ and exported by the module under this very name. `argv` is the program's own: argv[0], pictures to
// open, options of Qt's (-platform, -style, ...), and '--', after which everything is a picture. Returns the exit code.
extern "C" int runWindow(int argc, char **argv);

using WindowFunction = int (*)(int argc, char **argv);
inline constexpr const char *windowFunctionName = "runWindow";
inline constexpr const char *windowModuleName = "libtessera-window.so";

} // namespace tessera
