// Whether this session has a display to open a window on. Qt ends the program by abort() where it has none, so the
// question is asked before Qt is loaded.
#pragma once

#include <string>

namespace tessera {

// Empty where a display answers, or where QT_QPA_PLATFORM leaves the choice to the user (offscreen, vnc, ...); else
// the reason, as half a sentence.
std::string whyNoDisplay();

} // namespace tessera
