// Kernel files and notations: plain text rows (ImageJ), libvips matrix, ImageMagick, Tessera's JSON preset.
//
// The text itself says which it is, decided in this order:
//   JSON         it begins with '{' or '['.
//   ImageMagick  it holds a ':'        3x3+1+1: 0,1,0 1,2,1 0,1,0
//   libvips      the first row has two or four numbers separated by blanks, `width height [scale offset]`, the first
//                two of them positive whole numbers, and exactly `height` rows of `width` numbers follow.
//   plain        anything else: a row a line, separated by blanks, tabs or commas. (A plain kernel whose first row
//                could be such a header is written with commas, which a libvips header never has.)
//
// Common to all: UTF-8 with or without a mark at its beginning, any line ends, numbers with a decimal point whatever
// the locale, `#` comments and empty lines (not in JSON), 1..255 taps a side, all finite. The taps are taken as they
// stand, for correlation, though ImageMagick itself would rotate them. A divisor that the notation does not state is
// 1, as --divisor's default is. The anchor is (width / 2, height / 2) unless stated.
//
// ImageMagick: `W:` means a square; `nan` and `-` mark cells outside the neighbourhood and are taken as 0, which is
// what they come to in a weighted sum. Named kernels ("Gaussian:0x2"), rotations ('<', '>', '@') and lists (';') are
// refused. libvips: scale becomes the divisor, offset the offset.
//
// JSON: {"taps": [[0, 1, 0], [1, 2, 1], [0, 1, 0]]} and, as needed, "name", "anchor": [x, y], "divisor": number or
// "auto", "offset", "format": "tessera-kernel", "version": 1. With "width" and "height" the taps may be one flat list.
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

// Which notation parseKernel would take the text for. Looks only; the text may still be malformed.
KernelNotation recognizeNotation(std::string_view text);

// Text that parseKernel reads back to a kernel of the same taps, anchor, effective divisor and offset; where the
// notation cannot say one of them (plain: anchor, divisor, offset; libvips: anchor; ImageMagick: divisor, offset),
// throws Error{Output} naming one that can. JSON alone keeps the name and an automatic divisor.
std::string formatKernel(const ConvolutionKernel &kernel, KernelNotation notation);

} // namespace tessera
