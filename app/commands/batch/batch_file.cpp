#include "app/commands/batch/batch_file.h"

#include "app/commands/batch/content_hash.h"
#include "app/commands/failure.h"
#include "app/commands/text.h"
#include "app/filters/filter.h"
#include "app/image/file_read.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <mutex>
#include <sys/stat.h>
#include <unistd.h>

namespace tessera {

namespace {

using Clock = std::chrono::steady_clock;

double millisecondsSince(Clock::time_point start) {
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

// Runs one stage and stores how long it took, also where it fails.
template <class Stage> decltype(auto) timed(double &milliseconds, Stage &&stage) {
    struct Stopwatch {
        double &target;
        Clock::time_point start = Clock::now();
        ~Stopwatch() { target = millisecondsSince(start); }
    } stopwatch{milliseconds};
    return stage();
}

Error namedAfter(const PlannedFile &file, const std::string &what, std::string remedy, ErrorKind kind) {
    return {kind, displayText(file.input.native()) + ": " + what, std::move(remedy)};
}

struct stat statusOf(const PlannedFile &file) {
    struct stat status {};
    if (::stat(file.input.c_str(), &status) != 0)
        throw namedAfter(file, std::string("cannot be opened: ") + std::strerror(errno),
                         "check the name, the folder and their permissions", ErrorKind::Input);
    if (!S_ISREG(status.st_mode))
        throw namedAfter(file, S_ISDIR(status.st_mode) ? "is a folder, not a picture" : "is not a regular file",
                         "name a picture file", ErrorKind::Input);
    return status;
}

std::vector<std::byte> readHead(const PlannedFile &file, std::size_t length) {
    std::vector<std::byte> head(length);
    const int handle = ::open(file.input.c_str(), O_RDONLY | O_CLOEXEC);
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

// The picture's size is needed before the memory for it is asked for. The first part of a file nearly always tells it;
// where it does not (a TIFF directory at the end), one file at a time is read for the purpose.
ImageInfo probeFile(const PlannedFile &file, const LoadLimits &limits) {
    constexpr std::size_t headLength = std::size_t{1} << 18;
    const std::string name = file.input.native();
    const std::vector<std::byte> head = readHead(file, headLength);
    if (head.size() < headLength)
        return probeImage(head, name);
    try {
        return probeImage(head, name);
    } catch (const Error &) {
        static std::mutex oneAtATime;
        const std::lock_guard lock(oneAtATime);
        return probeImage(readWholeFile(file.input, limits.maximumBytes), name);
    }
}

const FormatInfo &formatNamed(const std::string &name) { return *formatForExtension(name); }

void refuseUnlessHeld(const PlannedFile &file, PixelFormat pixels) {
    const std::string reason = cannotHold(formatNamed(file.format), pixels);
    if (!reason.empty())
        throw namedAfter(file, reason, "choose another --format or --depth", ErrorKind::Output);
}

// How many float copies of a picture the steps may hold at once: one in the engine, one more before a conversion of
// depth or a stretch, and up to six where pictures are prepared, kernels combined or steps chained.
std::uint64_t floatCopies(const BatchTask &task, PixelFormat input) {
    const FilterStep &step = task.steps.front();
    if (task.steps.size() > 1 || step.linear || step.channels.kind == ChannelSelection::Kind::Luma ||
        input.hasAlpha() || buildFilter(step.filter).kernels.size() > 1)
        return 6;
    return step.response == ResponseMode::Range || outputDepth(task.depth, input.depth) != input.depth ? 2 : 1;
}

class FileProcess {
public:
    FileProcess(const PlannedFile &file, const BatchTask &task, const EngineChoice &engine, bool verify)
        : file_(file), task_(task), engine_(engine), verify_(verify) {
        outcome_.index = file.index;
        outcome_.input = file.input;
        outcome_.output = file.output;
        outcome_.outputFormat = file.format;
        control_.stop = task.stop;
    }

    FileOutcome run() {
        const Clock::time_point start = Clock::now();
        try {
            if (file_.problem)
                throw *file_.problem;
            process();
            outcome_.status = FileStatus::Done;
        } catch (...) {
            Error failure = currentFailure();
            const bool stopped = failure.kind() == ErrorKind::Cancelled;
            outcome_.status = stopped ? FileStatus::NotStarted : FileStatus::Failed;
            if (!stopped)
                outcome_.error = withName(std::move(failure));
        }
        outcome_.times.total = millisecondsSince(start);
        return std::move(outcome_);
    }

private:
    // Errors from below the batch may not know which file they are about.
    Error withName(Error failure) const {
        const std::string name = displayText(file_.input.native());
        if (std::string_view(failure.what()).find(name) != std::string_view::npos)
            return failure;
        return {failure.kind(), name + ": " + failure.what(), failure.remedy()};
    }

    void process() {
        const struct stat status = statusOf(file_);
        outcome_.inputBytes = static_cast<std::uint64_t>(status.st_size);
        const ImageInfo info = timed(outcome_.times.read, [&] { return probeFile(file_, task_.limits); });
        refuseUnlessHeld(file_, {outputDepth(task_.depth, info.format.depth), info.format.channels});
        const MemoryGate::Share share =
            task_.memory->acquire(estimateMemory(info, outcome_.inputBytes, task_, verify_));
        Image source = load(status);
        control_.checkpoint();
        Image result = timed(outcome_.times.filter, [&] {
            return runPipeline(source, task_.steps, engine_, task_.depth, control_, &outcome_.pipeline);
        });
        outcome_.outputPixels = result.format();
        if (verify_)
            timed(outcome_.times.verify, [&] { verify(source, result); });
        source = Image();
        if (task_.statistics)
            timed(outcome_.times.statistics, [&] { outcome_.statistics = computeStatistics(result.view(), control_); });
        store(result);
    }

    Image load(const struct stat &before) {
        std::vector<std::byte> content =
            timed(outcome_.times.read, [&] { return readWholeFile(file_.input, task_.limits.maximumBytes); });
        struct stat after {};
        if (::stat(file_.input.c_str(), &after) != 0 || after.st_size != before.st_size ||
            after.st_mtim.tv_sec != before.st_mtim.tv_sec || after.st_mtim.tv_nsec != before.st_mtim.tv_nsec ||
            content.size() != static_cast<std::size_t>(before.st_size))
            throw namedAfter(file_, "changed while it was being read", "run the batch again when it is complete",
                             ErrorKind::Input);
        outcome_.inputHash = contentHash(content);
        Image image =
            timed(outcome_.times.decode, [&] { return decodeImage(content, file_.input.native(), task_.limits); });
        outcome_.width = image.width();
        outcome_.height = image.height();
        outcome_.inputPixels = image.format();
        outcome_.inputFormat = image.metadata.sourceFormat;
        refuseUnlessHeld(file_, {outputDepth(task_.depth, image.format().depth), image.format().channels});
        return image;
    }

    void verify(const Image &source, const Image &result) {
        outcome_.verification =
            verifyOutput(source, result, task_.steps, task_.depth, outcome_.pipeline.variant, control_);
        if (!outcome_.verification->withinBounds)
            throw namedAfter(file_,
                             "differs from the reference by " + shortNumber(outcome_.verification->maximumError) +
                                 " (relative L2 " + shortNumber(outcome_.verification->relativeL2, 3) +
                                 ") in variant " + outcome_.pipeline.variant,
                             "nothing was written; use another --variant and report this", ErrorKind::Internal);
    }

    void store(const Image &result) {
        SaveOptions options;
        options.format = file_.format;
        options.quality = task_.quality;
        options.overwrite = task_.overwrite;
        const std::vector<std::byte> encoded =
            timed(outcome_.times.encode, [&] { return encodeImage(result, options); });
        if (outcome_.verification) {
            outcome_.verification->lossless = !formatNamed(file_.format).lossy;
            if (outcome_.verification->lossless && !decodesTo(encoded, result))
                throw namedAfter(file_, "the encoded picture does not decode to what was computed",
                                 "nothing was written; choose another --format and report this", ErrorKind::Internal);
        }
        control_.checkpoint();
        outcome_.outputHash = contentHash(encoded);
        outcome_.outputBytes = encoded.size();
        timed(outcome_.times.write, [&] {
            makeFolder();
            task_.record->append(recordLine(
                {file_.outputName, outcome_.inputHash, outcome_.outputHash, task_.parameters, TESSERA_VERSION}));
            writeFileAtomically(file_.output, encoded, task_.overwrite);
        });
    }

    void makeFolder() const {
        std::error_code error;
        std::filesystem::create_directories(file_.output.parent_path(), error);
        if (error)
            throw namedAfter(file_,
                             "the folder " + inQuotes(file_.output.parent_path().native()) +
                                 " cannot be made: " + error.message(),
                             "check its permissions", ErrorKind::Output);
    }

    const PlannedFile &file_;
    const BatchTask &task_;
    const EngineChoice &engine_;
    const bool verify_;
    RunControl control_;
    FileOutcome outcome_;
};

} // namespace

Depth outputDepth(OutputDepth asked, Depth input) {
    switch (asked) {
    case OutputDepth::U8:
        return Depth::U8;
    case OutputDepth::U16:
        return Depth::U16;
    case OutputDepth::F32:
        return Depth::F32;
    case OutputDepth::Keep:
        break;
    }
    return input;
}

std::uint64_t estimateMemory(const ImageInfo &picture, std::uint64_t fileBytes, const BatchTask &task, bool verify) {
    const std::uint64_t samples =
        std::uint64_t(picture.width) * std::uint64_t(picture.height) * std::uint64_t(picture.format.channels);
    const std::uint64_t source = samples * std::uint64_t(bytesPerSample(picture.format.depth));
    const std::uint64_t result = samples * std::uint64_t(bytesPerSample(outputDepth(task.depth, picture.format.depth)));
    const std::uint64_t floatCopy = samples * 4;
    const std::uint64_t temporaries = floatCopy * floatCopies(task, picture.format);
    const std::uint64_t decoding = fileBytes + 2 * source; // turning by EXIF's orientation makes a second copy
    const std::uint64_t filtering = source + result + temporaries + (verify ? result + floatCopy : 0);
    const std::uint64_t encoding = 3 * result; // the picture, the encoder's buffer, and its growth
    constexpr std::uint64_t overhead = std::uint64_t{1} << 20;
    return std::max({decoding, filtering, encoding}) + fileBytes + overhead;
}

FileOutcome processFile(const PlannedFile &file, const BatchTask &task, std::size_t worker, bool verify) {
    return FileProcess(file, task, task.engines[worker % task.engines.size()], verify).run();
}

} // namespace tessera
