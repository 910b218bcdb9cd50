// What an ImageDescription is: a person's words, or a program's account of how the file is built.
#pragma once

#include <string_view>

namespace tessera::codecs {

// Whether the text tells of pages, axes, samples or tiles of the file that it stands in, which another file does not
// share: readers that believe it would read that wrongly. Known are tifffile's shapes, OME-XML, ImageJ's stacks,
// ScanImage's frames, and the slides of Aperio, Leica (SCN), Philips and MetaSeries. Sources: tifffile's documentation
// of the "shaped" format; OME-TIFF specification 6.2; ImageJ's TiffEncoder.
bool describesStructure(std::string_view description);

} // namespace tessera::codecs
