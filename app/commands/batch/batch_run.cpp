#include "app/commands/batch/batch_run.h"

#include "app/commands/batch/batch_notes.h"
#include "app/commands/batch/batch_progress.h"
#include "app/commands/text.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>

namespace tessera {

namespace {

// Spreads the verified files over the list; a file that fails passes its turn on to the next.
class VerificationSample {
public:
    VerificationSample(std::size_t wanted, std::size_t files) : wanted_(std::min(wanted, files)), files_(files) {}

    bool takes(std::size_t position) {
        if (wanted_ == 0)
            return false;
        const bool turn = position * wanted_ / files_ != (position + 1) * wanted_ / files_;
        if (!turn && owed_ == 0)
            return false;
        if (!turn)
            --owed_;
        return true;
    }
    void passOn() { ++owed_; }

private:
    const std::size_t wanted_, files_;
    std::size_t owed_ = 0;
};

std::uint64_t totalBytes(const std::vector<PlannedFile> &files) {
    std::uint64_t total = 0;
    for (const PlannedFile &file : files) {
        std::error_code error;
        const auto size = std::filesystem::file_size(file.input, error);
        total += error ? 0 : size;
    }
    return total;
}

class BatchRunner {
public:
    BatchRunner(const std::vector<PlannedFile> &files, const BatchTask &task, const BatchRunSettings &settings,
                const Interruption &interruption, Console &console,
                const std::function<void(const FileOutcome &)> &accept, BatchSummary &summary)
        : files_(files), task_(task), settings_(settings), interruption_(interruption), console_(console),
          accept_(accept), skippedBefore_(summary.upToDate), summary_(summary), sample_(settings.verify, files.size()),
          progress_(console, files.size(), console.showsProgress() ? totalBytes(files) : 0) {}

    void run() {
        StageHooks hooks;
        hooks.next = [this] { return next(); };
        hooks.finished = [this](FileWork &work) { finish(work); };
        hooks.stopping = [this] { return stopping(); };
        hooks.warning = [this](const std::string &text) { console_.warning(text); };
        summary_.loads = runStages(task_, settings_.jobs, hooks);
        summary_.files = files_.size() + skippedBefore_;
        summary_.notStarted = files_.size() - begun_ + summary_.notStarted;
        summary_.seconds = summary_.loads.seconds;
        // A signal that came when everything was done anyway has interrupted nothing.
        summary_.tally.interrupted = interruption_.requested() && summary_.notStarted > 0;
        if (failure_)
            std::rethrow_exception(failure_);
    }

private:
    bool stopping() const { return interruption_.requested() || ended_; }

    std::unique_ptr<FileWork> next() {
        const std::lock_guard lock(mutex_);
        if (stopping() || begun_ == files_.size())
            return nullptr;
        const std::size_t position = begun_++;
        return std::make_unique<FileWork>(files_[position], task_, sample_.takes(position));
    }

    bool failedEnough() const {
        return settings_.maximumFailures && summary_.tally.failed >= *settings_.maximumFailures;
    }

    void finish(FileWork &work) {
        const bool ahead = !work.isDecoded();
        const bool verify = work.verifies();
        FileOutcome outcome = work.takeOutcome();
        const std::lock_guard lock(mutex_);
        // Files are read ahead: what happens to those once the batch has ended is as if they had not been looked at.
        if (ended_ && ahead && outcome.status == FileStatus::Failed)
            outcome.status = FileStatus::NotStarted;
        summary_.add(outcome);
        if (outcome.status == FileStatus::NotStarted)
            return;
        const bool failed = outcome.status == FileStatus::Failed;
        if (outcome.status != FileStatus::Done && verify)
            sample_.passOn();
        ended_ = ended_ || failedEnough();
        progress_.fileFinished(outcome.inputBytes, outcome.megapixels(), failed);
        if (failed)
            console_.error(*outcome.error);
        else if (outcome.status == FileStatus::UpToDate)
            console_.detail("skipped " + inQuotes(outcome.input.native()) + ": another batch has made " +
                            inQuotes(outcome.output.native()) + " meanwhile");
        else
            console_.detail(inQuotes(outcome.input.native()) + " -> " + inQuotes(outcome.output.native()) + " (" +
                            shortNumber(outcome.times.total, 3) + " ms, " + outcome.pipeline.variant +
                            (outcome.pipeline.plan.empty() ? "" : ": " + outcome.pipeline.plan) + ")");
        tellNote(outcome);
        try {
            accept_(outcome);
        } catch (...) {
            if (!failure_)
                failure_ = std::current_exception();
            ended_ = true;
        }
    }

    // Said once, with the first file that it is true of: a folder of a thousand such files is told of in a line.
    void tellNote(const FileOutcome &outcome) {
        const std::string &note = outcome.pipeline.note;
        if (note.empty())
            return;
        const std::string text = displayText(outcome.input.native()) + ": " + note;
        if (notes_.add(note, outcome.input))
            console_.info(text);
        else
            console_.detail(text);
    }

    const std::vector<PlannedFile> &files_;
    const BatchTask &task_;
    const BatchRunSettings &settings_;
    const Interruption &interruption_;
    Console &console_;
    const std::function<void(const FileOutcome &)> &accept_;
    const std::size_t skippedBefore_;

    std::mutex mutex_; // of everything below
    BatchSummary &summary_;
    VerificationSample sample_;
    BatchProgress progress_;
    std::size_t begun_ = 0;
    std::atomic<bool> ended_{false};
    BatchNotes notes_;
    std::exception_ptr failure_;
};

} // namespace

void runBatch(const std::vector<PlannedFile> &files, const BatchTask &task, const BatchRunSettings &settings,
              const Interruption &interruption, Console &console,
              const std::function<void(const FileOutcome &)> &accept, BatchSummary &summary) {
    BatchRunner(files, task, settings, interruption, console, accept, summary).run();
}

} // namespace tessera
