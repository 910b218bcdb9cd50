// What the command line program loads when a window is wanted, so that headless runs never touch Qt.
#include "ui/window/run_window.h"

extern "C" __attribute__((visibility("default"))) int tesseraRunWindow(int argc, char **argv) { return tessera::runWindow(argc, argv); }
