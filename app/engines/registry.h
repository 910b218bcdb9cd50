// How the engine for a job is chosen, with the engines as a parameter so that the policy can be tested without the
// hardware.
#pragma once

#include "app/engines/engine.h"

#include <span>

namespace tessera {

// chooseEngine() over any list of engines, in the order of availableEngines().
EngineChoice chooseEngineFrom(std::span<const std::shared_ptr<Engine>> engines, std::string_view variant,
                              std::string_view device);

} // namespace tessera
