// tessera stats: histogram and statistics of pictures.
#include "app/commands/command.h"
#include "app/commands/load_picture.h"
#include "app/commands/option_values.h"
#include "app/commands/statistics_output.h"
#include "app/commands/text.h"
#include "app/image/image_io.h"

#include <filesystem>
#include <limits>
#include <new>

namespace tessera {

namespace {

namespace fs = std::filesystem;

class StatsCommand : public Command {
public:
    std::string_view name() const override { return "stats"; }
    std::string_view summary() const override { return "histogram and statistics of pictures"; }

    CommandSyntax syntax() override {
        CommandSyntax syntax;
        syntax.description = "Prints the exact statistics and the histogram of every channel and of luminance.";
        syntax.positionals = {"IMAGE...", "The pictures.", 1, std::numeric_limits<std::size_t>::max(),
                              [this](const std::string &path) { paths_.emplace_back(path); }};
        syntax.groups = {
            {"Limits",
             {{"--max-pixels", "N", "Refuse larger pictures, for example 100M.",
               [this](const std::string &text) { limits_.maximumPixels = parseCount("--max-pixels", text); }},
              {"--max-memory", "SIZE", "Refuse pictures that need more memory when decoded.",
               [this](const std::string &text) { limits_.maximumBytes = parseByteSize("--max-memory", text); }}}}};
        syntax.examples = {
            {"tessera stats photo.jpg", "a row a channel, and the histogram of each in one line"},
            {"tessera stats --json *.png | jq '.images[] | {file, mean: .statistics[0].mean}'", "for a script"}};
        syntax.notes =
            "Values are in the picture's own units: 0-255, 0-65535, or float as stored. Percentiles and entropy (in "
            "bits) come from the histogram. CLIPPED counts values at or beyond the lower and the upper end of the "
            "range. NaN and infinities are counted apart; a channel of nothing else has no figures: none, in JSON "
            "null.\n"
            "Exit code 1 where some pictures failed, 3 where none could be read.";
        return syntax;
    }

    ExitCode run(Console &console) override {
        FileTally tally;
        Json images = Json::array();
        for (const fs::path &path : paths_) {
            try {
                show(path, images, tally.done > 0, console);
                ++tally.done;
            } catch (const Error &problem) {
                tally.countFailure(problem.kind());
                console.error(problem);
            } catch (const std::bad_alloc &) {
                tally.countFailure(ErrorKind::Limit);
                console.error(displayName(path) + ": there is not enough memory (use a smaller picture)");
            }
        }
        if (console.options.json) {
            Json object;
            object["images"] = std::move(images);
            printJson(object);
        }
        return tally.exitCode();
    }

private:
    void show(const fs::path &path, Json &images, bool separate, Console &console) const {
        const Image image = loadPicture(path, limits_, console);
        const ImageStatistics statistics = computeStatistics(image.view());
        if (!console.options.json) {
            const PixelFormat format = image.format();
            print((separate ? "\n" : "") + displayText(path.native()) + ": " + std::to_string(image.width()) + "x" +
                  std::to_string(image.height()) + ", " + counted(std::uint64_t(format.channels), "channel") + ", " +
                  (format.depth == Depth::F32 ? "32-bit float" : std::string(depthName(format.depth)) + " bit") +
                  "\n\n" + statisticsTable(statistics));
            return;
        }
        Json entry;
        setPath(entry, "file", path);
        entry["format"] = image.metadata.sourceFormat;
        setShape(entry, image.width(), image.height(), image.format());
        entry["pixels"] = statistics.pixels;
        entry["statistics"] = statisticsJson(statistics, Histograms::Include);
        images.push_back(std::move(entry));
    }

    std::vector<fs::path> paths_;
    LoadLimits limits_;
};

} // namespace

std::unique_ptr<Command> makeStatsCommand() { return std::make_unique<StatsCommand>(); }

} // namespace tessera
