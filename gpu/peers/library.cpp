#include "gpu/peers/library.h"

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>

namespace tessera::peers {

namespace fs = std::filesystem;

namespace {

std::vector<std::string> split(const std::string &text) {
    std::vector<std::string> parts;
    for (std::size_t start = 0; start <= text.size();) {
        const std::size_t end = std::min(text.find(':', start), text.size());
        if (end > start)
            parts.push_back(text.substr(start, end - start));
        start = end + 1;
    }
    return parts;
}

void addIfFolder(std::vector<fs::path> &folders, const fs::path &folder) {
    std::error_code ignored;
    if (fs::is_directory(folder, ignored) && std::ranges::find(folders, folder) == folders.end())
        folders.push_back(folder);
}

// The folder itself, what a CUDA installation calls its libraries' folder, and what NVIDIA's Python packages do.
void addPlaces(std::vector<fs::path> &folders, const fs::path &root) {
    addIfFolder(folders, root);
    addIfFolder(folders, root / "lib64");
    addIfFolder(folders, root / "lib");
    std::vector<fs::path> packages;
    for (const fs::path &parent : {root / "nvidia", root}) {
        std::error_code ignored;
        for (const auto &entry : fs::directory_iterator(parent, ignored))
            packages.push_back(entry.path() / "lib");
    }
    std::ranges::sort(packages);
    for (const fs::path &package : packages)
        addIfFolder(folders, package);
}

const char *environment(const char *name) {
    const char *value = std::getenv(name);
    return value && *value ? value : nullptr;
}

std::string joinedNames(std::initializer_list<const char *> names) {
    std::string text;
    for (const char *name : names)
        text += (text.empty() ? "" : " or ") + std::string(name);
    return text;
}

bool open(OpenLibrary &library, const std::string &path) {
    library.handle = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (library.handle)
        library.path = path;
    return library.there();
}

} // namespace

void *OpenLibrary::symbol(const char *name) const { return handle ? dlsym(handle, name) : nullptr; }

SearchPlaces searchPlaces() {
    SearchPlaces places;
    std::vector<std::string> roots;
    if (const char *path = environment("TESSERA_PEER_PATH")) {
        places.loaderToo = false;
        roots = split(path);
    } else {
        for (const char *variable : {"CUDA_HOME", "CUDA_PATH"})
            if (const char *value = environment(variable))
                roots.emplace_back(value);
        roots.emplace_back("/usr/local/cuda");
    }
    for (std::size_t i = 0; i < roots.size(); ++i) {
        const std::string &root = roots[i];
        if (std::find(roots.begin(), roots.begin() + std::ptrdiff_t(i), root) != roots.begin() + std::ptrdiff_t(i))
            continue; // named twice, as CUDA_HOME often is
        addPlaces(places.folders, root);
        places.described += (places.described.empty() ? "" : ", ") + root;
    }
    return places;
}

OpenLibrary openLibrary(std::initializer_list<const char *> names, const SearchPlaces &places) {
    OpenLibrary library;
    std::string damaged; // one that is there and cannot be loaded says more than that none is there
    for (const char *name : names) {
        if (places.loaderToo && open(library, name))
            return library;
        for (const fs::path &folder : places.folders) {
            const fs::path file = folder / name;
            std::error_code ignored;
            if (!fs::exists(file, ignored))
                continue;
            if (open(library, file.string()))
                return library;
            const char *why = dlerror();
            if (damaged.empty())
                damaged = file.string() + " could not be loaded" + (why ? ": " + std::string(why) : std::string());
        }
    }
    library.missing = !damaged.empty() ? damaged
                      : places.loaderToo
                          ? joinedNames(names) + " was found neither by the system's loader nor in " +
                                places.described + " (TESSERA_PEER_PATH names other folders)"
                          : joinedNames(names) + " was not found in " + places.described + " (TESSERA_PEER_PATH)";
    return library;
}

} // namespace tessera::peers
