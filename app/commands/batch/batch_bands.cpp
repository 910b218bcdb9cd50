#include "app/commands/batch/batch_bands.h"

#include "app/commands/batch/band_check.h"
#include "app/commands/batch/band_source.h"
#include "app/commands/batch/stage_clock.h"
#include "app/core/thread_pool.h"
#include "app/image/memory_limit.h"
#include "app/session/bands.h"
#include "app/session/sum_range.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <optional>

namespace tessera {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t mostForShortBands = std::uint64_t{512} << 20;

// What the codecs keep beside the bands: a row of strips or tiles, mostly of up to 256 rows, and the compressors'
// buffers.
std::uint64_t codecMemory(const ImageInfo &info) {
    constexpr std::uint64_t rowsOfTiles = 256, buffers = std::uint64_t{8} << 20;
    return rowsOfTiles * imageBytes(info.width, 1, info.format) + buffers;
}

// What is left for the bands. Where memory is little the codecs must do with half of it.
std::uint64_t memoryWithoutCodecs(std::uint64_t memory, std::uint64_t codecs) {
    return std::max(memory / 2, memory > codecs ? memory - codecs : 0);
}

// The other way: the least --max-memory that leaves as much for the bands.
std::uint64_t limitLeaving(std::uint64_t bytes, std::uint64_t codecs) {
    const std::uint64_t memory = std::min(2 * bytes, bytes + codecs);
    return memory <= mostForShortBands ? memory : 2 * memory; // the inverse of bandMemory()
}

// Two bands of the source (one is read ahead), two of the result (one is written), and the steps' own pictures; to
// verify, a result and a float picture more.
std::uint64_t bytesOfRow(const ImageInfo &info, const BatchTask &task, bool verify) {
    const auto rowAs = [&](Depth depth) { return imageBytes(info.width, 1, {depth, info.format.channels}); };
    const std::uint64_t output = rowAs(outputDepth(task.depth, info.format.depth));
    return 2 * rowAs(info.format.depth) + 2 * output +
           temporaryBytes(task.steps, task.depth, task.engineCopies(), info.format, info.width, 1) +
           (verify ? output + rowAs(Depth::F32) : 0);
}

struct BandSize {
    BandReach reach; // with the rows that make it exact, where they are affordable
    int rows = 0;    // a band's own
    bool exact = true;
};

[[noreturn]] void refuse(std::uint64_t needed) {
    const std::string size = memorySizeText(needed);
    throw Error(ErrorKind::Limit, "filtering it takes " + size + " of memory, even in bands",
                "raise --max-memory to " + size + ", or use a machine with more memory");
}

BandSize sizeOfBands(const BandReach &reach, const ImageInfo &info, const BatchTask &task, const BandLimits &limits) {
    const std::uint64_t perRow = bytesOfRow(info, task, limits.verify);
    const std::uint64_t rows = memoryWithoutCodecs(limits.memory, codecMemory(info)) / perRow;
    const std::uint64_t ends = reach.wraps ? 4 : 2; // above and below; of a picture that wraps both are kept, too
    BandSize size{reach, 0, reach.canBeExact};
    // Rows that are computed together make a block: fewer in a band than that, and most would be computed in vain.
    const auto block = std::uint64_t(reach.rowsAlong) + 1;
    const std::uint64_t aroundExact = ends * std::uint64_t(reach.rows + reach.rowsAlong);
    if (reach.rowsAlong > 0 && reach.canBeExact && rows >= aroundExact + block) {
        size.reach.rows += reach.rowsAlong;
        size.rows = int(std::min((rows - aroundExact) / block * block, std::uint64_t(info.height)));
        return size;
    }
    size.exact = reach.canBeExact && reach.rowsAlong == 0;
    const std::uint64_t around = ends * std::uint64_t(reach.rows);
    constexpr std::uint64_t fewest = 4;
    if (rows < around + fewest)
        refuse(std::min(limits.asAWhole, limitLeaving((around + fewest) * perRow, codecMemory(info))));
    size.rows = int(std::min<std::uint64_t>(rows - around, std::uint64_t(info.height)));
    return size;
}

class BandRun {
public:
    BandRun(BandSource &source, int rows, int handle, const BatchTask &task, bool verify, const RunControl &control,
            FileOutcome &outcome)
        : source_(source), handle_(handle), task_(task), control_(control), outcome_(outcome),
          info_(source.info()), outputFormat_{outputDepth(task.depth, info_.format.depth), info_.format.channels},
          rows_(rows) {
        if (verify)
            check_.emplace(task);
    }

    void run() {
        ImageInfo outputInfo = info_;
        outputInfo.format = outputFormat_;
        const auto writer = createRows(handle_, outcome_.outputFormat, task_.quality, outputInfo, source_.metadata());
        const auto policy = task_.jobs > 1 ? std::launch::async : std::launch::deferred;
        Band band = readBand(nullptr);
        std::future<void> writing;
        while (band.begin < info_.height) {
            control_.checkpoint();
            std::future<Band> reading = std::async(policy, [this, &band] { return readBand(&band); });
            Image result = filterBand(band);
            if (writing.valid())
                writing.get();
            writing = std::async(policy, [this, &writer, part = std::move(result)] { write(*writer, part.view()); });
            Band next = reading.get();
            band = std::move(next);
            control_.report(double(band.begin) / double(info_.height));
        }
        if (writing.valid())
            writing.get();
        source_.finish();
        writer->finish();
        outcome_.outputPixels = outputFormat_;
        if (check_)
            timed(outcome_.times.verify, [this] {
                outcome_.verification =
                    check_->finish(handle_, outcome_.outputFormat, outputFormat_, outcome_.pipeline.variant, control_);
            });
    }

private:
    // Adds to `milliseconds`.
    template <class Stage> static void timed(double &milliseconds, const Stage &stage) {
        const Clock::time_point start = Clock::now();
        stage();
        milliseconds += millisecondsSince(start);
    }

    Band readBand(const Band *before) {
        const ThreadPool::Seat seat(ThreadPool::shared());
        Band band;
        timed(outcome_.times.decode, [&] { band = source_.read(before, rows_); });
        return band;
    }

    Image filterBand(const Band &band) {
        const Rectangle wanted{0, band.begin - band.first, info_.width, band.end - band.begin};
        PipelineTimes times;
        Image result;
        timed(outcome_.times.filter, [&] {
            result = runPipelineBand(band.image, wanted, task_.steps, task_.engines.front(), task_.depth, placeOf(band),
                                     control_, &times);
        });
        addTimes(times);
        addNote(valuesBeyondFloats(band.image, result)); // by itself: what the steps say is the same of every band
        if (task_.statistics && outputFormat_.depth != Depth::F32)
            timed(outcome_.times.statistics, [&] { addStatistics(result); });
        if (check_)
            timed(outcome_.times.verify, [&] { check_->addBand(band.image, wanted, placeOf(band), result, control_); });
        return result;
    }
    BandPlace placeOf(const Band &band) const { return {band.first, info_.height, source_.opaque()}; }

    void addNote(const std::string &note) { addOnce(outcome_.pipeline.note, note); }

    void addTimes(const PipelineTimes &times) {
        const PipelineTimes before = outcome_.pipeline;
        outcome_.pipeline = times;
        if (before.engine.empty())
            return;
        outcome_.pipeline.kernelMs = sumOfTimes(before.kernelMs, times.kernelMs);
        outcome_.pipeline.copyMs = sumOfTimes(before.copyMs, times.copyMs);
        outcome_.pipeline.totalMs += before.totalMs;
        outcome_.pipeline.note = before.note; // what one band has to say counts for all
        addNote(times.note);
    }

    void addStatistics(const Image &result) {
        const ImageStatistics part = computeStatistics(result.view(), control_);
        if (outcome_.statistics)
            mergeLevelStatistics(*outcome_.statistics, part);
        else
            outcome_.statistics = part;
    }

    void write(RowWriter &writer, const ConstPixelView &rows) {
        const ThreadPool::Seat seat(ThreadPool::shared());
        timed(outcome_.times.encode, [&] {
            writer.writeRows(rows);
            if (check_)
                check_->addWritten(rows);
        });
    }

    BandSource &source_;
    const int handle_;
    const BatchTask &task_;
    const RunControl &control_;
    FileOutcome &outcome_;
    const ImageInfo info_;
    const PixelFormat outputFormat_;
    const int rows_;
    std::optional<BandCheck> check_;
};

} // namespace

std::uint64_t bandMemory(std::uint64_t limit) { return std::min(limit, std::max(limit / 2, mostForShortBands)); }

std::string whyNotInBands(const BatchTask &task, const ImageInfo &picture, const std::string &format) {
    ImageInfo output = picture;
    output.format.depth = outputDepth(task.depth, picture.format.depth);
    if (!canWriteRows(format, output))
        return format + " cannot be written by rows";
    if (!bandReach(task.steps, {picture.width, picture.height, picture.format}, task.engines.front()))
        return "a response stretched to the picture's range needs all of it";
    return {};
}

void filterInBands(std::unique_ptr<RowReader> reader, int handle, const BatchTask &task, const BandLimits &limits,
                   const RunControl &control, FileOutcome &outcome) {
    const ImageInfo info = reader->info();
    const BandPicture picture{info.width, info.height, info.format};
    const BandSize size = sizeOfBands(bandReach(task.steps, picture, task.engines.front()).value(), info, task, limits);
    outcome.width = info.width;
    outcome.height = info.height;
    outcome.inputPixels = info.format;
    outcome.inputFormat = info.fileFormat;
    const auto reopen = [&] { return openRows(outcome.input, task.limits, outcome.output, control); };
    const Clock::time_point start = Clock::now();
    BandSource source(std::move(reader), size.reach, reopen, control);
    outcome.times.decode += millisecondsSince(start);
    BandRun(source, size.rows, handle, task, limits.verify, control, outcome).run();
    outcome.pipeline.note +=
        (outcome.pipeline.note.empty() ? "" : "; ") + std::string("filtered in bands: larger than --max-memory");
    if (!size.exact)
        outcome.pipeline.note += ", and the same as a whole only to within rounding";
}

} // namespace tessera
