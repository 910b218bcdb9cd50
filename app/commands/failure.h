// Any exception as an Error, for loops that go on with the next file.
#pragma once

#include "app/core/error.h"

namespace tessera {

// Called inside a catch block. Errors stay as they are; no memory is a Limit, anything else Internal.
Error currentFailure();

} // namespace tessera
