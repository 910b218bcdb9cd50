// What OpenCV does beside its work: files of its own in the temporary folder, and lines on the standard error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace tessera::scratch {

// A file in memory, with a name by which libraries that read files only can open it; it goes with the object. OpenCV
// would copy the content to the temporary folder instead.
class MemoryFile {
public:
    MemoryFile(const void *content, std::size_t size);
    ~MemoryFile();
    MemoryFile(const MemoryFile &) = delete;
    MemoryFile &operator=(const MemoryFile &) = delete;

    const std::string &name() const { return name_; } // empty where it could not be made, or given a name

private:
    int handle_ = -1;
    std::string name_;
};

// Where OpenCV puts its own copies, and why a file of `bytes` cannot be made there; empty where it can.
std::string whyNoTemporary(std::uint64_t bytes);

// While it lives, what this thread writes to std::cerr is dropped: OpenCV tells of its failures there, besides throwing
// or returning them.
class QuietErrors {
public:
    QuietErrors();
    ~QuietErrors();
    QuietErrors(const QuietErrors &) = delete;
    QuietErrors &operator=(const QuietErrors &) = delete;
};

} // namespace tessera::scratch
