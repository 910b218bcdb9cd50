// What `tessera help batch` says.
#include "app/commands/batch/batch_options.h"

#include <limits>

namespace tessera {

CommandSyntax batchSyntax(BatchOptions &options) {
    CommandSyntax syntax;
    syntax.description =
        "Filters files, or the pictures in folders, and writes the results into another folder. All outputs are "
        "decided before any work starts: nothing is overwritten unasked, two inputs never share an output, and an "
        "output is there whole or not at all.";
    syntax.positionals = {"INPUT...",
                          "Files and folders. In a folder, files with a picture's extension are taken, in the order of "
                          "their names; hidden ones are not.",
                          0, std::numeric_limits<std::size_t>::max(),
                          [&options](const std::string &path) { options.inputs.emplace_back(path); }};
    syntax.groups = batchOptionGroups(options);
    syntax.examples = {
        {"tessera batch photos/ -o blurred/ --filter gaussian:sigma=2", "a folder, each file in its own format"},
        {"tessera batch *.tif -o out/ --filter unsharp:sigma=1,amount=0.8 --format png --depth 16",
         "chosen files, written as 16-bit PNG"},
        {"tessera batch scans/ --recursive -o out/ --kernel my.txt --name '{folder}/{stem}.{ext}'",
         "a kernel of one's own; the folders inside scans/ are kept"},
        {"tessera batch photos/ -o blurred/ --filter gaussian:sigma=2 --skip-existing", "go on after an interruption"},
        {"find . -name '*.jpg' -print0 | tessera batch --files-from - -o out/ --filter sobel", "a list from elsewhere"},
        {"tessera batch /data/in -o /data/out --filter gaussian --shard auto --skip-existing",
         "one task of a Slurm array, safe to requeue"}};
    syntax.notes =
        "Resuming: what was written is recorded in .tessera-batch.jsonl in the output folder, a line a file with the "
        "content hashes (XXH3, 128 bit) of input and output, the parameters and the version. --skip-existing skips an "
        "output whose line matches all of them; other existing outputs are refused, or replaced with --overwrite.\n"
        "Reading, decoding, filtering, encoding and writing overlap. The line at the end names the stage that kept the "
        "batch from being faster; --report has the times of each file, --json the load of each stage.\n"
        "A first Ctrl-C (SIGINT or SIGTERM) finishes the files in hand and ends with exit code 75; a second one stops "
        "at once.\n"
        "Exit codes: 0 all done; 1 some files failed, each named with its reason; 2 wrong usage, refused before any "
        "work; 3 no usable input; 4 the device asked for is not there; 75 interrupted.";
    return syntax;
}

} // namespace tessera
