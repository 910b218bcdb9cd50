// A file appears whole or not at all: written beside its target under a name of its own, flushed to the disk, then
// given the target's name in one step.
#include "app/core/error.h"
#include "app/image/display_name.h"
#include "app/image/file_handle.h"
#include "app/image/image_io.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <fcntl.h>
#include <random>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <system_error>

namespace tessera {

namespace {

namespace fs = std::filesystem;

std::string remedyFor(int error) {
    switch (error) {
    case ENOSPC:
    case EDQUOT:
        return "free some space or choose another folder";
    case EFBIG:
        return "raise the limit of file sizes (ulimit -f), or use a file system that holds larger files";
    case EACCES:
    case EPERM:
        return "choose a folder that you may write to";
    case EROFS:
        return "the file system is read-only: choose another folder";
    case ENOENT:
        return "create the folder first, or check its name";
    case ENOTDIR:
        return "a part of the folder's name is a file: check it";
    case ENAMETOOLONG:
        return "choose a shorter name";
    case EEXIST:
        return "choose another name, or allow overwriting (--overwrite)";
    default:
        return "check the disk and the folder, then try again";
    }
}

[[noreturn]] void failWith(const fs::path &path, const std::string &what, int error) {
    throw Error(ErrorKind::Output, displayName(path) + ": " + what + ": " + std::generic_category().message(error),
                remedyFor(error));
}

[[noreturn]] void failExists(const fs::path &path) {
    throw Error(ErrorKind::Output, displayName(path) + ": the file exists already", remedyFor(EEXIST));
}

// Holds SIGXFSZ back in this thread. Beyond a file size limit (ulimit -f) its default action would kill the program
// and leave the temporary file behind; held back, write() fails with EFBIG instead.
class FileSizeSignalHeld {
public:
    FileSizeSignalHeld() {
        sigemptyset(&signals_);
        sigaddset(&signals_, SIGXFSZ);
        pthread_sigmask(SIG_BLOCK, &signals_, &previous_);
    }
    ~FileSizeSignalHeld() {
        const timespec noWait{};
        while (sigtimedwait(&signals_, nullptr, &noWait) == SIGXFSZ) {
        }
        pthread_sigmask(SIG_SETMASK, &previous_, nullptr);
    }
    FileSizeSignalHeld(const FileSizeSignalHeld &) = delete;
    FileSizeSignalHeld &operator=(const FileSizeSignalHeld &) = delete;

private:
    sigset_t signals_{};
    sigset_t previous_{};
};

// The file that is being written; removed unless it was given its final name.
class TemporaryFile {
public:
    // `target` names it in errors.
    TemporaryFile(const fs::path &folder, const fs::path &target) {
        std::random_device entropy;
        for (int attempt = 0; attempt < 100; ++attempt) {
            const std::uint64_t number = std::uint64_t(entropy()) << 32 | entropy();
            path_ = folder / (".tessera-" + std::to_string(number) + ".tmp");
            file_ = FileHandle(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666));
            if (file_)
                return;
            if (errno != EEXIST && errno != EINTR)
                break;
        }
        failWith(target, "cannot be created", errno);
    }
    ~TemporaryFile() { remove(); }
    TemporaryFile(const TemporaryFile &) = delete;
    TemporaryFile &operator=(const TemporaryFile &) = delete;

    const fs::path &path() const { return path_; }
    FileHandle &file() { return file_; }
    void remove() {
        if (!path_.empty())
            ::unlink(path_.c_str());
        path_.clear();
    }
    void keep() { path_.clear(); } // its name is the target's now

private:
    fs::path path_;
    FileHandle file_;
};

void writeAll(FileHandle &file, std::span<const std::byte> content, const fs::path &target) {
    constexpr std::size_t largestStep = std::size_t(1) << 30; // Linux writes at most 2 GiB at once
    while (!content.empty()) {
        const ssize_t count = ::write(file.get(), content.data(), std::min(content.size(), largestStep));
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            failWith(target, "cannot be written", errno);
        content = content.subspan(static_cast<std::size_t>(count));
    }
    int result = 0;
    do {
        result = ::fsync(file.get());
    } while (result != 0 && errno == EINTR);
    if (result != 0 && errno != EINVAL && errno != ENOTSUP) // some file systems have no fsync
        failWith(target, "cannot be flushed to the disk", errno);
}

// The new name must outlive a power failure too. Folders that may be written but not read are left to the system.
void syncFolder(const fs::path &folder, const fs::path &target) {
    const FileHandle handle(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (handle && ::fsync(handle.get()) != 0 && (errno == EIO || errno == ENOSPC || errno == EDQUOT))
        failWith(target, "was written, but its folder cannot be flushed to the disk", errno);
}

// Gives `temporary` the name `target`, which must not exist. Three ways, since file systems differ: a rename that
// refuses (most local ones), a hard link (NFS), a placeholder of our own that is then replaced (FAT).
void publishNew(TemporaryFile &temporary, const fs::path &target) {
    const char *from = temporary.path().c_str();
    const char *to = target.c_str();
    if (::syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 1u /* RENAME_NOREPLACE */) == 0)
        return temporary.keep();
    if (errno == EEXIST)
        failExists(target);
    if (errno != EINVAL && errno != ENOSYS && errno != ENOTSUP && errno != EPERM)
        failWith(target, "cannot be given its name", errno);
    if (::link(from, to) == 0)
        return temporary.remove();
    if (errno == EEXIST)
        failExists(target);
    const FileHandle placeholder(::open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666));
    if (!placeholder && errno == EEXIST)
        failExists(target);
    if (!placeholder)
        failWith(target, "cannot be given its name", errno);
    if (::rename(from, to) == 0)
        return temporary.keep();
    const int error = errno;
    ::unlink(to);
    failWith(target, "cannot be given its name", error);
}

// What overwriting replaces. A symbolic link stays, and the file that it leads to is replaced.
struct Target {
    fs::path path;
    std::optional<mode_t> mode; // of the file that is there already
};

Target examineTarget(const fs::path &path, bool overwrite) {
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0)
        return {path, std::nullopt}; // not there, or creating the temporary file will say why
    if (S_ISDIR(status.st_mode))
        throw Error(ErrorKind::Output, displayName(path) + ": is a folder", "add a file name");
    if (!overwrite)
        failExists(path);
    fs::path end = path;
    for (int links = 0; S_ISLNK(status.st_mode); ++links) {
        std::error_code error;
        const fs::path next = fs::read_symlink(end, error);
        if (error || links == 40)
            failWith(path, "the symbolic link cannot be followed", error ? error.value() : ELOOP);
        end = end.parent_path() / next; // an absolute `next` replaces the whole
        if (::lstat(end.c_str(), &status) != 0)
            return {end, std::nullopt}; // the link names a file that is yet to be made
    }
    if (!S_ISREG(status.st_mode))
        throw Error(ErrorKind::Output, displayName(path) + ": is neither a file nor a new name", "choose a file name");
    return {end, status.st_mode};
}

} // namespace

void writeFileAtomically(const fs::path &path, std::span<const std::byte> content, bool overwrite) {
    if (!path.has_filename())
        throw Error(ErrorKind::Output, displayName(path) + ": is not the name of a file", "add a file name");
    const Target target = examineTarget(path, overwrite);
    const fs::path folder = target.path.has_parent_path() ? target.path.parent_path() : fs::path(".");
    const FileSizeSignalHeld held;
    TemporaryFile temporary(folder, path);
    if (target.mode)
        ::fchmod(temporary.file().get(), *target.mode & 0777); // as the file had it; else umask has decided
    writeAll(temporary.file(), content, path);
    if (!temporary.file().close())
        failWith(path, "cannot be written", errno);
    if (!overwrite) {
        publishNew(temporary, target.path);
    } else {
        if (::rename(temporary.path().c_str(), target.path.c_str()) != 0)
            failWith(path, "cannot be given its name", errno);
        temporary.keep();
    }
    syncFolder(folder, path);
}

} // namespace tessera
