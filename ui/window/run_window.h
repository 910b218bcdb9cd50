// The desktop program: `tessera [IMAGE...]`.
#pragma once

namespace tessera {

// Opens the window with the pictures named in argv[1...] and runs until it is closed. Returns the exit code; 2 with a
// line on stderr where no display can be had.
int runWindow(int argc, char **argv);

} // namespace tessera
