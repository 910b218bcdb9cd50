// The folders that a batch writes into.
#pragma once

#include "app/commands/batch/batch_plan.h"
#include "app/commands/console.h"

#include <filesystem>
#include <set>
#include <vector>

namespace tessera {

// Whether `folder`, there or not, is one of `paths` or lies below one, or holds one, at any depth; links resolved.
bool sharesPlaceWith(const std::filesystem::path &folder, const std::vector<std::filesystem::path> &paths);

// Whether both are one folder, there or not.
bool sameFolder(const std::filesystem::path &a, const std::filesystem::path &b);

// With those above it. Throws Error{Output}.
void makeOutputFolder(const std::filesystem::path &folder);

std::set<std::filesystem::path> outputFolders(const std::vector<PlannedFile> &files);

// What runs left that were killed, on file systems without nameless files; says so where there was any.
void removeStaleTemporariesOf(const std::vector<PlannedFile> &files, const std::filesystem::path &outputFolder,
                              Console &console);

} // namespace tessera
