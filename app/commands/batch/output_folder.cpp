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

} // namespace

bool liesInAnyOf(const fs::path &folder, const std::vector<fs::path> &paths) {
    std::error_code error;
    const fs::path place = placeOf(folder);
    return std::ranges::any_of(paths, [&](const fs::path &path) {
        if (!fs::is_directory(path, error)) {
            const fs::path parent = path.parent_path();
            return placeOf(parent.empty() ? fs::path(".") : parent) == place;
        }
        const fs::path outer = fs::canonical(path, error);
        return std::mismatch(outer.begin(), outer.end(), place.begin(), place.end()).first == outer.end();
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
