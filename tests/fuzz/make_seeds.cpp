// Writes one small picture of every format, depth and number of channels into a folder: where the fuzzer starts.
#include "tests/app/image_test_support.h"

#include <iostream>

int main(int argc, char **argv) {
    if (argc != 2) {
        std::cerr << "usage: make_seeds FOLDER\n";
        return 2;
    }
    using namespace tessera::test;
    const std::filesystem::path folder = argv[1];
    std::filesystem::create_directories(folder);
    for (const Sample &sample : writableSamples(9, 7))
        writeFile(folder / sample.name, sample.file);
    return 0;
}
