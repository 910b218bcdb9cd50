// tessera compare: how far two pictures are apart.
#include "app/commands/command.h"
#include "app/commands/json_output.h"
#include "app/commands/option_values.h"
#include "app/commands/table.h"
#include "app/commands/text.h"
#include "app/image/image_io.h"
#include "app/stats/comparison.h"

#include <cmath>
#include <filesystem>

namespace tessera {

namespace {

namespace fs = std::filesystem;

std::string shapeText(const Image &image) {
    const Depth depth = image.format().depth;
    return std::to_string(image.width()) + "x" + std::to_string(image.height()) + ", " +
           counted(std::uint64_t(image.format().channels), "channel") + ", " +
           (depth == Depth::F32 ? std::string("32-bit float") : std::string(depthName(depth)) + " bit");
}

std::string measure(double value) {
    return std::isinf(value) ? (value < 0 ? "-infinite" : "infinite") : shortNumber(value);
}

class CompareCommand : public Command {
public:
    std::string_view name() const override { return "compare"; }
    std::string_view summary() const override { return "how far two pictures are apart; exit 0 where they agree"; }

    CommandSyntax syntax() override {
        CommandSyntax syntax;
        syntax.description =
            "Compares two pictures pixel by pixel: the largest error and where it is, RMS, PSNR, SSIM and "
            "the share of differing pixels.";
        syntax.positionals = {"A B", "The two pictures.", 2, 2,
                              [this](const std::string &path) { paths_.emplace_back(path); }};
        syntax.groups = {{"What counts as equal",
                          {{"--tolerance", "V",
                            "Largest difference that still counts as equal, in the pictures' own units. Default 0.",
                            [this](const std::string &text) { takeTolerance(text); }}}}};
        syntax.examples = {{"tessera compare before.png after.png", "exit code 0 only where every value is the same"},
                           {"tessera compare cpu.png gpu.png --tolerance 1", "one level of difference is allowed"}};
        syntax.notes =
            "Pictures of differing depth are compared in the units of the deeper one. Pictures of differing "
            "size or number "
            "of channels are not equal.\nExit codes: 0 equal within the tolerance, 1 not equal, 2 wrong "
            "usage, 3 a picture "
            "cannot be read. A NaN equals a NaN, and an infinity one of its sign; any other pair of values of "
            "which one is not finite is infinitely far apart. In JSON whatever is infinite is null, and "
            "'notes' says why: PSNR of equal pictures (max_error is 0 then), or all errors (max_error is null).";
        return syntax;
    }

    ExitCode run(Console &console) override {
        const Image a = loadImage(paths_[0]);
        const Image b = loadImage(paths_[1]);
        noteNarrowed(paths_[0], a);
        noteNarrowed(paths_[1], b);
        const bool sameShape =
            a.width() == b.width() && a.height() == b.height() && a.format().channels == b.format().channels;
        if (!sameShape) {
            reportShapes(console, a, b);
            return ExitCode::SomeFailed;
        }
        const ImageComparison result = compareImages(a, b);
        // Written so that a NaN, as the largest error, counts as different.
        const bool equal = result.maximumError <= tolerance_;
        if (std::isinf(result.maximumError))
            notes_.emplace_back("where one picture is NaN or infinite the other differs: errors are infinite, and PSNR "
                                "minus infinity");
        if (console.options.json)
            printAsJson(a, b, result, equal);
        else
            printAsTable(a, result, equal);
        return equal ? ExitCode::Done : ExitCode::SomeFailed;
    }

private:
    void takeTolerance(const std::string &text) {
        tolerance_ = parseReal("--tolerance", text);
        if (tolerance_ < 0)
            throw Error(ErrorKind::Usage, "--tolerance cannot be negative", "0 or more");
    }

    void noteNarrowed(const fs::path &path, const Image &image) {
        if (!image.metadata.narrowed.empty())
            notes_.push_back(displayText(path.native()) + ": " + narrowingNote(image.metadata.narrowed) +
                             "; smaller differences were not seen");
    }

    Json header(const Image &a, const Image &b, bool equal) const {
        Json object;
        setPath(object, "a", paths_[0]);
        setPath(object, "b", paths_[1]);
        object["equal"] = equal;
        object["tolerance"] = tolerance_;
        setShape(object["a_shape"], a.width(), a.height(), a.format());
        setShape(object["b_shape"], b.width(), b.height(), b.format());
        object["notes"] = Json::array();
        for (const std::string &note : notes_)
            object["notes"].push_back(note);
        return object;
    }

    void reportShapes(Console &console, const Image &a, const Image &b) const {
        const std::string difference = "the pictures differ in shape: " + shapeText(a) + " and " + shapeText(b);
        if (console.options.json) {
            Json object = header(a, b, false);
            object["reason"] = difference;
            printJson(object);
        } else {
            print("not equal: " + difference + "\n" + notesText());
        }
    }

    void printAsJson(const Image &a, const Image &b, const ImageComparison &result, bool equal) const {
        Json object = header(a, b, equal);
        if (result.maximumError == 0) // the table says it itself
            object["notes"].push_back("all values are the same: PSNR is infinite");
        object["max_error"] = jsonNumber(result.maximumError);
        object["x"] = result.x;
        object["y"] = result.y;
        object["channel"] = result.channel;
        object["rms"] = jsonNumber(result.rms);
        object["psnr"] = jsonNumber(result.psnr);
        object["ssim"] = jsonNumber(result.ssim);
        object["relative_l2"] = jsonNumber(result.relativeL2);
        object["differing_pixels"] = result.differingPixels;
        object["differing_share"] = jsonNumber(result.differingShare);
        printJson(object);
    }

    void printAsTable(const Image &a, const ImageComparison &result, bool equal) const {
        TextTable table({{"MEASURE"}, {"VALUE"}});
        const bool same = result.maximumError == 0;
        table.addRow(
            {"largest error", measure(result.maximumError) +
                                  (same ? ""
                                        : " at (" + std::to_string(result.x) + ", " + std::to_string(result.y) +
                                              "), channel " + std::to_string(result.channel))});
        table.addRow({"RMS", measure(result.rms)});
        table.addRow({"PSNR", measure(result.psnr) + (std::isinf(result.psnr) ? "" : " dB")});
        table.addRow({"SSIM", shortNumber(result.ssim)});
        table.addRow({"relative L2", measure(result.relativeL2)});
        table.addRow({"differing pixels", std::to_string(result.differingPixels) + " of " +
                                              std::to_string(std::uint64_t(a.width()) * std::uint64_t(a.height())) +
                                              " (" + shortNumber(100.0 * result.differingShare) + " %)"});
        table.addRow({"verdict", std::string(equal ? "equal" : "not equal") + " within " + shortNumber(tolerance_)});
        print(table.text() + notesText());
    }

    std::string notesText() const {
        std::string text;
        for (const std::string &note : notes_)
            text += "note: " + note + "\n";
        return text;
    }

    std::vector<fs::path> paths_;
    std::vector<std::string> notes_;
    double tolerance_ = 0;
};

} // namespace

std::unique_ptr<Command> makeCompareCommand() { return std::make_unique<CompareCommand>(); }

} // namespace tessera
