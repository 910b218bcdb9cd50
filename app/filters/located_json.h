// JSON whose values remember where they stand, so that a wrong one can be named with line and column. nlohmann-json's
// own document forgets it; its SAX parser is used, fed through an iterator that counts.
#pragma once

#include "app/filters/located_text.h"

#include <cstddef>
#include <string>
#include <vector>

namespace tessera {

struct LocatedJson {
    enum class Kind { Null, Boolean, Number, String, Array, Object } kind = Kind::Null;
    std::size_t offset = 0; // of its first character
    double number = 0.0;    // of a Number, or 0 and 1 of a Boolean
    std::string string;
    std::vector<LocatedJson> items; // of an Array, or the values of an Object's members
    std::vector<LocatedJson> names; // of an Object: one (a String) for each item
};

// Throws Error{Usage} through `text` where it is no JSON, is nested deeper than 8, or holds a number too large for
// double.
LocatedJson parseLocatedJson(const LocatedText &text);

} // namespace tessera
