#include "app/commands/batch/batch_progress.h"

#include "app/commands/text.h"

#include <cmath>

namespace tessera {

namespace {

// "0:26", "2:05:10".
std::string clockText(double seconds) {
    const auto whole = static_cast<long long>(std::ceil(seconds));
    const auto twoDigits = [](long long value) { return (value < 10 ? "0" : "") + std::to_string(value); };
    const std::string tail = twoDigits(whole % 60);
    return whole < 3600 ? std::to_string(whole / 60) + ":" + tail
                        : std::to_string(whole / 3600) + ":" + twoDigits(whole / 60 % 60) + ":" + tail;
}

} // namespace

std::string progressText(const ProgressState &state) {
    std::string text = std::to_string(state.finished) + "/" + counted(state.files, "file");
    if (state.finished > 0 && state.seconds > 0) {
        text += ", " + shortNumber(double(state.finished) / state.seconds, 3) + " files/s, " +
                shortNumber(state.megapixels / state.seconds, 3) + " megapixels/s";
        if (state.finishedBytes > 0 && state.finished < state.files) {
            const double rest = double(state.bytes - std::min(state.bytes, state.finishedBytes));
            text += ", " + clockText(state.seconds * rest / double(state.finishedBytes)) + " left";
        }
    }
    if (state.failed > 0)
        text += ", " + std::to_string(state.failed) + " failed";
    return text;
}

BatchProgress::BatchProgress(Console &console, std::size_t files, std::uint64_t bytes) : console_(console) {
    state_.files = files;
    state_.bytes = bytes;
    if (console_.showsProgress())
        drawer_ = std::thread([this] { draw(); });
}

BatchProgress::~BatchProgress() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
    }
    wake_.notify_all();
    if (drawer_.joinable())
        drawer_.join();
    console_.clearProgress();
}

void BatchProgress::fileFinished(std::uint64_t bytes, double megapixels, bool failed) {
    const std::lock_guard lock(mutex_);
    ++state_.finished;
    state_.finishedBytes += bytes;
    state_.megapixels += megapixels;
    state_.failed += failed ? 1 : 0;
}

void BatchProgress::draw() {
    const std::chrono::milliseconds interval(console_.progressIntervalMs());
    std::unique_lock lock(mutex_);
    while (!wake_.wait_for(lock, interval, [this] { return ending_; })) {
        state_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
        const std::string line = progressText(state_);
        lock.unlock();
        console_.progress(line);
        lock.lock();
    }
    // A batch that is over before the first interval still shows where it ended, if progress was asked for.
    if (console_.options.progress == ProgressMode::Always) {
        state_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
        const std::string line = progressText(state_);
        lock.unlock();
        console_.progress(line);
    }
}

} // namespace tessera
