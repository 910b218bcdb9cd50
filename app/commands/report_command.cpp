// tessera report merge: the reports of the parts of a batch as one.
#include "app/commands/command.h"
#include "app/commands/file_roles.h"
#include "app/commands/report_line.h"
#include "app/commands/report_merge.h"
#include "app/commands/text.h"
#include "app/image/image_io.h"

#include <limits>
#include <optional>
#include <span>

namespace tessera {

namespace {

namespace fs = std::filesystem;

class ReportCommand : public Command {
public:
    std::string_view name() const override { return "report"; }
    std::string_view summary() const override { return "join the reports of a batch in parts"; }
    CommandSyntax syntax() override;
    ExitCode run(Console &console) override;

private:
    void checkOutput() const;
    void write(const std::string &lines) const;

    std::vector<std::string> words_; // "merge", then the reports
    std::optional<fs::path> output_;
    bool overwrite_ = false;
};

CommandSyntax ReportCommand::syntax() {
    CommandSyntax syntax;
    syntax.description =
        "'tessera report merge FILE...' joins the reports that the parts of a batch wrote (--shard, --report) into one "
        "with a line a file, in the order of the list. Of a file that was tried several times, by a part that was "
        "killed and started again, the outcome that counts is kept.";
    syntax.positionals = {"merge FILE...", "What to do, and the reports (JSON Lines).", 2,
                          std::numeric_limits<std::size_t>::max(),
                          [this](const std::string &word) { words_.push_back(word); }};
    syntax.groups = {
        {"Output",
         {{"-o,--output", "FILE", "Write the merged report there. Default: standard output, as is -.",
           [this](const std::string &text) { output_ = text == "-" ? std::nullopt : std::optional<fs::path>(text); }},
          {"--overwrite", "", "Replace FILE where it exists.", [this](const std::string &) { overwrite_ = true; }}}}};
    syntax.examples = {{"tessera report merge parts/*.jsonl -o all.jsonl", "the parts of a Slurm array"},
                       {"tessera report merge --json parts/*.jsonl -o all.jsonl", "the totals as JSON, for a script"},
                       {"tessera report merge parts/*.jsonl | jq -r 'select(.status == \"failed\") | .error.what'",
                        "what failed, and why"}};
    syntax.notes =
        "Exit codes: 0 every file of the list is done; 1 some failed, were not started, or are told of by no report; 2 "
        "the reports are of different batches; 3 there is no report to read.";
    return syntax;
}

// Known before anything is read, as of every command's outputs.
void ReportCommand::checkOutput() const {
    std::error_code error;
    std::vector<NamedFile> reports;
    for (std::size_t i = 1; i < words_.size(); ++i) {
        if (fs::is_directory(words_[i], error))
            throw Error(ErrorKind::Usage, inQuotes(words_[i]) + " is a folder", "name the reports in it");
        reports.push_back({"a report to merge,", words_[i]});
    }
    if (output_)
        refuseSharedFiles(reports, {{"-o", *output_}});
    if (!output_)
        return;
    checkOutputFile(*output_, overwrite_);
    refuseOtherThanReport({"-o", *output_});
}

void ReportCommand::write(const std::string &lines) const {
    if (output_)
        writeFileAtomically(*output_, std::as_bytes(std::span(lines)), overwrite_);
    else
        print(lines);
}

std::string totalsText(const MergedReport::Totals &totals) {
    std::string text = counted(totals.files + totals.missing, "file") + ": " + std::to_string(totals.done) + " done";
    const auto add = [&](std::size_t count, const char *what) {
        if (count > 0)
            text += ", " + std::to_string(count) + " " + what;
    };
    add(totals.skipped, "skipped as up to date");
    add(totals.failed, "failed");
    add(totals.notStarted, "not started");
    add(totals.missing, "in no report");
    return text;
}

Json totalsJson(const MergedReport::Totals &totals) {
    Json object;
    object["files"] = totals.files;
    object["done"] = totals.done;
    object["skipped"] = totals.skipped;
    object["failed"] = totals.failed;
    object["not_started"] = totals.notStarted;
    object["missing"] = totals.missing;
    object["complete"] = totals.failed + totals.notStarted + totals.missing > 0 ? Json(false)
                         : totals.lengthKnown                                   ? Json(true)
                                                                                : Json(nullptr);
    object["broken_lines"] = totals.brokenLines;
    return object;
}

ExitCode ReportCommand::run(Console &console) {
    if (words_.front() != "merge")
        throw Error(ErrorKind::Usage, "'report' does not know " + inQuotes(words_.front()),
                    "tessera report merge FILE...");
    if (console.options.json && !output_)
        throw Error(ErrorKind::Usage, "--json prints the totals to where the merged report would go",
                    "name a file for the report with -o");
    checkOutput();
    MergedReport merged;
    for (std::size_t i = 1; i < words_.size(); ++i)
        merged.add(words_[i]);
    const MergedReport::Totals totals = merged.totals();
    if (totals.files == 0)
        throw Error(ErrorKind::Input, "the reports tell of no file", "name files that 'tessera batch --report' wrote");
    write(merged.lines());
    if (console.options.json)
        printJson(totalsJson(totals));
    console.info(totalsText(totals));
    if (totals.brokenLines > 0)
        console.warning(counted(totals.brokenLines, "line") +
                        " could not be read, as a kill leaves them, and was left out");
    if (totals.missing > 0) {
        std::string numbers;
        for (const std::size_t index : merged.missingIndices(10))
            numbers += (numbers.empty() ? "" : ", ") + std::to_string(index);
        console.warning("no report tells of file " + numbers + (totals.missing > 10 ? ", ..." : "") + " of the list");
    }
    if (!totals.lengthKnown)
        console.warning("whether files at the end of the list are missing is not known: reports of an older version do "
                        "not state its length");
    if (!totals.namesCompared)
        console.warning("whether all reports had lists of the same names could not be checked: reports of an older "
                        "version do not state it");
    return totals.failed + totals.notStarted + totals.missing > 0 ? ExitCode::SomeFailed : ExitCode::Done;
}

} // namespace

std::unique_ptr<Command> makeReportCommand() { return std::make_unique<ReportCommand>(); }

} // namespace tessera
