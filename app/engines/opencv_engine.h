// OpenCV's filter2D behind the engine interface: a contender in the race and a second oracle in the tests. Built only
// where OpenCV was found (TESSERA_HAS_OPENCV).
#pragma once

#include "app/engines/engine.h"

namespace tessera {

std::shared_ptr<Engine> makeOpencvEngine();

} // namespace tessera
