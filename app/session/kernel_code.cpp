#include "app/session/kernel_code.h"

#include "app/filters/number_text.h"
#include "app/session/kernel_code_python.h"
#include "app/session/step_plan.h"

namespace tessera {

namespace {

[[noreturn]] void unsaid(const std::string &what) {
    throw Error(ErrorKind::Usage, "ImageMagick has no word for " + what, "copy the code for OpenCV or SciPy instead");
}

void checkImageMagick(const StepPlan &plan, PixelFormat format) {
    if (plan.combine != Combine::Single)
        unsaid("several kernels whose results are combined");
    if (plan.border.mode == BorderMode::Reflect101)
        unsaid("a border that reflects without repeating the edge (reflect101)");
    if (plan.luma)
        unsaid("a change of lightness alone");
    if (plan.linear)
        unsaid("linear light within one command");
    if (plan.response != ResponseMode::Clamp)
        unsaid("this response to values below 0");
    if (plan.weighted() || plan.alphaApart())
        unsaid("this treatment of alpha");
    if (format.depth == Depth::F32)
        unsaid("float pictures whose values are not limited");
}

// The letters of -channel.
std::string channelsOf(const StepPlan &plan, PixelFormat format) {
    if (format.colourChannels() == 1)
        return plan.filtersAlpha() ? "RGBA" : "RGB";
    std::string letters;
    for (int c = 0; c < 3; ++c)
        if (plan.channels >> c & 1u)
            letters += "RGB"[c];
    return plan.filtersAlpha() ? letters + "A" : letters;
}

std::string imageMagick(const StepPlan &plan, PixelFormat format) {
    static constexpr const char *borders[] = {"black", "background", "edge", "mirror", "", "tile"};
    checkImageMagick(plan, format);
    const ConvolutionKernel &kernel = plan.kernels.front();
    const double percent = nominalMaximum(format.depth) / 100;
    std::string text = "magick in.png ";
    if (plan.border.mode == BorderMode::Constant)
        text += "-background 'gray(" + formatNumber(plan.border.constant / percent) + "%)' ";
    text += "-virtual-pixel " + std::string(borders[std::size_t(plan.border.mode)]);
    text += " -channel " + channelsOf(plan, format);
    if (plan.divisors.front() != 1)
        text += " -define convolve:scale=" + formatNumber(1 / plan.divisors.front());
    if (plan.offset != 0)
        text += " -define convolve:bias=" + formatNumber(plan.offset / percent) + "%";
    text += " -morphology Correlate '" + std::to_string(kernel.width) + "x" + std::to_string(kernel.height) + "+" +
            std::to_string(kernel.anchorX) + "+" + std::to_string(kernel.anchorY) + ":";
    for (int v = 0; v < kernel.height; ++v) {
        text += v ? "  " : " ";
        for (int u = 0; u < kernel.width; ++u)
            text += (u ? ", " : "") + formatNumber(kernel.at(u, v));
    }
    // Some writers cut levels off that they should round, so that they are rounded beforehand.
    return text + "' +channel " + (format.depth == Depth::U8 ? "+dither -posterize 256 -depth 8" : "-depth 16") +
           " out.png\n";
}

} // namespace

std::string kernelCode(const FilterStep &step, CodeTarget target, PixelFormat format, const std::string &file) {
    const StepPlan plan = planStep(step, format, false);
    switch (target) {
    case CodeTarget::OpenCv:
        return openCvCode(plan, format, file);
    case CodeTarget::SciPy:
        return sciPyCode(plan, format, file);
    case CodeTarget::ImageMagick:
        break;
    }
    return imageMagick(plan, format);
}

} // namespace tessera
