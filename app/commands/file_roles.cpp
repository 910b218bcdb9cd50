#include "app/commands/file_roles.h"

#include "app/commands/text.h"
#include "app/core/error.h"

#include <sys/stat.h>

namespace tessera {

namespace fs = std::filesystem;

namespace {

bool isSpecial(const fs::path &path) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    return fs::exists(status) && !fs::is_regular_file(status);
}

[[noreturn]] void refuse(const NamedFile &output, const NamedFile &other) {
    throw Error(ErrorKind::Usage,
                output.role + " " + inQuotes(output.path.native()) + " is the same file as " +
                    (other.path == output.path ? other.role.substr(0, other.role.find_last_not_of(',') + 1)
                                               : other.role + " " + inQuotes(other.path.native())),
                "choose another name; nothing was done");
}

} // namespace

std::optional<FileIdentity> identityOf(const fs::path &path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0)
        return std::nullopt;
    return FileIdentity{status.st_dev, status.st_ino};
}

fs::path placeOfFile(const fs::path &path) {
    std::error_code error;
    fs::path place = fs::absolute(path, error);
    constexpr int mostLinks = 40; // as the system follows
    for (int i = 0; i < mostLinks && fs::is_symlink(fs::symlink_status(place, error)); ++i)
        place = place.parent_path() / fs::read_symlink(place, error);
    const fs::path folder = fs::weakly_canonical(place.parent_path(), error);
    return ((error ? place.parent_path() : folder) / place.filename()).lexically_normal();
}

bool sameFile(const fs::path &a, const fs::path &b) {
    if (isSpecial(a) || isSpecial(b))
        return false;
    const auto identity = identityOf(a);
    return (identity && identity == identityOf(b)) || placeOfFile(a) == placeOfFile(b);
}

void checkOutputFile(const fs::path &path, bool overwrite) {
    const auto refuse = [](const fs::path &name, const char *why, const char *remedy) {
        throw Error(ErrorKind::Usage, inQuotes(name.native()) + " " + why, remedy);
    };
    std::error_code error;
    if (fs::is_directory(path, error))
        refuse(path, "is a folder", "name a file in it");
    if (!path.has_filename())
        refuse(path, "is not the name of a file", "add a file name");
    if (isSpecial(path))
        refuse(path, "is a pipe or a device, not a file", "choose another name; - is the standard output");
    if (!overwrite && fs::exists(fs::symlink_status(path, error)))
        refuse(path, "exists already", "choose another name or allow --overwrite");
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    if (!fs::is_directory(folder, error))
        throw Error(ErrorKind::Usage, "the folder " + inQuotes(folder.native()) + " is not there", "create it first");
}

void refuseSharedFiles(const std::vector<NamedFile> &inputs, const std::vector<NamedFile> &outputs) {
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        for (const NamedFile &input : inputs)
            if (sameFile(outputs[i].path, input.path))
                refuse(outputs[i], input);
        for (std::size_t j = 0; j < i; ++j)
            if (sameFile(outputs[i].path, outputs[j].path))
                refuse(outputs[i], outputs[j]);
    }
}

} // namespace tessera
