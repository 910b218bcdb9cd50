// Finds, loads and starts the window, or says why there is none.
#pragma once

namespace tessera {

// Throws Error{Usage} where this build or installation has no window or the session has no display, naming what works
// without one. Otherwise returns the window's exit code.
int launchWindow(int argc, char **argv);

} // namespace tessera
