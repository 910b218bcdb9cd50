#include "app/session/kernel_code.h"

#include "app/session/step_plan.h"

#include <charconv>

namespace tessera {

namespace {

// As short as reads back to the same double.
std::string number(double value) {
    char text[40];
    const auto end = std::to_chars(text, text + sizeof text, value).ptr;
    return std::string(text, end);
}

std::string rowText(const ConvolutionKernel &kernel, int v) {
    std::string text;
    for (int u = 0; u < kernel.width; ++u)
        text += (u ? ", " : "") + number(kernel.at(u, v));
    return text;
}

std::string pythonArray(const ConvolutionKernel &kernel, double divisor) {
    std::string text = "kernel = np.array([";
    for (int v = 0; v < kernel.height; ++v)
        text += (v ? ",\n                   [" : "[") + rowText(kernel, v) + "]";
    text += "], dtype=np.float64)";
    return divisor == 1 ? text + "\n" : text + " / " + number(divisor) + "\n";
}

std::string openCv(const StepPlan &plan) {
    static constexpr const char *borders[] = {"cv2.BORDER_CONSTANT", "cv2.BORDER_CONSTANT",    "cv2.BORDER_REPLICATE",
                                              "cv2.BORDER_REFLECT",  "cv2.BORDER_REFLECT_101", "cv2.BORDER_WRAP"};
    const ConvolutionKernel &kernel = plan.kernels.front();
    const std::string border = borders[std::size_t(plan.border.mode)];
    const double value = plan.border.mode == BorderMode::Constant ? plan.border.constant : 0.0;
    std::string text = "import cv2\nimport numpy as np\n\n" + pythonArray(kernel, plan.divisors.front());
    // filter2D knows neither wrapping nor a border value other than 0: the picture is enlarged beforehand.
    const int left = kernel.anchorX, right = kernel.width - 1 - kernel.anchorX;
    const int top = kernel.anchorY, bottom = kernel.height - 1 - kernel.anchorY;
    text += "height, width = picture.shape[:2]\n";
    text += "enlarged = cv2.copyMakeBorder(picture, " + std::to_string(top) + ", " + std::to_string(bottom) + ", " +
            std::to_string(left) + ", " + std::to_string(right) + ", " + border + ", value=[" + number(value) +
            "] * 4)\n";
    text += "sums = cv2.filter2D(enlarged.astype(np.float64), -1, kernel, anchor=(" + std::to_string(kernel.anchorX) +
            ", " + std::to_string(kernel.anchorY) + "), delta=" + number(plan.offset) + ")\n";
    text += "sums = sums[" + std::to_string(top) + ":" + std::to_string(top) + " + height, " + std::to_string(left) +
            ":" + std::to_string(left) + " + width]\n";
    return text + "result = np.clip(np.rint(sums), 0, 255).astype(np.uint8)\n";
}

std::string sciPy(const StepPlan &plan) {
    // SciPy's "mirror" leaves the edge out, its "reflect" repeats it; "grid-wrap" is the wrap of everybody else.
    static constexpr const char *modes[] = {"constant", "constant", "nearest", "reflect", "mirror", "grid-wrap"};
    const ConvolutionKernel &kernel = plan.kernels.front();
    const double value = plan.border.mode == BorderMode::Constant ? plan.border.constant : 0.0;
    std::string text =
        "import numpy as np\nfrom scipy.ndimage import correlate\n\n" + pythonArray(kernel, plan.divisors.front());
    text += "planes = picture[..., None] if picture.ndim == 2 else picture\n";
    text += "sums = np.stack([correlate(planes[..., c].astype(np.float64), kernel, mode='" +
            std::string(modes[std::size_t(plan.border.mode)]) + "', cval=" + number(value) +
            ",\n                           origin=(" + std::to_string(kernel.anchorY - kernel.height / 2) + ", " +
            std::to_string(kernel.anchorX - kernel.width / 2) +
            "))\n                 for c in range(planes.shape[-1])], axis=-1)\n";
    return text + "result = np.clip(np.rint(sums + " + number(plan.offset) +
           "), 0, 255).astype(np.uint8).reshape(picture.shape)\n";
}

std::string imageMagick(const StepPlan &plan) {
    static constexpr const char *borders[] = {"black", "background", "edge", "mirror", "", "tile"};
    const ConvolutionKernel &kernel = plan.kernels.front();
    if (plan.border.mode == BorderMode::Reflect101)
        return "# ImageMagick has no border that reflects without repeating the edge (reflect101).\n";
    std::string text = "magick in.png ";
    if (plan.border.mode == BorderMode::Constant)
        text += "-background 'gray(" + number(plan.border.constant / 2.55) + "%)' ";
    text += "-virtual-pixel " + std::string(borders[std::size_t(plan.border.mode)]);
    if (plan.divisors.front() != 1)
        text += " -define convolve:scale=" + number(1 / plan.divisors.front());
    if (plan.offset != 0)
        text += " -define convolve:bias=" + number(plan.offset / 2.55) + "%";
    text += " -morphology Correlate '" + std::to_string(kernel.width) + "x" + std::to_string(kernel.height) + "+" +
            std::to_string(kernel.anchorX) + "+" + std::to_string(kernel.anchorY) + ":";
    for (int v = 0; v < kernel.height; ++v)
        text += (v ? "  " : " ") + rowText(kernel, v);
    return text + "' out.png\n";
}

} // namespace

std::string kernelCode(const FilterStep &step, CodeTarget target) {
    const StepPlan plan = planStep(step, {Depth::U8, 3}, true);
    switch (target) {
    case CodeTarget::OpenCv:
        return openCv(plan);
    case CodeTarget::SciPy:
        return sciPy(plan);
    default:
        return imageMagick(plan);
    }
}

} // namespace tessera
