// tessera-samples DIRECTORY: makes the sample pictures. The same pictures each time; an existing one is replaced.
#include "app/core/error.h"
#include "app/image/image_io.h"

#include <cmath>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string_view>

#include "assets/generator/chart.h"
#include "assets/generator/landscape.h"

namespace tessera::samples {

namespace {

// From float 0..1 to the full range of Level, rounded to nearest.
template <class Level> Image quantised(const Image &picture, Depth depth) {
    const int channels = picture.format().channels;
    Image result(picture.width(), picture.height(), {depth, channels});
    for (int y = 0; y < picture.height(); ++y) {
        const float *from = picture.view().row<float>(y);
        Level *to = result.view().row<Level>(y);
        for (int index = 0; index < picture.width() * channels; ++index)
            to[index] = static_cast<Level>(std::lround(double(from[index]) * nominalMaximum(depth)));
    }
    return result;
}

// Half the size, each pixel the mean of four.
Image halved(const Image &picture) {
    const int channels = picture.format().channels;
    Image result(picture.width() / 2, picture.height() / 2, picture.format());
    for (int y = 0; y < result.height(); ++y) {
        const float *upper = picture.view().row<float>(2 * y), *lower = picture.view().row<float>(2 * y + 1);
        float *to = result.view().row<float>(y);
        for (int x = 0; x < result.width(); ++x)
            for (int channel = 0; channel < channels; ++channel) {
                const int left = 2 * x * channels + channel, right = left + channels;
                to[x * channels + channel] = 0.25f * (upper[left] + upper[right] + lower[left] + lower[right]);
            }
    }
    return result;
}

// 1 to 16, row by row: the picture of the worked example in the help.
Image counting() {
    Image picture(4, 4, {Depth::U8, 1});
    for (int index = 0; index < 16; ++index)
        picture.view().row<std::uint8_t>(index / 4)[index % 4] = static_cast<std::uint8_t>(index + 1);
    return picture;
}

void save(const Image &picture, const std::filesystem::path &path, int quality = 92) {
    saveImage(picture, path, {.format = {}, .quality = quality, .overwrite = true});
    std::printf("%s  %dx%d, %d x %s bit\n", path.c_str(), picture.width(), picture.height(), picture.format().channels,
                depthName(picture.format().depth));
}

void makeAll(const std::filesystem::path &directory) {
    std::filesystem::create_directories(directory);
    const Image chart = drawChart();
    save(quantised<std::uint8_t>(chart, Depth::U8), directory / "chart.png");
    save(quantised<std::uint16_t>(chart, Depth::U16), directory / "chart-16bit.png");
    const Image light = renderLandscape(1600, 1000);
    save(developPhotograph(light), directory / "lake.jpg", 95);
    save(halved(light), directory / "lake-hdr.pfm");
    save(counting(), directory / "counting-4x4.pgm");
}

} // namespace

} // namespace tessera::samples

int main(int argumentCount, char **arguments) {
    const std::string_view folder = argumentCount == 2 ? arguments[1] : "";
    const bool help = folder == "-h" || folder == "--help";
    if (help || folder.empty() || folder.starts_with('-')) {
        std::fprintf(help ? stdout : stderr, "usage: tessera-samples DIRECTORY\n");
        return help ? 0 : 2;
    }
    try {
        tessera::samples::makeAll(arguments[1]);
        return 0;
    } catch (const tessera::Error &error) {
        std::fprintf(stderr, "tessera-samples: %s\n", error.fullText().c_str());
    } catch (const std::exception &error) {
        std::fprintf(stderr, "tessera-samples: %s\n", error.what());
    }
    return 1;
}
