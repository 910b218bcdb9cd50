// The directions of the house as a table, and a check of a source tree against it.
//
// A file obeys the rule whose folder is the longest prefix of its path. It may include project files only under the
// prefixes that the rule allows, and no system header that the rule forbids.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tessera::architecture {

struct Violation {
    std::string file; // relative to the tree's root
    int line = 0;
    std::string include; // as written, with its quotes or brackets
    std::string reason;
};

// "file:line: include: reason", one a line.
std::string describe(const std::vector<Violation> &violations);

// Checks one file's text as if it stood at `path` (relative, with forward slashes).
std::vector<Violation> checkText(const std::string &path, const std::string &text);

struct TreeCheck {
    std::vector<Violation> violations;
    int filesChecked = 0;
    int includesChecked = 0;
};

// Checks every C++ and CUDA file below app/, assets/, gpu/ and ui/. Rooms that do not exist are passed over.
TreeCheck checkTree(const std::filesystem::path &root);

} // namespace tessera::architecture
