#include "app/commands/batch/batch_file.h"

#include "app/commands/batch/content_hash.h"
#include "app/commands/batch/input_probe.h"
#include "app/commands/batch/stage_clock.h"
#include "app/commands/failure.h"
#include "app/commands/text.h"
#include "app/image/atomic_file.h"
#include "app/image/file_read.h"
#include "app/image/load_limits.h"
#include "app/image/memory_limit.h"
#include "app/session/sum_range.h"

#include <algorithm>

namespace tessera {

namespace {

const FormatInfo &formatNamed(const std::string &name) { return *formatForExtension(name); }

// 'pnm' is the name of the whole family.
bool holdsAsPnm(const std::string &format) {
    return format == "pbm" || format == "pgm" || format == "ppm" || format == "pam";
}

void refuseUnlessHeld(const PlannedFile &file, PixelFormat pixels) {
    const FormatInfo &format = formatNamed(file.format);
    const std::string reason = cannotHold(format, pixels);
    if (reason.empty())
        return;
    const bool aDepthHelps = std::ranges::any_of(format.depths, [&](Depth depth) {
        return cannotHold(format, {depth, pixels.channels}).empty();
    });
    throw namedAfter(file, reason, aDepthHelps ? "choose another --format or --depth" : "choose another --format",
                     ErrorKind::Output);
}

// Errors from below the batch may not know which file they are about.
Error withName(const PlannedFile &file, Error failure) {
    const bool ofOutput = failure.kind() == ErrorKind::Output;
    const std::string name = displayText((ofOutput ? file.output : file.input).native());
    if (ofOutput && std::string_view(failure.what()).find(displayText(file.input.native())) != std::string_view::npos)
        return failure;
    if (std::string_view(failure.what()).find(name) != std::string_view::npos)
        return failure;
    return {failure.kind(), name + ": " + failure.what(), failure.remedy()};
}

} // namespace

int BatchTask::engineCopies() const {
    int most = 0;
    for (const EngineChoice &choice : engines)
        most = std::max(most, choice.engine->workingCopies());
    return most;
}

FileWork::FileWork(const PlannedFile &file, const BatchTask &task, bool verify)
    : file_(file), task_(task), verify_(verify) {
    outcome_.index = file.index;
    outcome_.input = file.input;
    outcome_.output = file.output;
    outcome_.outputFormat = file.format;
    control_.stop = task.stop;
}

template <class Stage> bool FileWork::guarded(Stage &&stage) {
    try {
        stage();
        return true;
    } catch (...) {
        fail(currentFailure());
        return false;
    }
}

void FileWork::fail(Error failure) {
    const bool stopped = failure.kind() == ErrorKind::Cancelled;
    outcome_.status = stopped ? FileStatus::NotStarted : FileStatus::Failed;
    if (!stopped)
        outcome_.error = withName(file_, std::move(failure));
}

void FileWork::giveUp() { outcome_.status = FileStatus::NotStarted; }

void FileWork::addNote(const std::string &note) {
    if (!note.empty())
        note_ += (note_.empty() ? "" : "; ") + note;
}

FileOutcome FileWork::takeOutcome() {
    StageTimes &times = outcome_.times;
    times.total = millisecondsSince(start_);
    times.wait = std::max(0.0, times.total - times.read - times.decode - times.filter - times.statistics -
                                   times.encode - times.write - times.verify);
    if (!note_.empty())
        outcome_.pipeline.note = note_ + (outcome_.pipeline.note.empty() ? "" : "; ") + outcome_.pipeline.note;
    return std::move(outcome_);
}

bool FileWork::read() {
    const bool read = guarded([this] {
        if (file_.problem)
            throw *file_.problem;
        if (isMadeMeanwhile())
            return;
        stamp_ = stampOf(file_);
        outcome_.inputBytes = stamp_.bytes;
        const ImageInfo info = timed(outcome_.times.read, [this] { return probeFile(file_, task_.limits); });
        // Before anything is opened by rows: the libraries for that take memory for a row, whatever width a header
        // claims.
        checkPixelLimit(displayName(file_.input), info, task_.limits);
        refuseUnlessHeld(file_, {outputDepth(task_.depth, info.format.depth), info.format.channels});
        noteMislabelled(info);
        if (!info.narrowed.empty())
            addNote(narrowingNote(info.narrowed));
        need_ = memoryNeed(info, outcome_.inputBytes, task_.steps, task_.depth, task_.engineCopies(), verify_);
        inBands_ = need_.peak() > task_.memory->limit() && openBands(info);
        if (inBands_)
            return;
        if (need_.peak() > task_.memory->limit())
            throw namedAfter(
                file_,
                "filtering it takes " + memorySizeText(need_.peak()) + " of memory, over the limit of " +
                    memorySizeText(task_.memory->limit()) + ", and it cannot be done in bands: " + whyNoBands_,
                "raise --max-memory to " + memorySizeText(need_.peak()) + ", or use a machine with more memory",
                ErrorKind::Limit);
        share_ = task_.memory->acquire(need_.peak());
        load();
    });
    return read && outcome_.status != FileStatus::UpToDate;
}

// The result has the format that its name tells, which comes from the input's: where the content is another, one should
// know.
void FileWork::noteMislabelled(const ImageInfo &info) {
    const FormatInfo *content = formatForExtension(info.fileFormat);
    const FormatInfo *named = formatForExtension(file_.input.extension().native());
    if (!content || !named || content == named || (named->name == "pnm" && holdsAsPnm(content->name)))
        return;
    const bool follows = named->name == file_.format;
    addNote("by its content it is " + content->name + ", not " + named->name + " as its name says" +
            (!follows                          ? ""
             : named->lossy && !content->lossy ? "; --format " + content->name + " would lose nothing"
                                               : ", and is written as " + named->name));
}

// What the output does not keep of the input besides its pixels.
void FileWork::noteLosses(const ImageMetadata &metadata) {
    if (!metadata.iccProfile.empty() && !formatNamed(file_.format).metadata)
        addNote(file_.format + " holds no colour profile: those of the inputs are left out");
    constexpr int lossless = 100;
    if (file_.format == "webp" && task_.quality < lossless && isLosslessWebp(content_))
        addNote("lossless WebP becomes lossy; --quality 100 keeps it lossless");
}

void FileWork::load() {
    const Clock::time_point start = Clock::now();
    content_ = readWholeFile(file_.input, task_.limits.maximumBytes);
    checkUnchanged(content_.size());
    outcome_.inputHash = contentHash(content_);
    outcome_.times.read += millisecondsSince(start);
}

void FileWork::checkUnchanged(std::size_t bytesRead) const {
    if (bytesRead != stamp_.bytes || stampOf(file_) != stamp_)
        throw namedAfter(file_, "changed while it was being read", "run the batch again when it is complete",
                         ErrorKind::Input);
}

bool FileWork::decode() {
    if (inBands_)
        return guarded([this] { processInBands(); });
    return guarded([this] {
        control_.checkpoint();
        source_ =
            timed(outcome_.times.decode, [this] { return decodeImage(content_, file_.input.native(), task_.limits); });
        noteLosses(source_.metadata);
        content_ = {};
        share_.reduceTo(need_.fromFiltering());
        decoded_ = true;
        outcome_.width = source_.width();
        outcome_.height = source_.height();
        outcome_.inputPixels = source_.format();
        outcome_.inputFormat = source_.metadata.sourceFormat;
        refuseUnlessHeld(file_, {outputDepth(task_.depth, source_.format().depth), source_.format().channels});
    });
}

bool FileWork::filter(const EngineChoice &choice) {
    try {
        control_.checkpoint();
        const Clock::time_point start = Clock::now();
        LevelCounts counts;
        result_ = runPipeline(source_, task_.steps, choice, task_.depth, control_, &outcome_.pipeline,
                              task_.statistics ? &counts : nullptr);
        outcome_.times.filter += millisecondsSince(start);
        keepStatistics(counts);
        addNote(valuesBeyondFloats(source_, result_));
        outcome_.outputPixels = result_.format();
        if (verify_)
            timed(outcome_.times.verify, [this] { verifyResult(); });
        source_ = Image();
        share_.reduceTo(need_.encoding);
        return true;
    } catch (...) {
        Error failure = currentFailure();
        if (failure.kind() != ErrorKind::Cancelled && !choice.fallBack)
            throw failure;
        fail(std::move(failure));
        return false;
    }
}

// Where the engine has counted on the way, nobody needs to look at the result again.
void FileWork::keepStatistics(const LevelCounts &counts) {
    ImageStatistics counted = counts.statistics();
    outcome_.statistics = counted.channels.empty() ? std::nullopt : std::optional(std::move(counted));
}

void FileWork::verifyResult() {
    outcome_.verification =
        verifyOutput(source_, result_, task_.steps, task_.depth, outcome_.pipeline.variant, control_);
    refuseUnverified();
}

void FileWork::refuseUnverified() const {
    const bool overflows = outcome_.verification->mayOverflow;
    if (!outcome_.verification->withinBounds)
        throw namedAfter(file_,
                         "differs from the reference by " + shortNumber(outcome_.verification->maximumError) +
                             " (relative L2 " + shortNumber(outcome_.verification->relativeL2, 3) + ") in variant " +
                             outcome_.pipeline.variant +
                             (overflows ? ", as its sums leave the range of 32-bit floats (3.4e38)" : ""),
                         !overflows ? "nothing was written; use another --variant and report this"
                         : outcome_.pipeline.variant == "cpu"
                             ? "nothing was written; use smaller taps, or a picture of smaller values"
                             : "nothing was written; use --variant cpu, smaller taps, or a picture of smaller values",
                         ErrorKind::Internal);
    if (!outcome_.verification->fileMatches)
        throw namedAfter(file_, "the encoded picture does not decode to what was computed",
                         "nothing was written; choose another --format and report this", ErrorKind::Internal);
}

bool FileWork::encode() {
    return guarded([this] {
        control_.checkpoint();
        if (task_.statistics && !outcome_.statistics)
            timed(outcome_.times.statistics,
                  [this] { outcome_.statistics = computeStatistics(result_.view(), control_); });
        SaveOptions options;
        options.format = file_.format;
        options.quality = task_.quality;
        timed(outcome_.times.encode, [&] {
            content_ = encodeImage(result_, options);
            outcome_.outputHash = contentHash(content_);
        });
        if (outcome_.verification) {
            outcome_.verification->lossless = !formatNamed(file_.format).lossy;
            outcome_.verification->fileMatches = !outcome_.verification->lossless || decodesTo(content_, result_);
            refuseUnverified();
            addNote(coarseNote(*outcome_.verification, result_.format().depth, outcome_.pipeline.variant));
        }
        result_ = Image();
        share_.reduceTo(content_.capacity());
        outcome_.outputBytes = content_.size();
        control_.checkpoint();
    });
}

bool FileWork::write() {
    const bool written = guarded([this] {
        try {
            timed(outcome_.times.write, [this] { store(); });
            outcome_.status = FileStatus::Done;
        } catch (const TargetExists &exists) {
            takeFromAnother(exists);
        }
    });
    content_ = {};
    share_.reduceTo(0);
    return written;
}

FileOutcome processFile(const PlannedFile &file, const BatchTask &task, std::size_t worker, bool verify) {
    FileWork work(file, task, verify);
    const EngineChoice &engine = task.engines[worker % task.engines.size()];
    if (work.read() && work.decode() && !work.inBands() && work.filter(engine) && work.encode() && work.write())
        try {
            syncFolder(file.output.parent_path(), file.output);
        } catch (const Error &failure) {
            work.fail(failure);
        }
    return work.takeOutcome();
}

} // namespace tessera
