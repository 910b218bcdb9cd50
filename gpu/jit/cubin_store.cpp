#include "gpu/jit/cubin_store.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <type_traits>
#include <unistd.h>
#include <utility>

namespace tessera::jit {

namespace fs = std::filesystem;

namespace {

constexpr const char *extension = ".cubin", *unfinished = ".unfinished";

struct Header {
    char magic[8] = {'T', 'e', 's', 's', 'C', 'u', 'b', '1'}; // the last is the format's number
    std::uint64_t bytes = 0;                                  // of the code that follows
    Digest name, content;
};
static_assert(sizeof(Header) == 48 && std::is_trivially_copyable_v<Header>);

class File {
public:
    File(const fs::path &path, int flags, mode_t mode = 0) : descriptor_(open(path.c_str(), flags | O_CLOEXEC, mode)) {}
    ~File() { close(); }
    File(const File &) = delete;
    File &operator=(const File &) = delete;

    bool isOpen() const { return descriptor_ >= 0; }
    int descriptor() const { return descriptor_; }
    bool close() {
        const int descriptor = std::exchange(descriptor_, -1);
        return descriptor < 0 || ::close(descriptor) == 0;
    }
    bool read(void *data, std::size_t bytes) {
        for (auto *at = static_cast<char *>(data); bytes > 0;) {
            const ssize_t count = ::read(descriptor_, at, bytes);
            if (count <= 0)
                return false;
            at += count;
            bytes -= std::size_t(count);
        }
        return true;
    }
    bool write(const void *data, std::size_t bytes) {
        for (auto *at = static_cast<const char *>(data); bytes > 0;) {
            const ssize_t count = ::write(descriptor_, at, bytes);
            if (count <= 0)
                return false;
            at += count;
            bytes -= std::size_t(count);
        }
        return true;
    }

private:
    int descriptor_;
};

// A folder of its own in the cache is private, as the base directory specification asks.
bool makeFolder(const fs::path &folder) {
    std::error_code error;
    if (fs::is_directory(folder, error))
        return true;
    fs::create_directories(folder.parent_path(), error);
    return mkdir(folder.c_str(), 0700) == 0 || fs::is_directory(folder, error);
}

fs::path absoluteFrom(const char *variable) {
    const char *value = std::getenv(variable);
    const fs::path path = value ? value : "";
    return path.is_absolute() ? path : fs::path(); // the specification: relative ones are to be ignored
}

} // namespace

fs::path CubinStore::defaultFolder() {
    fs::path base = absoluteFrom("XDG_CACHE_HOME");
    if (base.empty()) {
        const fs::path home = absoluteFrom("HOME");
        base = home.empty() ? fs::path() : home / ".cache";
    }
    return base.empty() ? fs::path() : base / "tessera" / "kernels";
}

CubinStore::CubinStore(fs::path folder, std::uint64_t maximumBytes)
    : folder_(std::move(folder)), maximumBytes_(maximumBytes) {}

fs::path CubinStore::fileOf(const Digest &name) const { return folder_ / (name.text() + extension); }

std::optional<Cubin> CubinStore::load(const Digest &name) const {
    if (folder_.empty())
        return std::nullopt;
    File file(fileOf(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK); // a pipe of that name must not block
    struct stat status {};
    Header header;
    if (!file.isOpen() || fstat(file.descriptor(), &status) != 0 || !S_ISREG(status.st_mode) ||
        !file.read(&header, sizeof header))
        return std::nullopt;
    if (std::memcmp(header.magic, Header().magic, sizeof header.magic) != 0 || header.name != name ||
        header.bytes > maximumBytes_ || std::uint64_t(status.st_size) != sizeof header + header.bytes)
        return std::nullopt;
    Cubin cubin(header.bytes);
    if (!file.read(cubin.data(), cubin.size()) || digestOf(cubin) != header.content)
        return std::nullopt;
    utimensat(AT_FDCWD, fileOf(name).c_str(), nullptr, AT_SYMLINK_NOFOLLOW); // used now
    return cubin;
}

bool CubinStore::save(const Digest &name, std::span<const std::byte> cubin) const {
    Header header;
    header.bytes = cubin.size();
    header.name = name;
    header.content = digestOf(cubin);
    if (folder_.empty() || sizeof header + cubin.size() > maximumBytes_ || !makeFolder(folder_))
        return false;
    static std::atomic<unsigned> number{0};
    const fs::path temporary =
        folder_ / (name.text() + "-" + std::to_string(getpid()) + "-" + std::to_string(number++) + unfinished);
    std::error_code error;
    // No fsync: should the machine stop in between, the digest tells that the content is not whole.
    File file(temporary, O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (!file.isOpen())
        return false;
    const bool written = file.write(&header, sizeof header) && file.write(cubin.data(), cubin.size()) && file.close();
    if (written)
        fs::rename(temporary, fileOf(name), error);
    if (!written || error) {
        fs::remove(temporary, error);
        return false;
    }
    trim();
    return true;
}

// Other processes may delete and add meanwhile: whatever fails here is left for the next time.
void CubinStore::trim() const {
    struct Entry {
        fs::path path;
        std::uint64_t bytes;
        fs::file_time_type used;
    };
    std::vector<Entry> entries;
    std::uint64_t total = 0;
    std::error_code error;
    const auto now = fs::file_time_type::clock::now();
    for (fs::directory_iterator at(folder_, error), end; !error && at != end; at.increment(error)) {
        std::error_code gone;
        const fs::path path = at->path();
        const auto used = at->last_write_time(gone);
        const std::uint64_t bytes = gone ? 0 : at->file_size(gone);
        if (gone)
            continue;
        if (path.extension() == unfinished && now - used > std::chrono::hours(1)) // its writer was killed
            fs::remove(path, gone);
        else if (path.extension() == extension) {
            entries.push_back({path, bytes, used});
            total += bytes;
        }
    }
    std::ranges::sort(entries, {}, &Entry::used);
    for (const Entry &entry : entries) {
        if (total <= maximumBytes_)
            break;
        std::error_code gone;
        if (fs::remove(entry.path, gone) || !gone)
            total -= entry.bytes;
    }
}

} // namespace tessera::jit
