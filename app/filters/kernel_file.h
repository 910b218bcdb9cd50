// Kernel files and notations: plain text rows (ImageJ), libvips matrix, ImageMagick, Tessera's JSON preset.
#pragma once

#include "app/filters/kernel.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace tessera {

enum class KernelNotation { Plain, Vips, ImageMagick, Json };

// Recognises the notation from the text itself. `source` names it in errors ("kernel.txt"). Throws Error{Usage}
// "kernel.txt:3:7: expected a number, found 'x'" where it is malformed.
ConvolutionKernel parseKernel(std::string_view text, std::string_view source);

// Reads a file; throws Error{Input} where it cannot be read and as parseKernel does.
ConvolutionKernel loadKernelFile(const std::filesystem::path &path);

// The --kernel argument: an existing file, else ImageMagick's notation.
ConvolutionKernel kernelFromArgument(const std::string &argument);

// Text that parseKernel reads back to an equal kernel (as far as the notation can say it: plain text has no anchor,
// divisor or offset; where that would lose something, throws Error{Output}).
std::string formatKernel(const ConvolutionKernel &kernel, KernelNotation notation);

} // namespace tessera
