// Rows of a picture that EXIF says to turn, for pictures that are larger than the memory allows.
#pragma once

#include "app/image/row_io.h"

namespace tessera {

// `stored`: the rows as they are in the file; `orientation`: EXIF's 2..8. With the first rows asked for, all of them
// are turned block by block into a nameless file of the picture's decoded size beside `beside`, the file that is to be
// made of them. Errors in writing it are Error{Output} and name `beside`.
std::unique_ptr<RowReader> turnRows(std::unique_ptr<RowReader> stored, int orientation,
                                    const std::filesystem::path &beside, const RunControl &control);

} // namespace tessera
