#include "app/commands/batch/output_folder.h"

#include "app/commands/failure.h"
#include "app/commands/text.h"
#include "app/image/atomic_file.h"

#include <algorithm>

namespace tessera {

namespace fs = std::filesystem;

namespace {

// Links resolved; "out/" is "out".
fs::path placeOf(const fs::path &folder) {
    std::error_code error;
    const fs::path whole = fs::weakly_canonical(fs::absolute(folder, error), error).lexically_normal();
    return whole.has_filename() ? whole : whole.parent_path();
}

// Whether a place is a folder's or below it.
bool isWithin(const fs::path &place, const fs::path &folder) {
    const auto [end, rest] = std::mismatch(folder.begin(), folder.end(), place.begin(), place.end());
    return end == folder.end() || (std::next(end) == folder.end() && end->empty()); // "/" ends in an empty name
}

} // namespace

bool sharesPlaceWith(const fs::path &folder, const std::vector<fs::path> &paths) {
    std::error_code error;
    const fs::path place = placeOf(folder);
    std::set<fs::path> seen; // files are many, and their folders few
    return std::ranges::any_of(paths, [&](const fs::path &path) {
        const bool isFolder = fs::is_directory(path, error);
        const fs::path parent = path.parent_path().empty() ? fs::path(".") : path.parent_path();
        const fs::path named = isFolder ? path : parent;
        if (!isFolder && !seen.insert(named).second)
            return false;
        const fs::path there = placeOf(named);
        return isWithin(there, place) || (isFolder && isWithin(place, there));
    });
}

void makeOutputFolder(const fs::path &folder) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error)
        throw Error(kindOfRefusedOutput(error.value()),
                    "the output folder " + inQuotes(folder.native()) + " cannot be made: " + error.message(),
                    "choose another with -o, or check the permissions");
}

bool sameFolder(const fs::path &a, const fs::path &b) { return placeOf(a) == placeOf(b); }

std::set<fs::path> outputFolders(const std::vector<PlannedFile> &files) {
    std::set<fs::path> folders;
    for (const PlannedFile &file : files)
        if (!file.output.empty())
            folders.insert(file.output.parent_path());
    return folders;
}

void removeStaleTemporariesOf(const std::vector<PlannedFile> &files, const fs::path &outputFolder, Console &console) {
    std::set<fs::path> folders = outputFolders(files);
    folders.insert(outputFolder);
    std::size_t removed = 0;
    for (const fs::path &folder : folders)
        removed += removeStaleTemporaries(folder);
    if (removed > 0)
        console.info("removed " + counted(removed, "unfinished file") + " of a run that was killed");
}

} // namespace tessera
