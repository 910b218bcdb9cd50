// Every variant of the product, whether this machine can run it or not.
#pragma once

#include <string>
#include <vector>

namespace tessera {

struct VariantEntry {
    std::string name;
    std::string title;
    std::string description;
    std::vector<std::string> devices; // where it runs here, as in --device; empty: nowhere
    std::string reason;               // why it runs nowhere here; empty where it does

    bool available() const { return !devices.empty(); }
};

std::vector<VariantEntry> listVariants();

} // namespace tessera
