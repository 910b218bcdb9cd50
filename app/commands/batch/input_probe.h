// What is asked of an input before it is read.
#pragma once

#include "app/commands/batch/batch_plan.h"
#include "app/image/image_io.h"

#include <cstdint>
#include <string>

namespace tessera {

// When a file was last touched, to notice that it changes while it is read.
struct FileStamp {
    std::int64_t seconds = 0, nanoseconds = 0;
    std::uint64_t bytes = 0;

    friend bool operator==(const FileStamp &, const FileStamp &) = default;
};

// An error that names the file.
Error namedAfter(const PlannedFile &file, const std::string &what, std::string remedy, ErrorKind kind);

// Throws Error{Input} where it is no regular file, or not there.
FileStamp stampOf(const PlannedFile &file);

// The picture's size is needed before the memory for it is asked for. The first part of a file nearly always tells it,
// and of a TIFF what its directory says; for the rest one file at a time is read for the purpose. Throws as
// probeImage().
ImageInfo probeFile(const PlannedFile &file, const LoadLimits &limits);

} // namespace tessera
