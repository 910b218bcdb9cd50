#include "app/commands/batch/line_file.h"

#include "app/commands/failure.h"
#include "app/commands/text.h"
#include "app/core/error.h"
#include "app/image/atomic_file.h"

#include <climits>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

namespace tessera {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path &path, const std::string &why, const char *remedy) {
    throw Error(ErrorKind::Usage, inQuotes(path.native()) + " " + why, remedy);
}

// What no choice among the options would change.
void refuseKind(const fs::path &path, const fs::file_status &status) {
    if (fs::is_directory(status))
        refuse(path, "is a folder", "add a file name");
    if (fs::is_socket(status) || fs::is_block_file(status))
        refuse(path, "is no file that lines can be added to", "choose another name");
}

bool isStream(const fs::file_status &status) { return fs::is_fifo(status) || fs::is_character_file(status); }

[[noreturn]] void refuseTaken(const fs::path &path) {
    refuse(path, "exists already",
           "choose another name, add --overwrite to replace it, or --skip-existing to append to it");
}

[[noreturn]] void failOpening(const fs::path &path, int error) {
    throw Error(kindOfRefusedOutput(error), inQuotes(path.native()) + " cannot be written: " + std::strerror(error),
                remedyForWriting(error));
}

} // namespace

int descriptorNamed(const fs::path &path) {
    const std::string name = path.lexically_normal().native();
    if (name == "/dev/stdin")
        return STDIN_FILENO;
    if (name == "/dev/stdout")
        return STDOUT_FILENO;
    if (name == "/dev/stderr")
        return STDERR_FILENO;
    for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
        if (!name.starts_with(folder))
            continue;
        int number = -1;
        const char *end = name.data() + name.size();
        const auto [rest, error] = std::from_chars(name.data() + folder.size(), end, number);
        if (error == std::errc{} && rest == end && number >= 0)
            return number;
    }
    return -1;
}

void LineFile::check(const fs::path &path, Existing existing, const fs::path &made) {
    if (descriptorNamed(path) >= 0)
        return;
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    refuseKind(path, status);
    if (existing == Existing::Refuse && !isStream(status) && fs::exists(fs::symlink_status(path, error)))
        refuseTaken(path);
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    if (!path.has_filename())
        refuse(path, "is not the name of a file", "add a file name");
    if (folder != made && !fs::is_directory(folder, error))
        failOpening(path, error ? error.value() : fs::exists(folder) ? ENOTDIR : ENOENT);
}

LineFile::LineFile(const fs::path &path, Existing existing) : path_(path) {
    open(existing);
    struct stat status {};
    mayBlock_ = ::fstat(handle_, &status) == 0 && !S_ISREG(status.st_mode);
    canBeDeleted_ = !mayBlock_ && descriptorNamed(path_) < 0;
    if (existing == Existing::Append)
        endBrokenLine();
}

void LineFile::open(Existing existing) {
    if (const int named = descriptorNamed(path_); named >= 0) {
        const int flags = ::fcntl(named, F_GETFL);
        if (flags < 0)
            refuse(path_, "is not open", "open it for the program, as a shell does with '3>report.jsonl'");
        if ((flags & O_ACCMODE) == O_RDONLY)
            refuse(path_, "is open for reading only", "choose another name");
        handle_ = ::fcntl(named, F_DUPFD_CLOEXEC, 0);
        if (handle_ < 0)
            failOpening(path_, errno);
        return;
    }
    std::error_code error;
    const fs::file_status status = fs::status(path_, error);
    refuseKind(path_, status);
    // A pipe is opened for writing only: with both ways open, what nobody reads would be lost without a word.
    const bool stream = isStream(status);
    const int how = stream || existing == Existing::Append ? 0 : existing == Existing::Replace ? O_TRUNC : O_EXCL;
    const int flags = (stream ? O_WRONLY | O_NOCTTY : O_RDWR | O_CREAT) | O_APPEND | O_CLOEXEC | how;
    do {
        handle_ = ::open(path_.c_str(), flags, 0666);
    } while (handle_ < 0 && errno == EINTR);
    if (handle_ < 0 && errno == EEXIST)
        refuseTaken(path_);
    if (handle_ < 0)
        failOpening(path_, errno);
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

// A reader that sleeps is waited for, but not by somebody who has asked for the end.
void LineFile::waitForRoom() {
    constexpr int stepMs = 100, momentMs = 2000;
    pollfd place{handle_, POLLOUT, 0};
    const auto isFull = [&] {
        const int ready = ::poll(&place, 1, givenUp_ ? 0 : stepMs);
        return ready == 0 || (ready < 0 && errno == EINTR); // to write now might be to wait for ever
    };
    for (int leftMs = givenUp_ ? 0 : momentMs; isFull();) {
        leftMs -= stopping_ && stopping_() ? stepMs : 0;
        givenUp_ = leftMs <= 0;
        if (givenUp_)
            throw Error(ErrorKind::Cancelled,
                        inQuotes(path_.native()) + " is full, and nobody reads it: lines are missing there");
    }
}

// Lines of a file that has no name any more are lost when the program ends.
void LineFile::refuseDeleted() const {
    struct stat status {};
    if (canBeDeleted_ && ::fstat(handle_, &status) == 0 && status.st_nlink == 0)
        throw Error(ErrorKind::Output, inQuotes(path_.native()) + " was deleted while the batch ran",
                    "run the batch again, and leave its files where they are");
}

void LineFile::append(const std::string &line) {
    const std::lock_guard lock(mutex_);
    refuseDeleted();
    if (isBroken_)
        write("\n");
    isBroken_ = false;
    write(line);
}

void LineFile::write(std::string_view rest) {
    const std::size_t whole = rest.size();
    while (!rest.empty()) {
        if (mayBlock_)
            waitForRoom();
        // Room for PIPE_BUF bytes is all that is known of a pipe.
        const std::size_t step = mayBlock_ ? std::min<std::size_t>(rest.size(), PIPE_BUF) : rest.size();
        const ssize_t written = ::write(handle_, rest.data(), step);
        if (written < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        isBroken_ |= written < 0 && rest.size() < whole; // as on a full disk, which may have room again later
        if (written < 0)
            throw Error(ErrorKind::Output, inQuotes(path_.native()) + " cannot be written: " + std::strerror(errno),
                        errno == EPIPE ? "let its reader read to the end" : remedyForWriting(errno));
        rest.remove_prefix(static_cast<std::size_t>(written));
    }
}

} // namespace tessera
