#include "app/commands/batch/batch_plan.h"

#include "app/commands/batch/batch_record.h"
#include "app/commands/batch/input_probe.h"
#include "app/commands/file_roles.h"
#include "app/commands/text.h"
#include "app/image/file_read.h"
#include "app/image/image_io.h"

#include <algorithm>
#include <map>
#include <set>
#include <unistd.h>
#include <unordered_map>

namespace tessera {

namespace {

namespace fs = std::filesystem;

// The path with its folder's links resolved, so that two ways to write one place agree. Folders are few and files many:
// each folder is resolved once.
class PlaceFinder {
public:
    fs::path place(const fs::path &path) {
        std::error_code gone;
        const fs::path absolute = fs::absolute(path, gone).lexically_normal();
        if (gone)
            throw Error(ErrorKind::Usage, "the current folder is gone: " + gone.message(),
                        "change to another one, or name files from the root on");
        const auto [folder, isNew] = folders_.try_emplace(absolute.parent_path().native());
        if (isNew) {
            std::error_code error;
            folder->second = fs::weakly_canonical(absolute.parent_path(), error);
            if (error)
                folder->second = absolute.parent_path();
        }
        return folder->second / absolute.filename();
    }

private:
    std::unordered_map<std::string, fs::path> folders_;
};

std::string extensionOf(const fs::path &path) {
    const std::string extension = path.extension().native();
    return extension.empty() ? extension : extension.substr(1);
}

NameParts partsOf(const BatchInput &input, std::size_t index, const PlanRequest &request) {
    NameParts parts;
    parts.stem = input.path.stem().native();
    parts.filter = request.filterName;
    parts.extension = extensionOf(input.path);
    parts.folder = input.folder.native();
    parts.index = index;
    std::error_code error;
    parts.parent = fs::absolute(input.path, error).lexically_normal().parent_path().filename().native();
    if (!request.format.empty())
        for (const FormatInfo &format : imageFormats())
            if (format.name == request.format && !format.extensions.empty())
                // An input that has an extension of this format keeps it: 'jpeg' stays 'jpeg', 'TIF' stays 'TIF'.
                parts.extension =
                    formatForExtension(parts.extension) == &format ? parts.extension : format.extensions[0];
    return parts;
}

// Why the input is no file to read; empty where it is one. Asked first, so that a mistyped folder is called missing and
// not a picture without a format.
std::string whyNoFile(const fs::path &input) {
    std::error_code error;
    const fs::file_status status = fs::status(input, error);
    if (!fs::exists(status))
        return error && error != std::errc::no_such_file_or_directory ? error.message() : "No such file or directory";
    return fs::is_regular_file(status) ? "" : "it is no regular file";
}

// Of an output that has no format; where the input is no picture either, that is what has to be mended.
Error namelessOutput(const PlannedFile &file) {
    const std::string what = inQuotes(file.input.native()) + ": the output's name " +
                             inQuotes(file.outputName.native()) + " tells no format";
    try {
        probeFile(file, {});
    } catch (const Error &problem) {
        return {problem.kind(), what + ", and the input cannot be read: " + problem.what(), problem.remedy()};
    }
    return {ErrorKind::Output, what, "choose one with --format, such as png"};
}

void decideFormat(PlannedFile &file, const PlanRequest &request) {
    const FormatInfo *byName = formatForExtension(extensionOf(file.output));
    if (!request.format.empty()) {
        file.format = request.format;
        if (byName && byName->name != request.format)
            throw Error(ErrorKind::Usage,
                        "--name gives " + inQuotes(file.outputName.native()) + ", but --format is " + request.format,
                        "end --name in .{ext}, or leave --format out");
        return;
    }
    if (byName && byName->canWrite)
        file.format = byName->name;
    else if (byName)
        file.problem.emplace(ErrorKind::Output,
                             inQuotes(file.input.native()) + ": this build reads " + byName->name +
                                 " but cannot write it",
                             "choose a format with --format, such as png");
    else if (const std::string missing = whyNoFile(file.input); !missing.empty())
        file.problem.emplace(ErrorKind::Input, inQuotes(file.input.native()) + ": " + missing,
                             "check the name, the folder and their permissions");
    else
        file.problem.emplace(namelessOutput(file));
}

// Of a file system that does not say, what nearly all have.
std::size_t longestName(const fs::path &outputFolder) {
    constexpr long usual = 255;
    std::error_code error;
    fs::path folder = fs::absolute(outputFolder, error);
    while (!fs::exists(folder, error) && folder.has_relative_path())
        folder = folder.parent_path();
    const long longest = ::pathconf(folder.c_str(), _PC_NAME_MAX);
    return std::size_t(longest > 0 ? longest : usual);
}

// Known before any work; a file that is filtered for nothing would take as long as one that is not.
void checkLength(PlannedFile &file, std::size_t longest) {
    if (!file.problem &&
        std::ranges::any_of(file.outputName, [&](const fs::path &part) { return part.native().size() > longest; }))
        file.problem.emplace(ErrorKind::Output,
                             inQuotes(file.input.native()) + ": the output's name " +
                                 inQuotes(file.outputName.native()) + " is longer than the " +
                                 counted(longest, "byte") + " that a name can have in the output folder",
                             "give outputs shorter names with --name, such as '{index}.{ext}'");
}

void refuseCollisions(const std::map<fs::path, std::vector<fs::path>> &inputsOfOutput) {
    std::vector<std::string> collisions;
    for (const auto &[output, inputs] : inputsOfOutput)
        if (inputs.size() > 1)
            collisions.push_back(namesInBrief(inputs) + " would all become " + inQuotes(output.native()));
    if (collisions.empty())
        return;
    std::string text = collisions.front();
    if (collisions.size() > 1)
        text += ", and " + counted(collisions.size() - 1, "more output") + " likewise";
    throw Error(ErrorKind::Usage, text,
                "tell them apart by --name with {parent}, {folder} or {index}, as in '{parent}-{stem}-{filter}.{ext}'; "
                "nothing was done");
}

// The inputs and, as far as they are known, the outputs: by place and, for what exists, by identity, since links lead
// to one file under two names.
class Pictures {
public:
    enum class Role { None, Input, Output };

    void add(const fs::path &place, const std::optional<FileIdentity> &identity, Role role) {
        places_.try_emplace(place, role);
        if (identity)
            identities_.try_emplace(*identity, role);
    }
    Role find(const fs::path &place, const std::optional<FileIdentity> &identity) const {
        if (identity)
            if (const auto found = identities_.find(*identity); found != identities_.end())
                return found->second;
        const auto found = places_.find(place);
        return found != places_.end() ? found->second : Role::None;
    }

private:
    std::map<fs::path, Role> places_;
    std::map<FileIdentity, Role> identities_;
};

Pictures refuseOutputsThatAreInputs(const std::vector<PlannedFile> &files, const std::vector<BatchInput> &inputs,
                                    PlaceFinder &places) {
    using Role = Pictures::Role;
    Pictures pictures;
    for (const BatchInput &input : inputs)
        pictures.add(places.place(input.path), identityOf(input.path), Role::Input);
    for (const PlannedFile &file : files) {
        if (file.output.empty())
            continue;
        const fs::path place = places.place(file.output);
        const auto identity = file.outputExists ? identityOf(file.output) : std::nullopt;
        if (pictures.find(place, identity) == Role::Input || pictures.find(place, std::nullopt) == Role::Input)
            throw Error(ErrorKind::Usage,
                        "the output " + inQuotes(file.output.native()) + " of " + inQuotes(file.input.native()) +
                            " is itself an input",
                        "choose another output folder with -o, or another --name; nothing was done");
        pictures.add(place, identity, Role::Output);
    }
    return pictures;
}

// What is written besides the pictures.
void refuseOtherOutputs(const PlanRequest &request, const std::vector<PlannedFile> &files, const Pictures &pictures) {
    refuseSharedFiles(request.alsoRead, request.alsoWritten);
    for (const PlannedFile &file : files)
        if (file.outputName.filename().native().starts_with('.') && isRecord(file.output, request.outputFolder))
            throw Error(ErrorKind::Usage,
                        "the output " + inQuotes(file.output.native()) + " has the name of the record of the batch",
                        "choose another --name; nothing was done");
    const auto refuseIfPicture = [&](const NamedFile &file, bool isRead) {
        const Pictures::Role found = pictures.find(placeOfFile(file.path), identityOf(file.path));
        if (found == Pictures::Role::Output || (found == Pictures::Role::Input && !isRead))
            throw Error(ErrorKind::Usage,
                        file.role + " " + inQuotes(file.path.native()) +
                            " is one of the pictures: " + (found == Pictures::Role::Input ? "an input" : "an output"),
                        "choose another name; nothing was done");
    };
    for (const NamedFile &file : request.alsoRead)
        refuseIfPicture(file, true);
    for (const NamedFile &file : request.alsoWritten)
        refuseIfPicture(file, false);
}

} // namespace

std::string namesInBrief(const std::vector<fs::path> &paths, std::size_t shown) {
    std::string text;
    const std::size_t count = std::min(shown, paths.size());
    for (std::size_t i = 0; i < count; ++i)
        text += (i == 0 ? "" : i + 1 == paths.size() ? " and " : ", ") + inQuotes(paths[i].native());
    if (paths.size() > count)
        text += " and " + std::to_string(paths.size() - count) + " more";
    return text;
}

std::vector<BatchInput> withoutOwnOutputs(std::vector<BatchInput> inputs, const PlanRequest &request) {
    if (std::ranges::none_of(inputs, &BatchInput::changedOutput))
        return inputs;
    PlaceFinder places;
    std::set<fs::path> outputs;
    for (std::size_t i = 0; i < inputs.size(); ++i)
        if (!inputs[i].problem && !inputs[i].changedOutput)
            outputs.insert(
                places.place(request.outputFolder / request.nameTemplate.apply(partsOf(inputs[i], i + 1, request))));
    std::erase_if(inputs, [&](const BatchInput &input) {
        return input.changedOutput && outputs.contains(places.place(input.path));
    });
    return inputs;
}

std::vector<PlannedFile> planOutputs(const std::vector<BatchInput> &listed, const PlanRequest &request) {
    std::vector<BatchInput> fewer;
    if (std::ranges::any_of(listed, &BatchInput::changedOutput))
        fewer = withoutOwnOutputs(listed, request);
    const std::vector<BatchInput> &inputs = fewer.empty() ? listed : fewer;
    PlaceFinder places;
    const std::size_t longest = longestName(request.outputFolder);
    std::vector<PlannedFile> files;
    std::map<fs::path, std::vector<fs::path>> inputsOfOutput;
    for (std::size_t position = 0; position < inputs.size(); ++position) {
        PlannedFile file;
        file.index = position + 1;
        file.input = inputs[position].path;
        if (inputs[position].problem) { // no picture, and no output that could collide with another
            file.problem = inputs[position].problem;
            files.push_back(std::move(file));
            continue;
        }
        file.outputName = request.nameTemplate.apply(partsOf(inputs[position], file.index, request));
        file.output = request.outputFolder / file.outputName;
        decideFormat(file, request);
        checkLength(file, longest);
        std::error_code error;
        file.outputExists = fs::exists(fs::symlink_status(file.output, error));
        inputsOfOutput[places.place(file.output)].push_back(file.input);
        files.push_back(std::move(file));
    }
    refuseCollisions(inputsOfOutput);
    const Pictures pictures = refuseOutputsThatAreInputs(files, inputs, places);
    refuseOtherOutputs(request, files, pictures);
    std::erase_if(files, [&](const PlannedFile &file) { return !request.shard.takes(file.index - 1); });
    return files;
}

} // namespace tessera
