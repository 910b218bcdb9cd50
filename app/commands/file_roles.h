// The files that a command reads and writes, told apart before any work: --overwrite is meant for outputs, and must not
// cost a file that the command itself reads, or another of its outputs.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace tessera {

struct NamedFile {
    std::string role; // "--report", "the kernel", for messages
    std::filesystem::path path;
};

// Which file on the disk, whatever name leads to it.
using FileIdentity = std::pair<dev_t, ino_t>;

// Empty where there is none.
std::optional<FileIdentity> identityOf(const std::filesystem::path &path);

// The place that writing to `path` would go to, links resolved as far as they lead.
std::filesystem::path placeOfFile(const std::filesystem::path &path);

// By identity where both are there, else by place. Devices and pipes are never the same: nothing is lost there.
bool sameFile(const std::filesystem::path &a, const std::filesystem::path &b);

// Everything that can be known of an output before the work for it, which is written at its end. Throws Error{Usage}
// where the name is a folder's, a pipe's or a device's, is taken and may not be replaced, or where its folder is
// missing.
void checkOutputFile(const std::filesystem::path &path, bool overwrite);

// Throws Error{Usage} where an output is one of the inputs, or one of the other outputs.
void refuseSharedFiles(const std::vector<NamedFile> &inputs, const std::vector<NamedFile> &outputs);

} // namespace tessera
