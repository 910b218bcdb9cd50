// The chart's lettering: a 5x7 dot-matrix alphabet, so that text comes out the same on every machine.
#pragma once

#include <string_view>

namespace tessera::samples {

constexpr int glyphWidth = 5, glyphHeight = 7, glyphAdvance = 6, lineAdvance = 10;

// Whether the dot (column, row) of a character is set; false outside 5x7 and for characters that the alphabet lacks.
bool glyphDot(char character, int column, int row);

// Whether the dot (column, row) of a line of text is set; column counts from the first character's left.
bool textDot(std::string_view text, int column, int row);

constexpr int textWidth(std::string_view text) { return static_cast<int>(text.size()) * glyphAdvance - 1; }

} // namespace tessera::samples
