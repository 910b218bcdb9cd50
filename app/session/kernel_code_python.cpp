#include "app/session/kernel_code_python.h"

#include "app/filters/number_text.h"

#include <cstdio>

namespace tessera {

namespace {

std::string integer(int value) { return std::to_string(value); }

std::string arrayText(const ConvolutionKernel &kernel, double divisor, const std::string &indent) {
    std::string text = "np.array([";
    for (int v = 0; v < kernel.height; ++v) {
        text += v ? ",\n" + indent + "[" : "[";
        for (int u = 0; u < kernel.width; ++u)
            text += (u ? ", " : "") + formatNumber(kernel.at(u, v));
        text += "]";
    }
    text += "], dtype=np.float64)";
    return divisor == 1 ? text : text + " / " + formatNumber(divisor);
}

std::string kernelsText(const StepPlan &plan) {
    const std::string head = "kernels = [";
    std::string text = head;
    for (std::size_t i = 0; i < plan.kernels.size(); ++i)
        text += (i ? ",\n" + std::string(head.size(), ' ') : "") +
                arrayText(plan.kernels[i], plan.divisors[i], std::string(head.size() + 10, ' '));
    return text + "]\n";
}

// def filtered(plane, kernel, outside): one plane, float64 in and out.
std::string openCvFilter(const StepPlan &plan) {
    static constexpr const char *borders[] = {"cv2.BORDER_CONSTANT", "cv2.BORDER_CONSTANT",    "cv2.BORDER_REPLICATE",
                                              "cv2.BORDER_REFLECT",  "cv2.BORDER_REFLECT_101", "cv2.BORDER_WRAP"};
    const ConvolutionKernel &kernel = plan.kernels.front();
    const std::string left = integer(kernel.anchorX), right = integer(kernel.width - 1 - kernel.anchorX);
    const std::string top = integer(kernel.anchorY), bottom = integer(kernel.height - 1 - kernel.anchorY);
    // filter2D knows neither wrapping nor a border value other than 0: the picture is enlarged beforehand.
    return "def filtered(plane, kernel, outside):\n"
           "    height, width = plane.shape\n"
           "    enlarged = cv2.copyMakeBorder(plane, " +
           top + ", " + bottom + ", " + left + ", " + right + ",\n                                  " +
           borders[std::size_t(plan.border.mode)] +
           ", value=outside)\n"
           "    sums = cv2.filter2D(enlarged, cv2.CV_64F, kernel, anchor=(" +
           left + ", " + top +
           "))\n"
           "    return sums[" +
           top + ":" + top + " + height, " + left + ":" + left + " + width]\n";
}

std::string sciPyFilter(const StepPlan &plan) {
    // SciPy's "mirror" leaves the edge out, its "reflect" repeats it; "grid-wrap" is the wrap of everybody else.
    static constexpr const char *modes[] = {"constant", "constant", "nearest", "reflect", "mirror", "grid-wrap"};
    const ConvolutionKernel &kernel = plan.kernels.front();
    return "def filtered(plane, kernel, outside):\n"
           "    return correlate(plane, kernel, mode='" +
           std::string(modes[std::size_t(plan.border.mode)]) + "', cval=outside,\n                     origin=(" +
           integer(kernel.anchorY - kernel.height / 2) + ", " + integer(kernel.anchorX - kernel.width / 2) + "))\n";
}

// sRGB both ways, negative values as an odd function.
std::string curvesText() {
    return "def linear(stored):\n"
           "    value = np.abs(stored)\n"
           "    return np.copysign(np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4), "
           "stored)\n\n"
           "def encoded(light):\n"
           "    value = np.abs(light)\n"
           "    return np.copysign(np.where(value <= 0.0031308, value * 12.92, 1.055 * value ** (1 / 2.4) - 0.055), "
           "light)\n";
}

std::string combinedText(const StepPlan &plan) {
    std::string text = "def combined(plane, outside):\n";
    switch (plan.combine) {
    case Combine::Single:
        return text + "    return filtered(plane, kernels[0], outside)\n";
    case Combine::Magnitude:
        return text + "    return np.sqrt(sum(filtered(plane, kernel, outside) ** 2 for kernel in kernels))\n";
    case Combine::Maximum:
        break;
    }
    return text + "    return np.maximum.reduce([filtered(plane, kernel, outside) for kernel in kernels])\n";
}

// Integer results alone are answered to and limited; floats stay as they are.
std::string respondText(const StepPlan &plan) {
    std::string text = "def respond(values):\n"
                       "    if picture.dtype.kind == 'f':\n"
                       "        return values\n";
    switch (plan.response) {
    case ResponseMode::Clamp:
        break;
    case ResponseMode::Absolute:
        text += "    values = np.abs(values)\n";
        break;
    case ResponseMode::Signed:
        text += "    values = values + (maximum + 1) / 2\n";
        break;
    case ResponseMode::Range:
        text += "    low, high = values[counted].min(), values[counted].max()\n"
                "    if high > low:\n"
                "        values = (values - low) * maximum / (high - low)\n";
        break;
    }
    return text + "    return np.clip(values, 0, maximum)\n";
}

class Script {
public:
    Script(const StepPlan &plan, PixelFormat format, bool blueFirst)
        : plan_(plan), colours_(format.colourChannels()), alpha_(format.hasAlpha() ? format.channels - 1 : -1),
          blueFirst_(blueFirst) {}

    std::string body() const {
        std::string text = "maximum = 1.0 if picture.dtype.kind == 'f' else float(np.iinfo(picture.dtype).max)\n"
                           "stored = picture.astype(np.float64).reshape(picture.shape[0], picture.shape[1], -1)\n"
                           "changed = stored.copy()\n";
        if (plan_.weighted())
            text += weightText();
        if (plan_.filtersAlpha())
            text += "changed[..., " + integer(alpha_) + "] = combined(stored[..., " + integer(alpha_) + "], " +
                    (plan_.alphaApart() ? std::string("maximum") : formatNumber(constant())) + ") + " +
                    formatNumber(plan_.offset) + "\n";
        if (plan_.response == ResponseMode::Range)
            text += countedText();
        if (plan_.luma)
            text += lumaText();
        else
            text += coloursText();
        text += respondLines();
        return text + "if picture.dtype.kind != 'f':\n"
                      "    changed = np.rint(changed)\n"
                      "result = changed.astype(picture.dtype).reshape(picture.shape)\n";
    }

private:
    double constant() const { return plan_.border.mode == BorderMode::Constant ? plan_.border.constant : 0.0; }

    int place(int colour) const { return blueFirst_ && colours_ == 3 ? 2 - colour : colour; }

    std::string channelList(unsigned channels) const {
        std::string list;
        for (int c = 0; c < colours_; ++c)
            if (channels >> c & 1u)
                list += integer(place(c)) + ", ";
        if (alpha_ >= 0 && (channels >> alpha_ & 1u) != 0)
            list += integer(alpha_) + ", ";
        return "(" + list + ")";
    }

    // Which pixels the range is measured by: those that are not stored wholly transparent.
    std::string countedText() const {
        if (alpha_ < 0 || plan_.alpha == AlphaPlan::AsChannel)
            return "counted = np.ones(picture.shape[:2], bool)\n";
        std::string text = "levels = 65535 if picture.dtype.kind == 'f' else maximum\n"
                           "counted = changed[..., " +
                           integer(alpha_) + "] * levels >= 0.37 * maximum\n";
        if (plan_.weighted())
            text += "counted &= weight * levels >= 0.37\n";
        return text + "if not counted.any():\n    counted[:] = True\n";
    }

    std::string weightText() const {
        std::string text = "opacity = stored[..., " + integer(alpha_) + "] / maximum\n";
        if (plan_.alpha == AlphaPlan::OwnWeight)
            return text + "weight = opacity\n";
        const ConvolutionKernel &kernel = plan_.kernels.front();
        // Outside the picture, a constant border is an opaque colour.
        text += "mean = kernels[0] / " + formatNumber(kernel.sum() / plan_.divisors.front()) +
                "\nweight = np.maximum(filtered(opacity, mean, " +
                (plan_.border.mode == BorderMode::Zero ? "0.0" : "1.0") + "), 0)\n";
        return plan_.replaceAlpha ? text + "changed[..., " + integer(alpha_) + "] = np.minimum(weight, 1) * maximum\n"
                                  : text;
    }

    // From a plane as it is filtered to stored values.
    std::string restored(const std::string &sums) const {
        std::string text = sums;
        if (plan_.weighted())
            text = "np.where(weight > 0, " + text + " / np.where(weight > 0, weight, 1), 0)";
        if (plan_.linear)
            text = "encoded(" + text + ") * maximum";
        if (plan_.offset == 0)
            return text;
        return text + (plan_.weighted() ? " + np.where(weight > 0, " + formatNumber(plan_.offset) + ", 0)"
                                        : " + " + formatNumber(plan_.offset));
    }

    std::string outside() const {
        const std::string value = formatNumber(constant());
        return plan_.linear ? "linear(" + value + " / maximum)" : value;
    }

    std::string coloursText() const {
        std::string plane = "stored[..., c]";
        if (plan_.linear)
            plane = "linear(" + plane + " / maximum)";
        if (plan_.weighted())
            plane += " * opacity";
        return "for c in " + channelList(plan_.channels & ((1u << colours_) - 1u)) +
               ":\n    changed[..., c] = " + restored("combined(" + plane + ", " + outside() + ")") + "\n";
    }

    std::string lumaText() const {
        const std::string working = plan_.linear ? "linear(stored / maximum)" : "stored";
        std::string text = "working = " + working + "\nlightness = 0.2126 * working[..., " + integer(place(0)) +
                           "] + 0.7152 * working[..., 1] + 0.0722 * working[..., " + integer(place(2)) + "]\n";
        const std::string plane = plan_.weighted() ? "lightness * opacity" : "lightness";
        text += "wanted = respond(" + restored("combined(" + plane + ", " + outside() + ")") + ")\n";
        text += plan_.linear ? "change = linear(wanted / maximum) - lightness\n" : "change = wanted - lightness\n";
        const std::string value =
            plan_.linear ? "encoded(working[..., c] + change) * maximum" : "stored[..., c] + change";
        return text + "for c in (0, 1, 2):\n    changed[..., c] = " + value + "\n";
    }

    std::string respondLines() const {
        const std::string limited = "if picture.dtype.kind != 'f':\n    changed = np.clip(changed, 0, maximum)\n";
        if (!plan_.luma)
            return "channels = list(" + channelList(plan_.responding) +
                   ")\nchanged[..., channels] = respond(changed[..., channels])\n" +
                   (plan_.filtersAlpha() && plan_.responding != plan_.channels ? limited : "");
        std::string text;
        if (plan_.alpha == AlphaPlan::AsChannel && (plan_.responding >> alpha_ & 1u) != 0)
            text = "changed[..., " + integer(alpha_) + "] = respond(changed[..., " + integer(alpha_) + "])\n";
        return text + limited;
    }

    const StepPlan &plan_;
    const int colours_, alpha_;
    const bool blueFirst_;
};

// A literal that Python reads back, whatever a file may be called.
std::string quoted(const std::string &text) {
    std::string literal = "'";
    for (const char letter : text) {
        if (letter == '\'' || letter == '\\')
            literal += '\\';
        if (static_cast<unsigned char>(letter) >= 0x20) {
            literal += letter;
            continue;
        }
        char code[8];
        std::snprintf(code, sizeof code, "\\x%02x", unsigned(letter));
        literal += code;
    }
    return literal + "'";
}

// What the picture has to be, and where it comes from.
std::string headText(PixelFormat format, bool blueFirst, const std::string &file) {
    static constexpr const char *orders[2][4] = {{"", "grey, alpha", "red, green, blue", "red, green, blue, alpha"},
                                                 {"", "grey, alpha", "blue, green, red", "blue, green, red, alpha"}};
    const std::string order = orders[blueFirst][format.channels - 1];
    const char *type = format.depth == Depth::U8 ? "uint8" : format.depth == Depth::U16 ? "uint16" : "float32";
    std::string text = "# Expects in `picture` an array of rows and columns" + (order.empty() ? "" : " of " + order) +
                       ", " + type + ", and leaves the filtered one in `result`.\n";
    return file.empty() ? text + "# Put the name of your picture in place of 'picture.png'.\n" : text;
}

std::string loadText(bool blueFirst, const std::string &file) {
    const std::string name = quoted(file.empty() ? "picture.png" : file);
    return blueFirst ? "picture = cv2.imread(" + name +
                           ", cv2.IMREAD_UNCHANGED)\nif picture is None:\n    raise SystemExit('cannot read ' + " +
                           name + ")\n"
                     : "picture = imread(" + name + ")\n";
}

std::string wholeScript(const std::string &imports, const std::string &filter, const StepPlan &plan, PixelFormat format,
                        bool blueFirst, const std::string &file) {
    std::string text = headText(format, blueFirst, file) + imports + "\n" + loadText(blueFirst, file) + "\n" +
                       kernelsText(plan) + "\n" + filter + "\n" + combinedText(plan) + "\n" + respondText(plan) + "\n";
    if (plan.linear)
        text += curvesText() + "\n";
    return text + Script(plan, format, blueFirst).body();
}

} // namespace

std::string openCvCode(const StepPlan &plan, PixelFormat format, const std::string &file) {
    return wholeScript("import cv2\nimport numpy as np\n", openCvFilter(plan), plan, format, true, file);
}

std::string sciPyCode(const StepPlan &plan, PixelFormat format, const std::string &file) {
    return wholeScript("import numpy as np\nfrom imageio.v3 import imread\nfrom scipy.ndimage import correlate\n",
                       sciPyFilter(plan), plan, format, false, file);
}

} // namespace tessera
