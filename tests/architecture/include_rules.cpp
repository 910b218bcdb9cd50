#include "tests/architecture/include_rules.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <regex>
#include <span>
#include <sstream>
#include <string_view>

namespace tessera::architecture {

namespace {

// ---- what a room may see ----

enum Forbidden : unsigned {
    Qt = 1,         // <QWidget>, <QtConcurrent/...>
    OpenCv = 2,     // <opencv2/...>
    ImageFiles = 4, // libraries that decode and encode pictures
    Cuda = 8,       // the CUDA runtime; a file that includes it is no pure host code
    Threads = 16,   // threads, pools and futures of the language or of Qt
};

struct Rule {
    std::string_view folder;
    std::vector<std::string_view> allowed; // prefixes of project includes
    unsigned forbidden;
};

// Within app/ the rooms stand on one another in this order; each sees those before it.
const std::vector<Rule> &rules() {
    static const std::vector<Rule> table{
        {"gpu/", {"gpu/"}, Qt | OpenCv | ImageFiles},
        {"gpu/image/", {"gpu/image/"}, Qt | OpenCv | ImageFiles | Threads},
        {"gpu/kernels/", {"gpu/image/", "gpu/kernels/"}, Qt | OpenCv | ImageFiles | Threads},
        {"gpu/device/", {"gpu/image/", "gpu/device/", "gpu/launch/plan"}, Qt | OpenCv | ImageFiles},
        {"gpu/jit/", {"gpu/jit/", "gpu/device/", "gpu/launch/attributes"}, Qt | OpenCv | ImageFiles},
        {"gpu/launch/plan",
         {"gpu/image/", "gpu/kernels/", "gpu/launch/plan", "gpu/launch/fourier.h", "gpu/launch/separable.h",
          "gpu/launch/tensor_plan.h"},
         Qt | OpenCv | ImageFiles | Cuda | Threads},
        {"gpu/launch/",
         {"gpu/image/", "gpu/kernels/", "gpu/device/", "gpu/jit/", "gpu/model/", "gpu/launch/"},
         Qt | OpenCv | ImageFiles},
        {"gpu/peers/",
         {"gpu/image/", "gpu/kernels/", "gpu/device/", "gpu/launch/", "gpu/peers/"},
         Qt | OpenCv | ImageFiles},
        {"gpu/model/",
         {"gpu/image/", "gpu/kernels/", "gpu/launch/plan", "gpu/model/"},
         Qt | OpenCv | ImageFiles | Cuda | Threads},
        {"gpu/sim/",
         {"gpu/image/", "gpu/kernels/", "gpu/launch/plan", "gpu/launch/convolution", "gpu/launch/lesson_", "gpu/model/",
          "gpu/sim/"},
         Qt | OpenCv | ImageFiles | Cuda},
        {"app/", {"app/", "gpu/"}, Qt},
        {"app/core/", {"app/core/"}, Qt | OpenCv | ImageFiles | Cuda},
        {"app/image/", {"app/core/", "app/image/", "gpu/image/"}, Qt | Cuda},
        {"app/filters/",
         {"app/core/", "app/filters/", "app/image/", "gpu/image/", "gpu/model/"},
         Qt | OpenCv | ImageFiles | Cuda},
        {"app/stats/", {"app/core/", "app/image/", "app/stats/", "gpu/"}, Qt | ImageFiles},
        {"app/engines/",
         {"app/core/", "app/image/", "app/filters/", "app/stats/", "app/engines/", "gpu/"},
         Qt | ImageFiles},
        {"app/session/",
         {"app/core/", "app/image/", "app/filters/", "app/stats/", "app/engines/", "app/session/", "gpu/image/",
          "gpu/model/"},
         Qt | ImageFiles | Cuda},
        {"app/race/",
         {"app/core/", "app/image/", "app/filters/", "app/stats/", "app/engines/", "app/session/", "app/bench/",
          "app/race/", "gpu/image/", "gpu/model/"},
         Qt | ImageFiles | Cuda},
        {"assets/", {"app/core/", "app/image/", "assets/"}, Qt | OpenCv | ImageFiles | Cuda},
        {"ui/", {"ui/", "app/", "gpu/image/"}, OpenCv | ImageFiles | Cuda},
    };
    return table;
}

struct Library {
    Forbidden kind;
    std::string_view name;
    std::regex header;
};

const std::vector<Library> &libraries() {
    static const std::vector<Library> table{
        {Qt, "Qt", std::regex("Q[A-Z][A-Za-z0-9]*|Qt[A-Z][A-Za-z0-9]*/.*|q[a-z0-9_]+\\.h")},
        {OpenCv, "OpenCV", std::regex("opencv2?/.*|opencv.*\\.hpp")},
        {ImageFiles, "a library for picture files",
         std::regex("(stb/)?stb_image.*|png\\.h|jpeglib\\.h|turbojpeg\\.h|tiff(io)?\\.h|tiffio\\.hxx|webp/.*|libexif/"
                    ".*|lcms2\\.h")},
        {Cuda, "the CUDA runtime",
         std::regex("cuda[A-Za-z_]*\\.(h|hpp)|cuda/.*|cub/"
                    ".*|cooperative_groups.*|npp.*\\.h|cudnn.*\\.h|cufft.*\\.h|nvrtc\\.h")},
        {Threads, "threads",
         std::regex("thread|future|mutex|condition_variable|Q?[Tt]hread.*|QThreadPool|QRunnable|QtConcurrent.*|QFuture."
                    "*|QMutex|QPromise")},
    };
    return table;
}

// cuda_fp16.h and cuda_occupancy.h are arithmetic alone: they build with a plain C++ compiler.
const std::regex hostSafeCuda("cuda_(fp16|bf16|occupancy)\\.(h|hpp)");

const Rule *ruleFor(std::string_view path) {
    const Rule *best = nullptr;
    for (const Rule &rule : rules())
        if (path.starts_with(rule.folder) && (!best || rule.folder.size() > best->folder.size()))
            best = &rule;
    return best;
}

// ---- reading ----

struct Include {
    int line = 0;
    bool quoted = false;
    std::string header;

    std::string written() const { return quoted ? '"' + header + '"' : '<' + header + '>'; }
};

std::vector<Include> includesOf(const std::string &text) {
    static const std::regex directive(R"re(^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>))re");
    std::vector<Include> found;
    std::istringstream lines(text);
    std::string line;
    for (int number = 1; std::getline(lines, line); ++number)
        if (std::smatch match; std::regex_search(line, match, directive))
            found.push_back({number, match[1].matched, match[1].matched ? match[1].str() : match[2].str()});
    return found;
}

constexpr std::array<std::string_view, 5> rooms{"app/", "assets/", "gpu/", "tests/", "ui/"};

bool startsWithAny(std::string_view text, std::span<const std::string_view> prefixes) {
    return std::ranges::any_of(prefixes, [&](std::string_view prefix) { return text.starts_with(prefix); });
}

bool isGenerated(std::string_view header) {
    return header.ends_with(".moc") || header.starts_with("moc_") || header.starts_with("ui_") ||
           header.starts_with("generated/");
}

bool isThreading(const std::string &header) {
    return std::ranges::any_of(libraries(), [&](const Library &library) {
        return library.kind == Threads && std::regex_match(header, library.header);
    });
}

// ---- the checks ----

std::string reasonAgainstProjectInclude(const Rule &rule, const std::string &path, const std::string &header) {
    if (startsWithAny(header, rule.allowed)) {
        // The simulator and the CUDA launcher never see each other, wherever in gpu/ a file stands.
        if (path.starts_with("gpu/sim/") && header.starts_with("gpu/launch/cuda"))
            return "the simulator does not see the CUDA launcher";
        return {};
    }
    std::string reason = std::string(rule.folder) + " may include only";
    for (std::string_view prefix : rule.allowed)
        reason += ' ' + std::string(prefix);
    return reason;
}

std::string reasonAgainstLibrary(const Rule &rule, const std::string &header) {
    for (const Library &library : libraries()) {
        if (!(rule.forbidden & library.kind) || !std::regex_match(header, library.header))
            continue;
        if (library.kind == Cuda && std::regex_match(header, hostSafeCuda))
            continue;
        return std::string(rule.folder) + " does without " + std::string(library.name);
    }
    return {};
}

std::string reasonAgainst(const Rule &rule, const std::string &path, const Include &include) {
    if (startsWithAny(include.header, rooms))
        return reasonAgainstProjectInclude(rule, path, include.header);
    if (const std::string reason = reasonAgainstLibrary(rule, include.header); !reason.empty())
        return reason;
    if (include.quoted && !isGenerated(include.header))
        return "project includes are written from the project's root";
    return {};
}

// Only ui/bridge/ brings threads and the session together.
void checkBridge(const std::string &path, const std::vector<Include> &includes, std::vector<Violation> &violations) {
    if (!path.starts_with("ui/") || path.starts_with("ui/bridge/"))
        return;
    const auto session =
        std::ranges::find_if(includes, [](const Include &i) { return i.header.starts_with("app/session/"); });
    const auto thread = std::ranges::find_if(includes, [](const Include &i) { return isThreading(i.header); });
    if (session != includes.end() && thread != includes.end())
        violations.push_back({path, thread->line, thread->written(),
                              "only ui/bridge/ touches threads and the session together (" + session->written() + ")"});
}

bool isSource(const std::filesystem::path &path) {
    static constexpr std::array<std::string_view, 6> extensions{".h", ".hpp", ".cpp", ".cu", ".cuh", ".inl"};
    return std::ranges::find(extensions, path.extension().string()) != extensions.end();
}

} // namespace

std::string describe(const std::vector<Violation> &violations) {
    std::string text;
    for (const Violation &violation : violations)
        text += violation.file + ':' + std::to_string(violation.line) + ": " + violation.include + ": " +
                violation.reason + '\n';
    return text;
}

std::vector<Violation> checkText(const std::string &path, const std::string &text) {
    std::vector<Violation> violations;
    const Rule *rule = ruleFor(path);
    if (!rule)
        return violations;
    const std::vector<Include> includes = includesOf(text);
    for (const Include &include : includes)
        if (std::string reason = reasonAgainst(*rule, path, include); !reason.empty())
            violations.push_back({path, include.line, include.written(), std::move(reason)});
    checkBridge(path, includes, violations);
    return violations;
}

TreeCheck checkTree(const std::filesystem::path &root) {
    TreeCheck check;
    for (const char *room : {"app", "assets", "gpu", "ui"}) {
        if (!std::filesystem::is_directory(root / room))
            continue;
        for (const auto &entry : std::filesystem::recursive_directory_iterator(root / room)) {
            if (!entry.is_regular_file() || !isSource(entry.path()))
                continue;
            std::ifstream file(entry.path(), std::ios::binary);
            const std::string text{std::istreambuf_iterator<char>(file), {}};
            const std::string path = entry.path().lexically_relative(root).generic_string();
            ++check.filesChecked;
            check.includesChecked += static_cast<int>(includesOf(text).size());
            std::ranges::move(checkText(path, text), std::back_inserter(check.violations));
        }
    }
    std::ranges::sort(check.violations, {}, [](const Violation &v) { return std::pair(v.file, v.line); });
    return check;
}

} // namespace tessera::architecture
