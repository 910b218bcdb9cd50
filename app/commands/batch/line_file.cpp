#include "app/commands/batch/line_file.h"

#include "app/commands/text.h"
#include "app/core/error.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

namespace tessera {

namespace {

[[noreturn]] void refuse(const std::filesystem::path &path) {
    std::error_code error;
    if (std::filesystem::is_directory(path, error))
        throw Error(ErrorKind::Usage, inQuotes(path.native()) + " is a folder", "add a file name");
    throw Error(ErrorKind::Usage, inQuotes(path.native()) + " exists already",
                "choose another name, add --overwrite to replace it, or --skip-existing to append to it");
}

} // namespace

void LineFile::refuseExisting(const std::filesystem::path &path) {
    std::error_code error;
    if (std::filesystem::exists(std::filesystem::symlink_status(path, error)))
        refuse(path);
}

LineFile::LineFile(const std::filesystem::path &path, Existing existing) : path_(path) {
    std::error_code error;
    const int how = existing == Existing::Append ? 0 : existing == Existing::Replace ? O_TRUNC : O_EXCL;
    // A pipe is opened for writing only: with both ways open, what nobody reads would be lost without a word.
    const int direction = std::filesystem::is_fifo(path, error) ? O_WRONLY : O_RDWR;
    handle_ = ::open(path.c_str(), direction | O_CREAT | O_APPEND | O_CLOEXEC | how, 0666);
    if (handle_ < 0 && errno == EEXIST)
        refuse(path);
    if (handle_ < 0)
        throw Error(ErrorKind::Output, inQuotes(path.native()) + " cannot be written: " + std::strerror(errno),
                    "check the folder and its permissions");
    if (existing == Existing::Append)
        endBrokenLine();
}

LineFile::~LineFile() {
    if (handle_ >= 0)
        ::close(handle_);
}

// A process that was killed while writing may have left half a line; the next must not be glued to it.
void LineFile::endBrokenLine() {
    struct stat status {};
    char last = '\n';
    if (::fstat(handle_, &status) == 0 && status.st_size > 0 && ::pread(handle_, &last, 1, status.st_size - 1) == 1 &&
        last != '\n')
        append("\n");
}

void LineFile::append(const std::string &line) {
    const std::lock_guard lock(mutex_);
    std::string_view rest = line;
    while (!rest.empty()) {
        const ssize_t written = ::write(handle_, rest.data(), rest.size());
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            throw Error(ErrorKind::Output, inQuotes(path_.native()) + " cannot be written: " + std::strerror(errno),
                        errno == ENOSPC ? "free some space and run it again" : "check the disk and its permissions");
        rest.remove_prefix(static_cast<std::size_t>(written));
    }
}

} // namespace tessera
