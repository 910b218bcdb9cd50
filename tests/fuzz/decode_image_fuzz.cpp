// libFuzzer over decodeImage: any bytes give a picture or a tessera::Error, within the limits. Formats that OpenCV
// reads are left out unless TESSERA_OPENCV_CODECS names the module: its libraries are not instrumented.
#include "app/core/error.h"
#include "app/image/image_io.h"

#include <cstdlib>

namespace {

// Small enough that an input takes milliseconds; tables of sizes are found all the same.
tessera::LoadLimits fuzzLimits() {
    tessera::LoadLimits limits;
    limits.maximumPixels = 1 << 20;
    limits.maximumBytes = 16 << 20;
    return limits;
}

// Reads every sample, so that a sanitizer sees one that was never written.
unsigned sumOf(const tessera::Image &image) {
    unsigned sum = 0;
    for (int y = 0; y < image.height(); ++y)
        for (std::ptrdiff_t i = 0; i < std::ptrdiff_t(image.width()) * image.format().bytesPerPixel(); ++i)
            sum += std::to_integer<unsigned>(image.view().row<std::byte>(y)[i]);
    return sum;
}

} // namespace

extern "C" int LLVMFuzzerInitialize(int *, char ***) {
    ::setenv("TESSERA_OPENCV_CODECS", "/nonexistent", 0);
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    const std::span file(reinterpret_cast<const std::byte *>(data), size);
    try {
        const tessera::Image image = tessera::decodeImage(file, "input", fuzzLimits());
        volatile unsigned keep = sumOf(image);
        (void)keep;
    } catch (const tessera::Error &error) {
        if (error.kind() == tessera::ErrorKind::Internal)
            std::abort();
    }
    return 0;
}
