#include "app/bench/contender.h"

namespace tessera::bench {

std::string_view scopeName(Scope scope) {
    switch (scope) {
    case Scope::Kernel:
        return "kernel";
    case Scope::Call:
        return "call";
    case Scope::EndToEnd:
        return "end_to_end";
    }
    return "unknown";
}

std::string_view cacheStateName(CacheState cache) { return cache == CacheState::Cold ? "cold" : "hot"; }

} // namespace tessera::bench
