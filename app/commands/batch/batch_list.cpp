#include "app/commands/batch/batch_list.h"

#include "app/commands/batch/batch_record.h"
#include "app/commands/text.h"

#include <algorithm>

namespace tessera {

namespace {

InputList findInputs(const BatchOptions &options) {
    InputRequest request;
    request.paths = options.inputs;
    request.filesFrom = options.filesFrom;
    request.recursive = options.recursive;
    request.outputFolder = options.outputFolder;
    InputList list = collectInputs(request);
    // A line comes before its output: what another batch made until the search met it is known by now.
    leaveOutEarlierOutputs(list, recordedOutputs(options.outputFolder, BatchRecords::read(options.outputFolder)));
    list.inputs = withoutOwnOutputs(std::move(list.inputs), planRequest(options));
    return list;
}

void tellOf(const InputList &list, const Shard &shard, Console &console) {
    for (const InputList::Skipped &skipped : list.skipped)
        console.detail("skipped " + inQuotes(skipped.path.native()) + ": " + skipped.reason);
    if (list.foreignPictures > 0)
        console.info("left out " + counted(list.foreignPictures, "file") +
                     " of picture formats that Tessera does not read, by their names; -v names them");
    if (list.earlierOutputs > 0)
        console.info(
            "left out " + counted(list.earlierOutputs, "picture") +
            " in the output folder that earlier batches made; -v names them, and one that is named itself is taken");
    const auto changed = std::size_t(std::ranges::count(list.inputs, true, &BatchInput::changedOutput));
    if (changed > 0)
        console.info(counted(changed, "picture") +
                     " in the output folder that earlier batches made, and somebody changed since, " +
                     (changed == 1 ? "is" : "are") + " filtered like others");
    // Its own part fails with a folder that cannot be read; another knows as little of what is in it.
    for (std::size_t i = 0; i < list.inputs.size(); ++i)
        if (list.inputs[i].problem && !shard.takes(i))
            console.warning(list.inputs[i].problem->fullText());
}

void refuseNoInputs(const InputList &list, const BatchOptions &options) {
    if (list.inputs.empty() && options.inputs.empty())
        throw Error(ErrorKind::Input, "the list of --files-from " + inQuotes(*options.filesFrom) + " names no picture",
                    "write a name a line, or names that end in NUL bytes");
    if (list.inputs.empty())
        throw Error(ErrorKind::Input, "there is no picture among the inputs",
                    list.foreignPictures > 0  ? "save them as PNG or TIFF first; -v names what was left out"
                    : list.earlierOutputs > 0 ? "outputs of earlier batches count only where they are named themselves"
                    : options.recursive       ? "check the names; -v tells what was skipped"
                                              : "check the names; --recursive looks into folders inside folders");
}

} // namespace

InputList listInputs(const BatchOptions &options, Console &console) {
    InputList list = findInputs(options);
    tellOf(list, options.shard, console);
    refuseNoInputs(list, options);
    return list;
}

PlanRequest planRequest(const BatchOptions &options) {
    PlanRequest request;
    request.outputFolder = options.outputFolder;
    request.nameTemplate = options.nameTemplate;
    request.filterName = options.filters.chainName();
    request.format = options.format;
    request.shard = options.shard;
    for (const std::filesystem::path &kernel : options.filters.kernelFiles())
        request.alsoRead.push_back({"--kernel", kernel});
    if (options.filesFrom && *options.filesFrom != "-")
        request.alsoRead.push_back({"--files-from", *options.filesFrom});
    if (options.report)
        request.alsoWritten.push_back({"--report", *options.report});
    request.alsoWritten.push_back({"the record of what was written,", recordFile(options.outputFolder, options.shard)});
    return request;
}

} // namespace tessera
