#include "app/image/opencv_codecs/scratch.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <iostream>
#include <mutex>
#include <streambuf>
#include <sys/mman.h>
#include <system_error>
#include <unistd.h>

namespace tessera::scratch {

namespace {

bool writeAll(int handle, const char *content, std::size_t size) {
    constexpr std::size_t largestStep = std::size_t(1) << 30;
    while (size > 0) {
        const ssize_t written = ::write(handle, content, std::min(size, largestStep));
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        content += written;
        size -= std::size_t(written);
    }
    return true;
}

thread_local int quiet = 0;

// Stands before the buffer that std::cerr has, for good: other threads may be writing to it at any time.
class Filter : public std::streambuf {
public:
    explicit Filter(std::streambuf *behind) : behind_(behind) {}

protected:
    int_type overflow(int_type character) override {
        if (quiet > 0 || traits_type::eq_int_type(character, traits_type::eof()))
            return traits_type::not_eof(character);
        return behind_->sputc(traits_type::to_char_type(character));
    }
    std::streamsize xsputn(const char *text, std::streamsize count) override {
        return quiet > 0 ? count : behind_->sputn(text, count);
    }
    int sync() override { return behind_->pubsync(); }

private:
    std::streambuf *behind_;
};

} // namespace

MemoryFile::MemoryFile(const void *content, std::size_t size) {
    handle_ = ::memfd_create("picture", MFD_CLOEXEC);
    if (handle_ < 0 || !writeAll(handle_, static_cast<const char *>(content), size))
        return;
    const std::string name = "/proc/self/fd/" + std::to_string(handle_);
    if (::access(name.c_str(), R_OK) == 0)
        name_ = name;
}

MemoryFile::~MemoryFile() {
    if (handle_ >= 0)
        ::close(handle_);
}

std::string whyNoTemporary(std::uint64_t bytes) {
    const char *named = std::getenv("OPENCV_TEMP_PATH");
    const std::string folder = named && *named ? named : "/tmp";
    std::string pattern = folder + "/tessera-XXXXXX";
    const int handle = ::mkostemp(pattern.data(), O_CLOEXEC);
    int error = handle < 0 ? errno : 0;
    if (handle >= 0) {
        ::unlink(pattern.c_str());
        if (::fallocate(handle, 0, 0, off_t(std::max<std::uint64_t>(bytes, 1))) != 0 && errno != EOPNOTSUPP)
            error = errno;
        ::close(handle);
    }
    if (error == 0)
        return {};
    return "the temporary folder '" + folder + "' cannot take its copy: " + std::generic_category().message(error);
}

QuietErrors::QuietErrors() {
    static std::once_flag once;
    std::call_once(once, [] { std::cerr.rdbuf(new Filter(std::cerr.rdbuf())); }); // needed until the process ends
    ++quiet;
}

QuietErrors::~QuietErrors() { --quiet; }

} // namespace tessera::scratch
