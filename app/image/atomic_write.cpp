// A file appears whole or not at all: written beside its target without a name or under one of its own, flushed to the
// disk, then given the target's name in one step.
#include "app/core/error.h"
#include "app/image/atomic_file.h"
#include "app/image/display_name.h"
#include "app/image/image_io.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <fcntl.h>
#include <random>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <system_error>
#include <unistd.h>

namespace tessera {

std::string remedyForWriting(int error) {
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

namespace {

namespace fs = std::filesystem;

[[noreturn]] void failWith(const fs::path &path, const std::string &what, int error) {
    throw Error(ErrorKind::Output, displayName(path) + ": " + what + ": " + std::generic_category().message(error),
                remedyForWriting(error));
}

[[noreturn]] void failExists(const fs::path &path) {
    throw TargetExists(ErrorKind::Output, displayName(path) + ": the file exists already", remedyForWriting(EEXIST));
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

constexpr std::string_view temporaryPrefix = ".tessera-", temporarySuffix = ".tmp";

// Part of a temporary file's name: a lock tells whether its writer lives, but only on the machine that set it.
std::string hostMark() {
    static const std::string mark = [] {
        char name[256] = "";
        ::gethostname(name, sizeof name - 1);
        char text[9];
        std::snprintf(text, sizeof text, "%08x", unsigned(std::hash<std::string>{}(name)));
        return std::string(text);
    }();
    return mark;
}

fs::path temporaryName(const fs::path &folder) {
    std::random_device entropy;
    const std::uint64_t number = std::uint64_t(entropy()) << 32 | entropy();
    return folder /
           (std::string(temporaryPrefix) + hostMark() + "-" + std::to_string(number) + std::string(temporarySuffix));
}

// Nameless files get their name through /proc.
std::string nameOfHandle(int handle) { return "/proc/self/fd/" + std::to_string(handle); }

struct Target {
    fs::path path;
    std::optional<mode_t> mode; // of the file that is there already
};

Target examineTarget(const fs::path &path, bool overwrite, LinkTarget links) {
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0)
        return {path, std::nullopt}; // not there, or creating the temporary file will say why
    if (S_ISDIR(status.st_mode))
        throw Error(ErrorKind::Output, displayName(path) + ": is a folder", "add a file name");
    if (!overwrite)
        failExists(path);
    if (S_ISLNK(status.st_mode) && links == LinkTarget::Replace)
        return {path, std::nullopt};
    fs::path end = path;
    for (int followed = 0; S_ISLNK(status.st_mode); ++followed) {
        std::error_code error;
        const fs::path next = fs::read_symlink(end, error);
        if (error || followed == 40)
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

AtomicFile::AtomicFile(const fs::path &target, bool overwrite, LinkTarget links)
    : asked_(target), overwrite_(overwrite) {
    if (!target.has_filename())
        throw Error(ErrorKind::Output, displayName(target) + ": is not the name of a file", "add a file name");
    const Target found = examineTarget(target, overwrite, links);
    target_ = found.path;
    mode_ = found.mode;
    folder_ = target_.has_parent_path() ? target_.parent_path() : fs::path(".");
    if (!createNameless())
        createNamed();
    if (mode_)
        ::fchmod(file_.get(), *mode_ & 0777); // as the file had it; else umask has decided
}

AtomicFile::~AtomicFile() { removeTemporary(); }

bool AtomicFile::createNameless() {
    static const bool canBeNamed = ::access("/proc/self/fd", X_OK) == 0;
    if (!canBeNamed)
        return false;
    file_ = FileHandle(::open(folder_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0666));
    return bool(file_); // where it cannot, the other way says why
}

// The lock tells removeStaleTemporaries() that somebody lives who writes it.
void AtomicFile::createNamed() {
    int error = 0;
    for (int attempt = 0; attempt < 100; ++attempt) {
        temporary_ = temporaryName(folder_);
        file_ = FileHandle(::open(temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666));
        error = errno;
        struct stat status {};
        if (file_) {
            ::flock(file_.get(), LOCK_EX | LOCK_NB);
            if (::fstat(file_.get(), &status) == 0 && status.st_nlink > 0)
                return; // nobody took it for an old one in between
            continue;
        }
        temporary_.clear();
        if (error != EEXIST && error != EINTR)
            break;
    }
    failWith(asked_, "cannot be created", error);
}

void AtomicFile::removeTemporary() {
    if (!temporary_.empty())
        ::unlink(temporary_.c_str());
    temporary_.clear();
}

void AtomicFile::append(std::span<const std::byte> content) {
    const FileSizeSignalHeld held;
    constexpr std::size_t largestStep = std::size_t(1) << 30; // Linux writes at most 2 GiB at once
    while (!content.empty()) {
        const ssize_t count = ::write(file_.get(), content.data(), std::min(content.size(), largestStep));
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            failWith(asked_, "cannot be written", errno);
        content = content.subspan(static_cast<std::size_t>(count));
    }
}

void AtomicFile::sync() {
    int result = 0;
    do {
        result = ::fsync(file_.get());
    } while (result != 0 && errno == EINTR);
    if (result != 0 && errno != EINVAL && errno != ENOTSUP) // some file systems have no fsync
        failWith(asked_, "cannot be flushed to the disk", errno);
}

void AtomicFile::giveTemporaryName() {
    temporary_ = temporaryName(folder_);
    ::flock(file_.get(), LOCK_EX | LOCK_NB);
    if (::linkat(AT_FDCWD, nameOfHandle(file_.get()).c_str(), AT_FDCWD, temporary_.c_str(), AT_SYMLINK_FOLLOW) != 0) {
        const int error = errno;
        temporary_.clear();
        failWith(asked_, "cannot be given its name", error);
    }
}

void AtomicFile::publish() {
    if (!overwrite_)
        return publishNew();
    if (temporary_.empty())
        giveTemporaryName();
    if (::rename(temporary_.c_str(), target_.c_str()) != 0)
        failWith(asked_, "cannot be given its name", errno);
    temporary_.clear(); // the target's now
}

// Four ways, since file systems differ: a name for the nameless file, a rename that refuses (most local ones), a hard
// link (NFS), a placeholder of our own that is then replaced (FAT).
void AtomicFile::publishNew() {
    const char *to = target_.c_str();
    if (temporary_.empty()) {
        if (::linkat(AT_FDCWD, nameOfHandle(file_.get()).c_str(), AT_FDCWD, to, AT_SYMLINK_FOLLOW) == 0)
            return;
        if (errno == EEXIST)
            failExists(asked_);
        failWith(asked_, "cannot be given its name", errno);
    }
    const char *from = temporary_.c_str();
    if (::syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 1u /* RENAME_NOREPLACE */) == 0)
        return temporary_.clear();
    if (errno == EEXIST)
        failExists(asked_);
    if (errno != EINVAL && errno != ENOSYS && errno != ENOTSUP && errno != EPERM)
        failWith(asked_, "cannot be given its name", errno);
    if (::link(from, to) == 0)
        return removeTemporary();
    if (errno == EEXIST)
        failExists(asked_);
    const FileHandle placeholder(::open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666));
    if (!placeholder && errno == EEXIST)
        failExists(asked_);
    if (!placeholder)
        failWith(asked_, "cannot be given its name", errno);
    if (::rename(from, to) == 0)
        return temporary_.clear();
    const int error = errno;
    ::unlink(to);
    failWith(asked_, "cannot be given its name", error);
}

void syncFolder(const fs::path &folder, const fs::path &target) {
    const FileHandle handle(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (handle && ::fsync(handle.get()) != 0 && (errno == EIO || errno == ENOSPC || errno == EDQUOT))
        failWith(target, "was written, but its folder cannot be flushed to the disk", errno);
}

std::size_t removeStaleTemporaries(const fs::path &folder) {
    constexpr std::time_t day = 24 * 60 * 60;
    const std::string ofThisHost = std::string(temporaryPrefix) + hostMark() + "-";
    std::size_t removed = 0;
    std::error_code error;
    for (fs::directory_iterator entries(folder, error); !error && entries != fs::directory_iterator();
         entries.increment(error)) {
        const std::string name = entries->path().filename().native();
        if (!name.starts_with(temporaryPrefix) || !name.ends_with(temporarySuffix))
            continue;
        const FileHandle file(::open(entries->path().c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
        struct stat status {};
        if (!file || ::flock(file.get(), LOCK_EX | LOCK_NB) != 0 || ::fstat(file.get(), &status) != 0 ||
            !S_ISREG(status.st_mode))
            continue;
        // A lock of another machine may not show here: its files are left a day.
        if (name.starts_with(ofThisHost) || status.st_mtime + day < std::time(nullptr))
            removed += ::unlink(entries->path().c_str()) == 0 ? 1 : 0;
    }
    return removed;
}

void writeFileAtomically(const fs::path &path, std::span<const std::byte> content, bool overwrite) {
    AtomicFile file(path, overwrite);
    file.append(content);
    file.sync();
    file.publish();
    syncFolder(file.folder(), path);
}

} // namespace tessera
