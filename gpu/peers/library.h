// Finds vendors' libraries when the program runs, so that it starts, and says what is missing, where they are not.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <string>
#include <vector>

namespace tessera::peers {

// A library that stays open for the rest of the process: CUDA libraries keep state that outlives whoever opened them,
// and unloading one while a device works is asking for trouble. Hence no owner.
struct OpenLibrary {
    void *handle = nullptr;
    std::string path;    // what was opened
    std::string missing; // why there is none, a sentence without a final stop; empty where there is one

    bool there() const { return handle != nullptr; }
    void *symbol(const char *name) const; // nullptr where it has none
};

// Where libraries are looked for besides the loader's own places. With TESSERA_PEER_PATH set (folders joined by ':')
// these alone count, and the loader is not asked. A folder may be one of libraries, a CUDA installation, or Python's
// site-packages, whose packages lie in nvidia/*/lib.
struct SearchPlaces {
    std::vector<std::filesystem::path> folders; // each holds libraries itself
    std::string described;                      // for messages
    bool loaderToo = true;
};
SearchPlaces searchPlaces();

// The first of `names` ("libcufft.so.12", then older ones) that can be opened.
OpenLibrary openLibrary(std::initializer_list<const char *> names, const SearchPlaces &places);

// Sets `function` to the library's `name`, or, where it has none, says so in `library.missing` and drops the handle.
// The first missing one counts.
template <class Function> void resolve(OpenLibrary &library, const char *name, Function &function);

} // namespace tessera::peers

template <class Function> void tessera::peers::resolve(OpenLibrary &library, const char *name, Function &function) {
    if (!library.there())
        return;
    function = reinterpret_cast<Function>(library.symbol(name));
    if (function)
        return;
    library.missing = library.path + " has no function " + name + ": another version of the library is needed";
    library.handle = nullptr;
}
