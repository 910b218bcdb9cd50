#include "app/image/file_read.h"

#include "app/core/error.h"
#include "app/image/display_name.h"
#include "app/image/file_handle.h"
#include "app/image/memory_limit.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>

namespace tessera {

namespace {

[[noreturn]] void fail(const std::filesystem::path &path, const std::string &why, const std::string &remedy = {}) {
    throw Error(ErrorKind::Input, displayName(path) + ": " + why, remedy);
}

std::string remedyFor(int error) {
    switch (error) {
    case ENOENT:
        return "check the name and the folder";
    case EACCES:
    case EPERM:
        return "check the permissions of the file and its folder";
    case EMFILE:
    case ENFILE:
        return "raise the limit of open files (ulimit -n) or run fewer jobs";
    default:
        return {};
    }
}

[[noreturn]] void failSystem(const std::filesystem::path &path, const char *what, int error) {
    fail(path, std::string(what) + ": " + std::generic_category().message(error), remedyFor(error));
}

[[noreturn]] void failTooLong(const std::filesystem::path &path, std::uint64_t length, std::uint64_t maximumBytes) {
    throw Error(ErrorKind::Limit,
                displayName(path) + ": reading the file takes " + memorySizeText(length) +
                    " of memory and more, over the limit of " + memorySizeText(maximumBytes),
                "raise --max-memory, or use a machine with more memory");
}

// Regular files and pipes can be read to an end; directories cannot, and devices such as /dev/zero have none.
void requireReadableKind(const std::filesystem::path &path, const struct stat &status) {
    if (S_ISDIR(status.st_mode))
        fail(path, "is a folder, not a picture", "name a file in it; batch filters whole folders");
    if (!S_ISREG(status.st_mode) && !S_ISFIFO(status.st_mode))
        fail(path, "is neither a file nor a pipe", "name a picture file");
}

} // namespace

std::vector<std::byte> readWholeFile(const std::filesystem::path &path, std::uint64_t maximumBytes) {
    const FileHandle file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
    if (!file)
        failSystem(path, "cannot be opened", errno);
    struct stat status {};
    if (::fstat(file.get(), &status) != 0)
        failSystem(path, "cannot be examined", errno);
    requireReadableKind(path, status);
    const auto stated = static_cast<std::uint64_t>(std::max<off_t>(status.st_size, 0));
    if (stated > maximumBytes)
        failTooLong(path, stated, maximumBytes);

    constexpr std::size_t step = std::size_t(1) << 16;
    std::vector<std::byte> content;
    std::size_t used = 0;
    try {
        content.resize(stated + 1); // one more than stated, so that the end shows without a second allocation
        while (true) {
            if (used == content.size())
                content.resize(std::max(content.size() + step, content.size() / 2 * 3));
            const ssize_t count = ::read(file.get(), content.data() + used, content.size() - used);
            if (count < 0 && errno == EINTR)
                continue;
            if (count < 0)
                failSystem(path, "cannot be read", errno);
            if (count == 0)
                break;
            used += static_cast<std::size_t>(count);
            if (used > maximumBytes)
                failTooLong(path, used, maximumBytes);
        }
        content.resize(used);
    } catch (const std::bad_alloc &) {
        throw Error(ErrorKind::Limit, displayName(path) + ": no memory to read the file", "close other programs");
    }
    return content;
}

} // namespace tessera
