#include "app/commands/batch/batch_inputs.h"

#include "app/commands/batch/content_hash.h"
#include "app/commands/text.h"
#include "app/core/thread_pool.h"
#include "app/image/image_io.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <set>
#include <span>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

namespace tessera {

namespace {

namespace fs = std::filesystem;

using Identity = std::pair<dev_t, ino_t>;

std::optional<Identity> identityOf(const fs::path &path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0)
        return std::nullopt;
    return Identity{status.st_dev, status.st_ino};
}

class Search {
public:
    explicit Search(const InputRequest &request) : request_(request), output_(identityOf(request.outputFolder)) {}

    void addPath(const fs::path &path) {
        std::error_code error;
        if (!fs::is_directory(path, error))
            return addFile(path, {}, false);
        visited_.clear(); // a folder named twice is searched twice; its files are still taken once
        if (const auto identity = identityOf(path))
            visited_.insert(*identity);
        searchFolder(path, {});
    }

    InputList takeList() { return std::move(list_); }

private:
    void skip(const fs::path &path, const char *reason) { list_.skipped.push_back({path, reason}); }

    void addFile(const fs::path &path, const fs::path &folder, bool searched) {
        std::error_code error;
        const fs::path absolute = fs::absolute(path, error).lexically_normal();
        const auto [place, isNew] = taken_.try_emplace(absolute, list_.inputs.size());
        if (isNew)
            return list_.inputs.push_back({path, folder, std::nullopt, searched});
        list_.inputs[place->second].searched &= searched;
        skip(path, "named twice");
    }

    void failFolder(const fs::path &path, const fs::path &folder, const std::error_code &error) {
        const bool forbidden = error == std::errc::permission_denied || error == std::errc::operation_not_permitted;
        list_.inputs.push_back(
            {path, folder.parent_path(),
             Error(ErrorKind::Input, "folder " + inQuotes(path.native()) + " cannot be read: " + error.message(),
                   forbidden ? "check its permissions" : "check the folder and its disk")});
    }

    void searchFolder(const fs::path &path, const fs::path &folder) {
        std::error_code error;
        std::vector<fs::path> names;
        fs::directory_iterator entries(path, error);
        for (; !error && entries != fs::directory_iterator(); entries.increment(error))
            names.push_back(entries->path().filename());
        if (error)
            failFolder(path, folder, error);
        std::sort(names.begin(), names.end());
        for (const fs::path &name : names)
            visit(path / name, folder);
    }

    void visit(const fs::path &path, const fs::path &folder) {
        if (path.filename().native().starts_with('.'))
            return skip(path, "hidden");
        std::error_code error;
        const fs::file_status status = fs::status(path, error);
        if (fs::is_directory(status))
            return visitFolder(path, folder / path.filename());
        const bool isPicture = formatForExtension(extensionOf(path)) != nullptr;
        // What cannot even be looked at may be a folder: where folders are searched, it is not passed over.
        if (!isPicture && request_.recursive && !fs::status_known(status) &&
            error != std::errc::too_many_symbolic_link_levels)
            return failFolder(path, folder / path.filename(), error);
        if (!isPicture) {
            list_.foreignPictures += isForeignPicture(extensionOf(path)) ? 1 : 0;
            return skip(path, "not a picture that Tessera reads");
        }
        // A dangling link is taken: that it cannot be opened is its failure. A socket or pipe would block for ever.
        if (fs::exists(status) && !fs::is_regular_file(status))
            return skip(path, "not a file");
        addFile(path, folder, true);
    }

    void visitFolder(const fs::path &path, const fs::path &folder) {
        const auto identity = identityOf(path);
        if (identity && identity == output_)
            return skip(path, "the output folder");
        if (!request_.recursive)
            return skip(path, "a folder; --recursive looks into it");
        if (identity && !visited_.insert(*identity).second)
            return skip(path, "a folder already searched (symbolic link)");
        searchFolder(path, folder);
    }

    // Whoever has these in a folder takes them for pictures, and should hear that they are not filtered.
    static bool isForeignPicture(std::string extension) {
        static const std::set<std::string> known{"gif", "heic", "heif", "avif", "jxl", "psd", "svg", "dng",
                                                 "cr2", "cr3",  "nef",  "arw",  "orf", "raf", "rw2"};
        std::ranges::transform(extension, extension.begin(), [](unsigned char c) { return char(std::tolower(c)); });
        return known.contains(extension);
    }

    static std::string extensionOf(const fs::path &path) {
        const std::string extension = path.extension().native();
        return extension.empty() ? extension : extension.substr(1);
    }

    const InputRequest &request_;
    const std::optional<Identity> output_;
    std::set<Identity> visited_;
    std::map<fs::path, std::size_t> taken_; // in the list
    InputList list_;
};

// Far more than any list has; a device other than a terminal may have no end.
std::size_t longestList(int handle) {
    struct stat status {};
    const bool device = ::fstat(handle, &status) == 0 && S_ISCHR(status.st_mode);
    return std::size_t{1} << (device ? 20 : 30);
}

std::string readList(const std::string &name) {
    const bool standardInput = name == "-";
    const int handle = standardInput ? STDIN_FILENO : ::open(name.c_str(), O_RDONLY | O_CLOEXEC);
    std::string content;
    char buffer[65536];
    ssize_t count = handle < 0 ? -1 : 1;
    int problem = errno; // before another call changes it
    const std::size_t most = longestList(handle);
    while (count > 0) {
        count = ::read(handle, buffer, sizeof buffer);
        problem = errno;
        if (count > 0)
            content.append(buffer, static_cast<std::size_t>(count));
        if (content.size() > most)
            break;
        if (count < 0 && problem == EINTR)
            count = 1;
    }
    if (handle >= 0 && !standardInput)
        ::close(handle);
    if (content.size() > most)
        throw Error(ErrorKind::Input, "the list of --files-from " + inQuotes(name) + " is far too long for one",
                    "name a file of names, one a line");
    if (count < 0)
        throw Error(ErrorKind::Input,
                    "the list of --files-from " + inQuotes(name) + " cannot be read: " + std::strerror(problem),
                    "check its name and permissions");
    return content;
}

// As some shells of Windows write it: taken for bytes it would be a list of single letters, a dot among them.
void refuseWideText(const std::string &content, const std::string &name) {
    if (content.starts_with("\xFF\xFE") || content.starts_with("\xFE\xFF"))
        throw Error(ErrorKind::Input, "the list of --files-from " + inQuotes(name) + " is UTF-16 text",
                    "save it as UTF-8");
}

} // namespace

std::vector<fs::path> splitFileList(const std::string &content) {
    const char separator = content.find('\0') != std::string::npos ? '\0' : '\n';
    std::vector<fs::path> paths;
    constexpr std::string_view byteOrderMark = "\xEF\xBB\xBF"; // some editors put it before UTF-8
    for (std::size_t begin = content.starts_with(byteOrderMark) ? byteOrderMark.size() : 0; begin < content.size();) {
        const std::size_t end = std::min(content.find(separator, begin), content.size());
        std::string name = content.substr(begin, end - begin);
        if (separator == '\n' && name.ends_with('\r'))
            name.pop_back();
        if (!name.empty())
            paths.emplace_back(std::move(name));
        begin = end + 1;
    }
    return paths;
}

EarlierOutputs recordedOutputs(const fs::path &outputFolder, const BatchRecords &records) {
    std::error_code error;
    const fs::path folder = fs::weakly_canonical(outputFolder, error);
    EarlierOutputs outputs;
    for (const auto &[name, record] : records.all())
        outputs.emplace(folder / name, records.hashesOf(name));
    return outputs;
}

void leaveOutEarlierOutputs(InputList &list, const EarlierOutputs &earlier) {
    if (earlier.empty())
        return;
    enum : char { Foreign, Made, Changed };
    std::vector<char> standings(list.inputs.size(), Foreign);
    ThreadPool(availableCores()).parallelFor(list.inputs.size(), [&](std::size_t i) {
        const BatchInput &input = list.inputs[i];
        if (!input.searched)
            return;
        std::error_code error;
        const auto found = earlier.find(fs::weakly_canonical(input.path, error));
        if (found != earlier.end())
            standings[i] =
                std::ranges::find(found->second, fileHash(input.path)) != found->second.end() ? Made : Changed;
    });
    std::vector<BatchInput> left;
    for (std::size_t i = 0; i < standings.size(); ++i) {
        list.inputs[i].changedOutput |= standings[i] == Changed;
        list.earlierOutputs += standings[i] == Made;
        if (standings[i] == Made)
            list.skipped.push_back({std::move(list.inputs[i].path), "an earlier batch has made it"});
        else
            left.push_back(std::move(list.inputs[i]));
    }
    list.inputs = std::move(left);
}

InputList collectInputs(const InputRequest &request) {
    Search search(request);
    for (const fs::path &path : request.paths)
        search.addPath(path);
    if (request.filesFrom) {
        const std::string content = readList(*request.filesFrom);
        refuseWideText(content, *request.filesFrom);
        for (const fs::path &path : splitFileList(content))
            search.addPath(path);
    }
    InputList list = search.takeList();
    leaveOutEarlierOutputs(list, request.earlierOutputs);
    return list;
}

std::string hashOfNames(const InputList &list) {
    HashStream names;
    for (const BatchInput &input : list.inputs) {
        const std::string name = (input.folder / input.path.filename()).native();
        names.add(std::as_bytes(std::span(name.c_str(), name.size() + 1)));
    }
    return names.finish();
}

} // namespace tessera
