#include "app/filters/kernel_file.h"

#include "app/core/error.h"
#include "app/filters/kernel_notations.h"

#include <cerrno>
#include <cstring>
#include <fstream>

namespace tessera {

namespace {

// 255 x 255 numbers of 25 characters are 1.6 MB; what is much larger is no kernel, and need not be read to know it.
constexpr std::size_t largestFile = std::size_t(16) << 20;

// The text less blanks and comments at its beginning: what decides about JSON.
std::string_view firstContent(std::string_view text) {
    if (text.starts_with("\xEF\xBB\xBF"))
        text.remove_prefix(3);
    while (true) {
        const std::size_t begin = text.find_first_not_of(" \t\r\n\v\f");
        if (begin == std::string_view::npos)
            return {};
        text.remove_prefix(begin);
        if (text.front() != '#')
            return text;
        text.remove_prefix(std::min(text.find_first_of("\r\n"), text.size()));
    }
}

bool holdsColon(std::string_view text) {
    while (!text.empty()) {
        const std::size_t lineEnd = std::min(text.find_first_of("\r\n"), text.size());
        const std::string_view line = text.substr(0, lineEnd);
        if (line.substr(0, line.find('#')).find(':') != std::string_view::npos)
            return true;
        text.remove_prefix(std::min(lineEnd + 1, text.size()));
    }
    return false;
}

// Plain stands for "rows": whether they carry a header is seen when they are read.
KernelNotation notationOutline(std::string_view text) {
    const std::string_view content = firstContent(text);
    if (content.starts_with('{') || content.starts_with('['))
        return KernelNotation::Json;
    return holdsColon(content) ? KernelNotation::ImageMagick : KernelNotation::Plain;
}

} // namespace

KernelNotation recognizeNotation(std::string_view text) {
    const KernelNotation outline = notationOutline(text);
    if (outline != KernelNotation::Plain)
        return outline;
    try {
        return looksLikeVips(LocatedText(text, "")) ? KernelNotation::Vips : KernelNotation::Plain;
    } catch (const Error &) {
        return KernelNotation::Plain; // malformed: parseKernel says where
    }
}

ConvolutionKernel parseKernel(std::string_view text, std::string_view source) {
    const LocatedText located(text, source);
    switch (notationOutline(text)) {
    case KernelNotation::Json:
        return parseKernelJson(located);
    case KernelNotation::ImageMagick:
        return parseImageMagick(located);
    default:
        return parseRows(located);
    }
}

ConvolutionKernel loadKernelFile(const std::filesystem::path &path) {
    const auto unreadable = [&](const std::string &why) {
        return Error(ErrorKind::Input, "the kernel file " + path.string() + " cannot be read: " + why,
                     "name a text file with the kernel's taps");
    };
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored))
        throw unreadable("it is a folder");
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    if (!file)
        throw unreadable(std::strerror(errno == 0 ? EIO : errno));
    std::string text(largestFile + 1, '\0');
    file.read(text.data(), std::streamsize(text.size())); // pipes too, whose size nobody knows beforehand
    text.resize(std::size_t(file.gcount()));
    if (file.bad())
        throw unreadable(std::strerror(errno == 0 ? EIO : errno));
    if (text.size() > largestFile)
        throw unreadable("it is larger than " + std::to_string(largestFile >> 20) + " MiB, too large for a kernel");
    ConvolutionKernel kernel = parseKernel(text, path.string());
    if (kernel.name.empty())
        kernel.name = path.stem().string();
    return kernel;
}

ConvolutionKernel kernelFromArgument(const std::string &argument) {
    std::error_code ignored;
    // An argument of taps can be longer than any file name may be; the look then fails and says nothing.
    if (std::filesystem::is_directory(argument, ignored))
        throw Error(ErrorKind::Usage, "--kernel: " + LocatedText::shown(argument) + " is a folder",
                    "name a text file with the kernel's taps");
    if (std::filesystem::exists(argument, ignored))
        return loadKernelFile(argument);
    if (notationOutline(argument) == KernelNotation::ImageMagick)
        return parseKernel(argument, "--kernel");
    throw Error(ErrorKind::Usage, "--kernel: there is no file " + LocatedText::shown(argument),
                "give a file that exists, or the taps themselves as 'WxH: a,b,c,...'");
}

} // namespace tessera
