// What a file holds, by its first bytes, for the error that says why it cannot be read.
#pragma once

#include "app/image/codecs/codec.h"

namespace tessera::codecs {

// The last resort: no loader took the file. Throws Error{Input} that names what the content is, if it is known.
[[noreturn]] void failUnreadable(const Source &source);

} // namespace tessera::codecs
