#include "app/commands/batch/input_probe.h"

#include "app/commands/text.h"
#include "app/image/file_read.h"
#include "app/image/row_io.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <mutex>
#include <sys/stat.h>
#include <unistd.h>

namespace tessera {

Error namedAfter(const PlannedFile &file, const std::string &what, std::string remedy, ErrorKind kind) {
    return {kind, displayText(file.input.native()) + ": " + what, std::move(remedy)};
}

FileStamp stampOf(const PlannedFile &file) {
    struct stat status {};
    if (::stat(file.input.c_str(), &status) != 0)
        throw namedAfter(file, std::string("cannot be opened: ") + std::strerror(errno),
                         "check the name, the folder and their permissions", ErrorKind::Input);
    if (!S_ISREG(status.st_mode))
        throw namedAfter(file, S_ISDIR(status.st_mode) ? "is a folder, not a picture" : "is not a regular file",
                         "name a picture file", ErrorKind::Input);
    return {status.st_mtim.tv_sec, status.st_mtim.tv_nsec, static_cast<std::uint64_t>(status.st_size)};
}

namespace {

std::vector<std::byte> readHead(const PlannedFile &file, std::size_t length) {
    std::vector<std::byte> head(length);
    const int handle = ::open(file.input.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    const ssize_t count = handle < 0 ? -1 : ::pread(handle, head.data(), head.size(), 0);
    const int reason = errno; // close() may change it
    if (handle >= 0)
        ::close(handle);
    if (count < 0)
        throw namedAfter(file, std::string("cannot be read: ") + std::strerror(reason),
                         "check the file, the folder and their permissions", ErrorKind::Input);
    head.resize(static_cast<std::size_t>(count));
    return head;
}

} // namespace

ImageInfo probeFile(const PlannedFile &file, const LoadLimits &limits) {
    constexpr std::size_t headLength = std::size_t{1} << 18;
    const std::string name = file.input.native();
    const std::vector<std::byte> head = readHead(file, headLength);
    if (head.size() < headLength)
        return probeImage(head, name);
    try {
        return probeImageHead(head, name, stampOf(file).bytes);
    } catch (const Error &) {
    }
    refuseUnknownHead(head, name);
    try {
        return probeFileRows(file.input);
    } catch (const Error &) {
        static std::mutex oneAtATime;
        const std::lock_guard lock(oneAtATime);
        return probeImage(readWholeFile(file.input, limits.maximumBytes), name);
    }
}

} // namespace tessera
