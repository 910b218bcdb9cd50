// A file of a batch: its output gets its name, or is another batch's already.
#include "app/commands/batch/batch_file.h"
#include "app/commands/batch/content_hash.h"
#include "app/commands/text.h"
#include "app/image/atomic_file.h"

namespace tessera {

// Whether another batch has made the output since this one was planned, as this one would.
bool FileWork::isMadeMeanwhile() {
    std::error_code error;
    if (!task_.skipExisting || file_.outputExists || !std::filesystem::is_regular_file(file_.output, error))
        return false;
    const std::string there = fileHash(file_.output);
    const auto record = findRecord(task_.outputFolder, file_.outputName, there);
    if (!record || !whyNotUpToDate(*record, task_.parameters, file_.format, file_.input, file_.output).empty())
        return false;
    outcome_.status = FileStatus::UpToDate;
    outcome_.inputHash = record->inputHash;
    outcome_.outputHash = there;
    return true;
}

// The name was free when the batch was planned and is taken now. This batch's own line may stand behind the other's by
// now: the other's is repeated, which the file is right for. What the other made of the same input in the same way is
// as good where such are taken; else the message says what it is.
void FileWork::takeFromAnother(const Error &exists) {
    const std::string there = fileHash(file_.output);
    const auto record = findRecord(task_.outputFolder, file_.outputName, there);
    if (record && there != outcome_.outputHash)
        task_.record->append(recordLine(*record));
    if (!task_.skipExisting)
        throw Error(exists.kind(), std::string(exists.what()) + ": it was made while the batch ran",
                    "--skip-existing takes what another batch makes, --overwrite replaces it");
    const std::string why = record ? whyNotUpToDate(*record, task_.parameters, file_.format, file_.input, file_.output)
                                   : "no batch has recorded it";
    if (!why.empty())
        throw Error(exists.kind(),
                    std::string(exists.what()) +
                        ": it was made while the batch ran, and not as it would be here: " + why,
                    "--overwrite beside --skip-existing replaces it");
    outcome_.status = FileStatus::UpToDate;
    outcome_.outputHash = there;
}

void FileWork::store() {
    makeFolder();
    AtomicFile file(file_.output, task_.overwrite, LinkTarget::Replace);
    file.append(content_);
    publish(file);
}

void FileWork::publish(AtomicFile &file) {
    file.sync();
    // The line comes first: whatever kills the program now, an output that is there has one.
    task_.record->append(
        recordLine({file_.outputName, outcome_.inputHash, outcome_.outputHash, task_.parameters, TESSERA_VERSION}));
    file.publish();
}

void FileWork::makeFolder() const {
    std::error_code error;
    std::filesystem::create_directories(file_.output.parent_path(), error);
    if (error)
        throw namedAfter(file_,
                         "the folder " + inQuotes(file_.output.parent_path().native()) +
                             " cannot be made: " + error.message(),
                         "check its permissions", ErrorKind::Output);
}

} // namespace tessera
