#include "gpu/jit/compiler.h"

#include "gpu/jit/headers.h"

#include <algorithm>
#include <array>

namespace tessera::jit {

namespace {

// Owns an NVRTC program.
class NvrtcTask {
public:
    NvrtcTask(const Nvrtc &nvrtc, const KernelSource &source) : nvrtc_(nvrtc) {
        std::vector<const char *> names, texts;
        for (const EmbeddedHeader &header : embeddedHeaders()) {
            names.push_back(header.name);
            texts.push_back(header.text);
        }
        const std::string name = source.entry + ".cu"; // what the log calls the text
        check(nvrtc_.createProgram(&program_, source.text.c_str(), name.c_str(), int(names.size()), texts.data(),
                                   names.data()));
    }
    ~NvrtcTask() { nvrtc_.destroyProgram(&program_); }
    NvrtcTask(const NvrtcTask &) = delete;
    NvrtcTask &operator=(const NvrtcTask &) = delete;

    Nvrtc::Result compile(const std::vector<std::string> &options, const std::stop_token &stop) {
        if (nvrtc_.setFlowCallback && stop.stop_possible())
            check(nvrtc_.setFlowCallback(
                program_,
                [](void *payload, void *) -> int {
                    return static_cast<const std::stop_token *>(payload)->stop_requested() ? 1 : 0;
                },
                const_cast<std::stop_token *>(&stop)));
        std::vector<const char *> words;
        for (const std::string &option : options)
            words.push_back(option.c_str());
        return nvrtc_.compileProgram(program_, int(words.size()), words.data());
    }
    std::string log() const {
        std::size_t size = 0;
        if (nvrtc_.logSize(program_, &size) != Nvrtc::success || size < 2)
            return {};
        std::string text(size, '\0');
        if (nvrtc_.log(program_, text.data()) != Nvrtc::success)
            return {};
        text.resize(size - 1); // without the final zero
        return text;
    }
    Cubin cubin() const {
        std::size_t size = 0;
        check(nvrtc_.cubinSize(program_, &size));
        Cubin bytes(size);
        check(nvrtc_.cubin(program_, reinterpret_cast<char *>(bytes.data())));
        return bytes;
    }

private:
    void check(Nvrtc::Result result) const {
        if (result != Nvrtc::success)
            throw CompileError(std::string("the run-time compiler failed: ") + nvrtc_.errorText(result), {});
    }

    const Nvrtc &nvrtc_;
    Nvrtc::Program program_ = nullptr;
};

Architecture targetOf(const KernelSource &source, Architecture architecture) {
    architecture.specific |= source.architectureSpecific;
    return architecture;
}

std::string firstLines(const std::string &log, int count) {
    std::size_t end = 0;
    for (int line = 0; line < count && end < log.size(); ++line) {
        end = log.find('\n', end);
        end = end == std::string::npos ? log.size() : end + 1;
    }
    std::string head = log.substr(0, end);
    while (!head.empty() && head.back() == '\n')
        head.pop_back();
    return end < log.size() ? head + "\n..." : head;
}

} // namespace

Compiler::Compiler(Nvrtc nvrtc) : nvrtc_(std::move(nvrtc)) {
    if (!available())
        return;
    int count = 0;
    nvrtc_.version(&major_, &minor_);
    if (nvrtc_.numSupportedArchs(&count) == Nvrtc::success && count > 0) {
        architectures_.resize(std::size_t(count));
        if (nvrtc_.supportedArchs(architectures_.data()) != Nvrtc::success)
            architectures_.clear();
    }
}

const Compiler &Compiler::shared() {
    static const Compiler compiler(loadNvrtc(processEnvironment));
    return compiler;
}

std::string Compiler::version() const { return std::to_string(major_) + "." + std::to_string(minor_); }

std::optional<Architecture> Compiler::architectureFor(int major, int minor) const {
    int best = 0;
    for (const int architecture : architectures_)
        if (architecture / 10 == major && architecture % 10 <= minor)
            best = std::max(best, architecture);
    return best ? std::optional(Architecture{best / 10, best % 10}) : std::nullopt;
}

Cubin Compiler::compile(const KernelSource &source, const Architecture &architecture, std::stop_token stop) const {
    if (!available())
        throw CompilerUnavailable(reason());
    if (std::ranges::find(architectures_, 10 * architecture.major + architecture.minor) == architectures_.end())
        throw CompilerUnavailable("the run-time compiler (NVRTC " + version() + ") does not know " +
                                  architecture.name());
    const std::string target = targetOf(source, architecture).name();
    std::vector<std::string> options{"--std=c++20", "--device-as-default-execution-space",
                                     "--gpu-architecture=" + target};
    options.insert(options.end(), source.options.begin(), source.options.end());
    NvrtcTask task(nvrtc_, source);
    const Nvrtc::Result result = task.compile(options, stop);
    if (stop.stop_requested())
        throw CompileCancelled();
    if (result != Nvrtc::success) {
        const std::string log = task.log();
        throw CompileError("the run-time compiler (NVRTC " + version() + ") refused the kernel " + source.entry +
                               " for " + target + ": " + (log.empty() ? nvrtc_.errorText(result) : firstLines(log, 6)),
                           log);
    }
    return task.cubin();
}

Digest Compiler::digestOf(const KernelSource &source, const Architecture &architecture) const {
    const std::string text = jit::digestOf(source).text(), headers = embeddedHeadersDigest().text();
    const std::string target = targetOf(source, architecture).name(), compiler = version();
    const std::array<std::string_view, 5> fields{text, headers, target, compiler, TESSERA_VERSION};
    return jit::digestOf(fields);
}

const Digest &embeddedHeadersDigest() {
    static const Digest digest = [] {
        std::vector<std::string_view> fields;
        for (const EmbeddedHeader &header : embeddedHeaders()) {
            fields.emplace_back(header.name);
            fields.emplace_back(header.text);
        }
        return jit::digestOf(fields);
    }();
    return digest;
}

} // namespace tessera::jit
