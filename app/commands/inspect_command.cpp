// tessera inspect: the launch plan of a variant, what it does to memory, and why it is as fast as it is.
#include "app/commands/command.h"
#include "app/commands/filter_options.h"
#include "app/commands/inspection_output.h"
#include "app/commands/option_values.h"
#include "app/commands/suggest.h"
#include "app/commands/text.h"
#include "app/commands/variant_list.h"
#include "app/filters/nearest_name.h"
#include "app/image/image_io.h"
#include "app/session/step_plan.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <limits>

namespace tessera {

namespace {

class InspectCommand : public Command {
public:
    std::string_view name() const override { return "inspect"; }
    std::string_view summary() const override {
        return "launch plan, memory traffic, occupancy and roofline of a variant";
    }

    CommandSyntax syntax() override {
        CommandSyntax syntax;
        syntax.description =
            "Shows how a kernel variant is laid over a picture and what it does to memory: requests, sectors, bank "
            "conflicts, divergence, occupancy and the roofline. These are counts of an exact model, never times. "
            "Without --variant, a row for each of the six kernels.";
        syntax.groups = {what(), kernelGroup(), how()};
        syntax.examples = {
            {"tessera inspect --size 8192x8192 --filter gaussian:sigma=2", "the six kernels, row by row"},
            {"tessera inspect --variant tiled --size 4096x4096 --filter box:size=5 --simulate",
             "one kernel line by line, and the simulator's counts beside the model's"},
            {"tessera inspect --variant naive --size 4x4 --kernel '3x3: 1,0,1, 0,1,0, 1,0,1' --inside --json",
             "36 reads of 16 values"}};
        syntax.notes =
            "The simulator runs the kernel's own source and looks for races, accesses out of bounds, unaligned "
            "accesses "
            "and reads of shared memory that nothing wrote. It leaves out caches, the order of memory operations and "
            "independent scheduling of lanes. Exit code 1 where it finds a fault.";
        return syntax;
    }

    ExitCode run(Console &console) override {
        const InspectionRequest request = makeRequest(console);
        return variant_.empty() ? compareAll(request, console) : inspectOne(request, console);
    }

private:
    OptionGroup what() {
        return {"What is inspected",
                {{"--variant", "NAME", "naive, naive-float4, naive-half2, tiled, tiled-float4 or tiled-half2.",
                  [this](const std::string &text) { variant_ = text; }},
                 {"--size", "WxH", "The picture's size.",
                  [this](const std::string &text) { size_ = parseExtent("--size", text); }},
                 {"--image", "FILE", "Take size and pixels from a picture.",
                  [this](const std::string &text) { image_ = text; }},
                 {"--pixel", "KIND",
                  "f32, f16, u8, u16 for one channel, rgba32f, rgba16f, rgba8, rgba16 for four. Default f32.",
                  [this](const std::string &text) { pixel_ = parsePixel(text); }},
                 {"--inside", "", "Only the outputs whose whole window lies inside the picture (no padding).",
                  [this](const std::string &) { insideOnly_ = true; }}}};
    }

    // Of the options of a filter those that change what is counted.
    OptionGroup kernelGroup() {
        OptionGroup group = filters_.chainGroup();
        group.title = "Its kernel (--filter or --kernel, once)";
        for (Option &option : group.options)
            option.repeatable = false;
        group.options.front().help = "A filter with its parameters; 'tessera filters' lists them.";
        for (Option &option : filters_.kernelGroup().options)
            if (option.names == "--flip" || option.names == "--border" || option.names == "--anchor")
                group.options.push_back(std::move(option));
        return group;
    }

    OptionGroup how() {
        return {
            "How",
            {{"--simulate", "", "Run the kernel in the simulator as well and count what it does.",
              [this](const std::string &) { simulate_ = true; }},
             {"--simulate-limit", "N",
              "Accesses that the simulator may record, such as 200M. Where the launch makes more, one block of each "
              "kind runs and stands for the others. Default 50M.",
              [this](const std::string &text) {
                  simulationLimit_ = std::int64_t(
                      std::min<std::uint64_t>(parseCount("--simulate-limit", text), std::uint64_t(INT64_MAX)));
              }},
             {"--arch", "X.Y", "A GPU of this compute capability. Default: the one here, or 9.0.",
              [this](const std::string &text) { device_ = parseArchitecture(text); }}}};
    }

    static const PixelKind *parsePixel(const std::string &text) {
        if (const PixelKind *kind = findPixelKind(text))
            return kind;
        std::vector<std::string> names;
        for (const PixelKind &kind : pixelKinds())
            names.emplace_back(kind.name);
        throw Error(ErrorKind::Usage, "--pixel does not take " + inQuotes(text), suggestion(text, names));
    }

    static InspectedDevice parseArchitecture(const std::string &text) {
        const std::size_t point = text.find('.');
        if (point == std::string::npos)
            throw Error(ErrorKind::Usage, "--arch does not take " + inQuotes(text), "a compute capability such as 8.6");
        return inspectedDevice(int(parseInteger("--arch", text.substr(0, point), 1, 99)),
                               int(parseInteger("--arch", text.substr(point + 1), 0, 9)));
    }

    InspectionRequest makeRequest(Console &console) const {
        InspectionRequest request;
        if (size_.has_value() == image_.has_value())
            throw Error(ErrorKind::Usage,
                        size_ ? "--size and --image contradict each other" : "the picture's size is missing",
                        "give --size WxH or --image FILE");
        if (size_) {
            request.width = size_->first;
            request.height = size_->second;
        } else {
            const Image image = loadImage(*image_);
            request.width = image.width();
            request.height = image.height();
            request.pixel = pixelKindOf(scalarTypeOf(image.format().depth), image.format().channels);
        }
        if (pixel_)
            request.pixel = *pixel_;
        const FilterStep step = onlyStep();
        request.kernel = kernelOf(step, console);
        request.border = step.border;
        request.insideOnly = insideOnly_;
        request.simulate = simulate_;
        request.simulationLimit = simulationLimit_;
        request.device = device_ ? *device_ : defaultInspectedDevice();
        return request;
    }

    FilterStep onlyStep() const {
        const std::vector<FilterStep> steps = filters_.steps();
        if (steps.size() != 1)
            throw Error(ErrorKind::Usage,
                        steps.empty() ? "the kernel is missing" : "inspect takes one filter, not a chain",
                        "give --filter NAME or --kernel FILE, once");
        return steps.front();
    }

    // Counts depend on a kernel's size and anchor alone, so that of several alike one tells about all.
    static ConvolutionKernel kernelOf(const FilterStep &step, Console &console) {
        const std::vector<ConvolutionKernel> kernels = planStep(step, {Depth::F32, 1}, true).kernels;
        const ConvolutionKernel &first = kernels.front();
        for (const ConvolutionKernel &kernel : kernels)
            if (kernel.width != first.width || kernel.height != first.height || kernel.anchorX != first.anchorX ||
                kernel.anchorY != first.anchorY)
                throw Error(ErrorKind::Usage, "the kernels of filter " + inQuotes(step.filter.name) + " differ in size",
                            "inspect them one by one with --kernel");
        if (kernels.size() > 1)
            console.info("filter " + step.filter.name + " runs " + std::to_string(kernels.size()) +
                         " kernels of this size; the counts are those of one");
        return first;
    }

    // Of the variants that are modelled and simulated: those whose source the simulator runs.
    static VariantChoice choiceOf(const std::string &name) {
        const std::string base = name.substr(0, name.find(':'));
        std::vector<std::string> names;
        for (const KernelVariant variant : kernelVariants)
            names.emplace_back(kernelVariantName(variant));
        if (std::ranges::find(names, base) != names.end())
            return parseVariant(name, KernelVariant::Tiled); // says what is wrong with an option
        const std::vector<VariantEntry> variants = listVariants();
        if (base != "auto" && std::ranges::find(variants, base, &VariantEntry::name) == variants.end())
            throw Error(ErrorKind::Usage, "inspect knows no variant " + inQuotes(name), suggestion(name, names));
        throw Error(ErrorKind::Usage,
                    "the variant " + inQuotes(base) + " is none of the GPU kernels that are modelled and simulated",
                    "inspect takes " + joinNames(names) + "; without --variant it shows them all");
    }

    ExitCode inspectOne(InspectionRequest request, Console &console) const {
        request.variant = choiceOf(variant_);
        const Inspection inspection = inspectVariant(request, progressOn(console));
        console.clearProgress();
        if (console.options.json)
            printJson(inspectionJson(inspection));
        else
            print(inspectionText(inspection));
        return faulty(inspection, console) ? ExitCode::SomeFailed : ExitCode::Done;
    }

    // Whether it is the picture that is too large: then one pixel would be taken.
    static std::string remedyFor(InspectionRequest request) {
        request.variant = {KernelVariant::Naive, true};
        const std::string refusal = inspectionRefusal(request);
        request.width = std::min(request.width, request.kernel.width);
        request.height = std::min(request.height, request.kernel.height);
        return !refusal.empty() && inspectionRefusal(request).empty() ? "choose a smaller picture"
                                                                      : "choose a smaller kernel";
    }

    ExitCode compareAll(InspectionRequest request, Console &console) const {
        std::vector<Inspection> inspections;
        std::vector<std::pair<std::string, std::string>> refusals;
        for (const KernelVariant variant : kernelVariants) {
            request.variant = {variant, true};
            const std::string refusal = inspectionRefusal(request);
            if (refusal.empty())
                inspections.push_back(inspectVariant(request, progressOn(console)));
            else
                refusals.emplace_back(kernelVariantName(variant), refusal);
        }
        console.clearProgress();
        if (inspections.empty())
            throw Error(ErrorKind::Usage, refusals.front().second, remedyFor(request));
        if (console.options.json)
            printJson(overviewJson(inspections, refusals));
        else
            print(inspectionOverview(inspections, refusals));
        const bool fault =
            std::ranges::any_of(inspections, [&](const Inspection &inspection) { return faulty(inspection, console); });
        return fault ? ExitCode::SomeFailed : ExitCode::Done;
    }

    static Json overviewJson(const std::vector<Inspection> &inspections,
                             const std::vector<std::pair<std::string, std::string>> &refusals) {
        Json object;
        object["variants"] = Json::array();
        for (const Inspection &inspection : inspections)
            object["variants"].push_back(inspectionJson(inspection));
        object["refused"] = Json::array();
        for (const auto &[variant, reason] : refusals)
            object["refused"].push_back({{"variant", variant}, {"reason", reason}});
        return object;
    }

    static RunControl progressOn(Console &console) {
        using Clock = std::chrono::steady_clock;
        RunControl control;
        if (console.showsProgress())
            control.progress = [&console, last = Clock::now()](double fraction) mutable {
                if (Clock::now() - last < std::chrono::milliseconds(console.progressIntervalMs()))
                    return;
                last = Clock::now();
                console.progress("simulating: " + std::to_string(int(100 * fraction)) + " %");
            };
        return control;
    }

    static bool faulty(const Inspection &inspection, Console &console) {
        if (!inspection.simulation || inspection.simulation->report.faultCount == 0)
            return false;
        console.error("the simulator found faults in " + std::string(kernelVariantName(inspection.plan().variant)));
        return true;
    }

    FilterOptions filters_;
    std::string variant_;
    std::optional<std::pair<int, int>> size_;
    std::optional<std::filesystem::path> image_;
    const PixelKind *pixel_ = nullptr;
    bool insideOnly_ = false;
    bool simulate_ = false;
    std::int64_t simulationLimit_ = InspectionRequest().simulationLimit;
    std::optional<InspectedDevice> device_;
};

} // namespace

std::unique_ptr<Command> makeInspectCommand() { return std::make_unique<InspectCommand>(); }

} // namespace tessera
