// Maps of pictures for tensor copies (copyBox() in gpu/kernels/asynchronous.h).
#pragma once

#include "gpu/kernels/asynchronous.h"
#include "gpu/launch/convolution.h"

#include <optional>

namespace tessera::cuda {

// Whether tensor copies can take the rows that a request's windows begin in: on 16 bytes, and the part's first column
// too.
inline bool copiesTake(const ConvolutionRequest &request) {
    const RawView &source = request.source;
    return rowsAligned(source, 16) && request.originX * scalarBytes(source.type) * source.channels % 16 == 0;
}

// Of a picture of floats, for boxes of boxWidth floats x boxHeight rows: at most 256 either way, rows of whole 16
// bytes. Nothing where the driver makes no maps, or none of this picture: rows must begin on 16-byte boundaries.
std::optional<TensorMap> tensorMapOf(const RawView &picture, int boxWidth, int boxHeight);

// The same of the bytes of any picture. As words of four bytes boxes may be up to 1024 bytes wide, and what follows a
// row's end up to the next word counts as picture; as bytes they may be 256 wide.
std::optional<TensorMap> tensorMapOfWords(const RawView &picture, int boxBytes, int boxHeight);
std::optional<TensorMap> tensorMapOfBytes(const RawView &picture, int boxBytes, int boxHeight);

} // namespace tessera::cuda
