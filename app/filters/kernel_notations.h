// One reader a notation; parseKernel chooses among them.
#pragma once

#include "app/filters/kernel.h"
#include "app/filters/located_text.h"

namespace tessera {

ConvolutionKernel parseRows(const LocatedText &text); // plain and libvips
bool looksLikeVips(const LocatedText &text);
ConvolutionKernel parseImageMagick(const LocatedText &text);
ConvolutionKernel parseKernelJson(const LocatedText &text);

// The value of one token, refused at `offset` where it is no finite number.
double requireNumber(const LocatedText &text, std::string_view token, std::size_t offset);

} // namespace tessera
