// Any exception as an Error, for loops that go on with the next file.
#pragma once

#include "app/core/error.h"

namespace tessera {

// Called inside a catch block. Errors stay as they are; no memory is a Limit, anything else Internal.
Error currentFailure();

// The kind of error where the system refuses, before any work, to make or open an output: a name that cannot be written
// to is wrong usage; a full disk, or a server that does not answer, is not.
ErrorKind kindOfRefusedOutput(int error);

} // namespace tessera
