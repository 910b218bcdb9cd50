// Fields of CSV files, for reports of benchmarks and races.
#pragma once

#include <string>
#include <vector>

namespace tessera::bench {

// RFC 4180: in quotes where it holds what would end the field.
std::string csvField(const std::string &text);

std::string joinedWords(const std::vector<std::string> &words); // by spaces

} // namespace tessera::bench
