#include "app/commands/batch/batch_bands.h"

#include "app/core/thread_pool.h"
#include "app/session/bands.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <future>

namespace tessera {

namespace {

using Clock = std::chrono::steady_clock;

double millisecondsSince(Clock::time_point start) {
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

// Rows of the picture in memory, and which of them are this band's own.
struct Band {
    Image image;
    int first = 0;          // row of the picture that the image begins with
    int begin = 0, end = 0; // the band's own rows, of the picture
};

// What the codecs keep beside the bands: a row of strips or tiles, buffers of the compressors.
constexpr std::uint64_t codecMemory = std::uint64_t{72} << 20;

class BandRun {
public:
    BandRun(RowReader &reader, int handle, const BatchTask &task, std::uint64_t memory, const RunControl &control,
            FileOutcome &outcome)
        : reader_(reader), handle_(handle), task_(task), control_(control), outcome_(outcome), info_(reader.info()),
          reach_(bandReach(task.steps, info_.format).value()),
          outputFormat_{outputDepth(task.depth, info_.format.depth), info_.format.channels}, rows_(rowsFor(memory)) {}

    void run(bool opaque) {
        ImageInfo outputInfo = info_;
        outputInfo.format = outputFormat_;
        const auto writer = createRows(handle_, outcome_.outputFormat, task_.quality, outputInfo, reader_.metadata());
        const auto policy = task_.jobs > 1 ? std::launch::async : std::launch::deferred;
        Band band = readBand(nullptr);
        std::future<void> writing;
        while (band.begin < info_.height) {
            control_.checkpoint();
            std::future<Band> reading = std::async(policy, [this, &band] { return readBand(&band); });
            Image result = filterBand(band, opaque);
            if (writing.valid())
                writing.get();
            writing = std::async(policy, [this, &writer, part = std::move(result)] { write(*writer, part.view()); });
            Band next = reading.get();
            band = std::move(next);
            control_.report(double(band.begin) / double(info_.height));
        }
        if (writing.valid())
            writing.get();
        reader_.finish();
        writer->finish();
        outcome_.outputPixels = outputFormat_;
    }

private:
    // Two bands of the source (one is read ahead), two of the result (one is written), and the steps' own pictures.
    int rowsFor(std::uint64_t memory) const {
        const std::uint64_t samples = std::uint64_t(info_.width) * std::uint64_t(info_.format.channels);
        const std::uint64_t perRow = 2 * samples * std::uint64_t(bytesPerSample(info_.format.depth)) +
                                     2 * samples * std::uint64_t(bytesPerSample(outputFormat_.depth)) +
                                     4 * samples * floatCopies(task_.steps, task_.depth, info_.format);
        const std::uint64_t rows = memory > codecMemory ? (memory - codecMemory) / perRow : memory / 2 / perRow;
        const std::uint64_t around = 2 * std::uint64_t(reach_.rows);
        constexpr std::uint64_t fewest = 4;
        if (rows < around + fewest)
            throw Error(ErrorKind::Limit,
                        "even in bands, filtering it takes " + std::to_string((around + fewest) * perRow >> 20) +
                            " MiB of memory and more",
                        "raise --max-memory");
        return int(std::min<std::uint64_t>(rows - around, std::uint64_t(info_.height)));
    }

    // The band after `before`; its last rows are there already.
    Band readBand(const Band *before) {
        const ThreadPool::Seat seat(ThreadPool::shared());
        const Clock::time_point start = Clock::now();
        Band band;
        band.begin = before ? before->end : 0;
        band.end = std::min(info_.height, band.begin + rows_);
        if (band.begin >= info_.height)
            return band;
        band.first = std::max(0, band.begin - reach_.rows);
        const int last = std::min(info_.height, band.end + reach_.rows);
        band.image = Image(info_.width, last - band.first, info_.format);
        const PixelView view = band.image.view();
        const int there = before ? before->first + before->image.height() : 0; // first row not read yet
        const std::size_t rowBytes = std::size_t(view.width) * std::size_t(view.format.bytesPerPixel());
        for (int y = band.first; y < there; ++y)
            std::memcpy(view.row<std::byte>(y - band.first), before->image.view().row<std::byte>(y - before->first),
                        rowBytes);
        if (last > there)
            reader_.readRows(view.part({0, there - band.first, view.width, last - there}));
        outcome_.times.decode += millisecondsSince(start);
        return band;
    }

    Image filterBand(const Band &band, bool opaque) {
        const Clock::time_point start = Clock::now();
        const Rectangle wanted{0, band.begin - band.first, info_.width, band.end - band.begin};
        PipelineTimes times;
        Image result = runPipelineBand(band.image, wanted, task_.steps, task_.engines.front(), task_.depth, opaque,
                                       control_, &times);
        addTimes(times);
        outcome_.times.filter += millisecondsSince(start);
        if (task_.statistics && outputFormat_.depth != Depth::F32)
            addStatistics(result);
        return result;
    }

    void addTimes(const PipelineTimes &times) {
        const auto sum = [](std::optional<double> a, std::optional<double> b) {
            return a && b ? std::optional(*a + *b) : std::nullopt;
        };
        const PipelineTimes before = outcome_.pipeline;
        outcome_.pipeline = times;
        if (before.engine.empty())
            return;
        outcome_.pipeline.kernelMs = sum(before.kernelMs, times.kernelMs);
        outcome_.pipeline.copyMs = sum(before.copyMs, times.copyMs);
        outcome_.pipeline.totalMs += before.totalMs;
    }

    void addStatistics(const Image &result) {
        const Clock::time_point start = Clock::now();
        const ImageStatistics part = computeStatistics(result.view(), control_);
        if (outcome_.statistics)
            mergeLevelStatistics(*outcome_.statistics, part);
        else
            outcome_.statistics = part;
        outcome_.times.statistics += millisecondsSince(start);
    }

    void write(RowWriter &writer, const ConstPixelView &rows) {
        const ThreadPool::Seat seat(ThreadPool::shared());
        const Clock::time_point start = Clock::now();
        writer.writeRows(rows);
        outcome_.times.encode += millisecondsSince(start);
    }

    RowReader &reader_;
    const int handle_;
    const BatchTask &task_;
    const RunControl &control_;
    FileOutcome &outcome_;
    const ImageInfo info_;
    const BandReach reach_;
    const PixelFormat outputFormat_;
    const int rows_;
};

// A first look at the whole picture, where that decides how alpha takes part; it ends where the answer is known.
bool isOpaqueFile(const std::filesystem::path &path, const LoadLimits &limits, const RunControl &control) {
    const auto reader = openRows(path, limits);
    constexpr int rowsAtOnce = 64;
    Image rows(reader->info().width, std::min(rowsAtOnce, reader->info().height), reader->info().format);
    for (int y = 0; y < reader->info().height; y += rowsAtOnce) {
        control.checkpoint();
        const PixelView part = rows.view().part({0, 0, rows.width(), std::min(rowsAtOnce, reader->info().height - y)});
        reader->readRows(part);
        if (!isOpaqueBand(part))
            return false;
    }
    return true;
}

} // namespace

std::uint64_t bandMemory(std::uint64_t limit) { return std::min(limit, std::max(limit / 2, std::uint64_t{512} << 20)); }

std::string whyNotInBands(const BatchTask &task, const ImageInfo &picture, const std::string &format) {
    ImageInfo output = picture;
    output.format.depth = outputDepth(task.depth, picture.format.depth);
    if (!canWriteRows(format, output, {}))
        return format + " cannot be written by rows";
    if (!bandReach(task.steps, picture.format))
        return "a border that wraps around, or a response stretched to the picture's range, needs all of it";
    return {};
}

void filterInBands(RowReader &reader, int handle, const BatchTask &task, std::uint64_t memory,
                   const RunControl &control, FileOutcome &outcome) {
    const ImageInfo &info = reader.info();
    const auto reach = bandReach(task.steps, info.format);
    const bool asksForOpacity = reach->needsOpacity && info.format.hasAlpha();
    const bool opaque = asksForOpacity && isOpaqueFile(outcome.input, task.limits, control);
    outcome.width = info.width;
    outcome.height = info.height;
    outcome.inputPixels = info.format;
    outcome.inputFormat = info.fileFormat;
    BandRun(reader, handle, task, memory, control, outcome).run(opaque);
    outcome.pipeline.note +=
        (outcome.pipeline.note.empty() ? "" : "; ") + std::string("filtered in bands: larger than --max-memory");
}

} // namespace tessera
