#include "app/commands/batch/report_target.h"

#include "app/commands/batch/batch_record.h"
#include "app/commands/batch/output_folder.h"
#include "app/commands/console.h"
#include "app/commands/report_line.h"
#include "app/commands/text.h"

#include <sys/stat.h>
#include <unistd.h>

namespace tessera {

namespace {

namespace fs = std::filesystem;

LineFile::Existing existingReport(const BatchOptions &options) {
    return options.skipExisting ? LineFile::Existing::Append
           : options.overwrite  ? LineFile::Existing::Replace
                                : LineFile::Existing::Refuse;
}

// Under whatever name: two streams of JSON in one are neither. What goes to /dev/null mixes with nothing.
bool isStandardOutput(const fs::path &path) {
    if (descriptorNamed(path) == STDOUT_FILENO)
        return true;
    struct stat output {};
    if (::fstat(STDOUT_FILENO, &output) != 0 || (S_ISCHR(output.st_mode) && ::isatty(STDOUT_FILENO) != 1))
        return false;
    return identityOf(path) == FileIdentity{output.st_dev, output.st_ino};
}

bool liesInOutputFolder(const BatchOptions &options) {
    return sameFolder(options.report->parent_path(), options.outputFolder);
}

} // namespace

void checkReport(const BatchOptions &options, const std::string &parameters, bool jsonToStandardOutput) {
    if (!options.report)
        return;
    const NamedFile report{"--report", *options.report};
    if (isRecord(report.path, options.outputFolder))
        throw Error(ErrorKind::Usage,
                    "--report " + inQuotes(report.path.native()) + " has the name of a record of the batch",
                    "choose another name; nothing was done");
    if (jsonToStandardOutput && isStandardOutput(report.path))
        throw Error(ErrorKind::Usage,
                    "--report " + inQuotes(report.path.native()) + " and --json would both go to standard output",
                    "name a file for the report, or leave one of the two out; nothing was done");
    const LineFile::Existing existing = existingReport(options);
    LineFile::check(report.path, existing, liesInOutputFolder(options) ? report.path.parent_path() : fs::path());
    if (existing != LineFile::Existing::Refuse)
        refuseOtherThanReport(report);
    if (existing == LineFile::Existing::Append)
        refuseReportOfOther(report, parameters);
}

std::unique_ptr<LineFile> openReport(const BatchOptions &options, Console &console) {
    if (!options.report)
        return nullptr;
    if (liesInOutputFolder(options))
        makeOutputFolder(options.outputFolder);
    std::error_code error;
    if (descriptorNamed(*options.report) < 0 && fs::is_fifo(*options.report, error))
        console.info(inQuotes(options.report->native()) + " is a pipe: the batch begins when somebody reads it");
    return std::make_unique<LineFile>(*options.report, existingReport(options));
}

} // namespace tessera
