// A file that appears whole or not at all, for content that is written piece by piece. writeFileAtomically() in
// image_io.h does it for content that is in memory.
#pragma once

#include "app/core/error.h"
#include "app/image/file_handle.h"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <sys/types.h>

namespace tessera {

// What to do about an `errno` of writing.
std::string remedyForWriting(int error);

// Of a target that exists and may not be overwritten, perhaps since a moment ago.
class TargetExists : public Error {
public:
    using Error::Error;
};

// What overwriting a symbolic link means: the file that it leads to gets the new content, or the link itself gives way
// to a file and what it led to stays as it is.
enum class LinkTarget { Follow, Replace };

// Written without a name, or, where the file system has no nameless files, under a hidden name beside the target
// (".tessera-HOST-NUMBER.tmp"); destroyed unless published. Whatever kills the program, no half file ever has the
// target's name. All members throw Error{Output} that names the target, TargetExists among them.
class AtomicFile {
public:
    AtomicFile(const std::filesystem::path &target, bool overwrite, LinkTarget links = LinkTarget::Follow);
    ~AtomicFile();
    AtomicFile(const AtomicFile &) = delete;
    AtomicFile &operator=(const AtomicFile &) = delete;

    int handle() const { return file_.get(); } // open for reading and writing

    void append(std::span<const std::byte> content);
    void sync(); // until this returned, a power failure may lose the content
    // Gives it its name in one step. Without overwrite, a target that exists by now is refused even under a race.
    void publish();

    const std::filesystem::path &folder() const { return folder_; }

private:
    void create();
    bool createNameless();
    void createNamed();
    void giveTemporaryName();
    void publishNew();
    void removeTemporary();

    std::filesystem::path asked_;  // what errors name
    std::filesystem::path target_; // behind links, where they are followed
    std::filesystem::path folder_;
    std::filesystem::path temporary_; // its present name; empty while it has none
    bool overwrite_ = false;
    std::optional<mode_t> mode_; // of the file that is replaced
    FileHandle file_;
};

// Names given so far outlive a power failure. Throws Error{Output} where the disk fails; folders that may be written
// but not read are left to the system.
void syncFolder(const std::filesystem::path &folder, const std::filesystem::path &target);

// Removes the temporary files that killed programs left in a folder; those that a living one writes stay. How many.
std::size_t removeStaleTemporaries(const std::filesystem::path &folder);

} // namespace tessera
