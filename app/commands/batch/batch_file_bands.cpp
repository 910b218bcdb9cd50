// A file of a batch whose picture is larger than the memory allows: it goes through it in bands, all stages in one.
#include "app/commands/batch/batch_bands.h"
#include "app/commands/batch/batch_file.h"
#include "app/commands/batch/content_hash.h"
#include "app/commands/batch/stage_clock.h"
#include "app/image/atomic_file.h"
#include "app/image/memory_limit.h"

#include <algorithm>
#include <sys/stat.h>

namespace tessera {

namespace {

std::uint64_t bytesIn(int handle) {
    struct stat status {};
    return ::fstat(handle, &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

} // namespace

// Too large for the memory as a whole, but of a kind that can be read and written by rows.
bool FileWork::openBands(const ImageInfo &info) {
    whyNoBands_ = whyNotInBands(task_, info, file_.format);
    if (!whyNoBands_.empty())
        return false;
    // Of rows that are no danger to open, the bands themselves tell what they need.
    constexpr std::uint64_t rowsAtOnce = 4, harmless = std::uint64_t{16} << 20;
    const std::uint64_t row = std::uint64_t(info.width) * std::uint64_t(info.format.bytesPerPixel());
    if (row > std::max(harmless, task_.memory->limit() / rowsAtOnce)) {
        whyNoBands_ = "a single row of it takes " + memorySizeText(row);
        return false;
    }
    bandMemory_ = bandMemory(task_.memory->limit());
    share_ = task_.memory->acquire(bandMemory_);
    rows_ = openRows(file_.input, task_.limits, file_.output, control_);
    if (rows_)
        return true;
    whyNoBands_ = "a file of its kind has to be decoded as a whole";
    share_.reduceTo(0);
    return false;
}

void FileWork::filterAndPublish() {
    control_.checkpoint();
    makeFolder();
    AtomicFile file(file_.output, task_.overwrite, LinkTarget::Replace);
    decoded_ = true;
    noteLosses(rows_->metadata());
    filterInBands(std::move(rows_), file.handle(), task_, {bandMemory_, need_.peak(), verify_}, control_, outcome_);
    if (verify_) {
        refuseUnverified();
        addNote(coarseNote(*outcome_.verification, outputDepth(task_.depth, outcome_.inputPixels.depth),
                           outcome_.pipeline.variant));
    }
    timed(outcome_.times.read, [this] { outcome_.inputHash = fileHash(file_.input); });
    checkUnchanged(stamp_.bytes);
    control_.checkpoint();
    timed(outcome_.times.write, [&] {
        outcome_.outputHash = handleHash(file.handle());
        outcome_.outputBytes = bytesIn(file.handle());
        publish(file);
    });
    outcome_.status = FileStatus::Done;
}

void FileWork::processInBands() {
    try {
        filterAndPublish();
    } catch (const TargetExists &exists) {
        takeFromAnother(exists);
    }
    rows_.reset();
    share_.reduceTo(0);
}

} // namespace tessera
