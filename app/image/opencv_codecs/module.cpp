#include "app/image/opencv_codecs/module.h"

#include <climits>
#include <opencv2/core.hpp>
#include <opencv2/core/utils/logger.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

// The module's functions may throw within; nothing leaves them but a return value and a sentence.
template <class Body> int guarded(char *error, std::size_t errorSize, const Body &body) {
    try {
        cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT); // errors are reported by the caller
        body();
        return 1;
    } catch (const cv::Exception &failure) {
        std::snprintf(error, errorSize, "%s", failure.err.c_str());
    } catch (const std::exception &failure) {
        std::snprintf(error, errorSize, "%s", failure.what());
    } catch (...) {
        std::snprintf(error, errorSize, "an unknown failure");
    }
    return 0;
}

int matType(const TesseraPixels &pixels) {
    const int depth = pixels.bytesPerSample == 1 ? CV_8U : pixels.bytesPerSample == 2 ? CV_16U : CV_32F;
    return CV_MAKETYPE(depth, pixels.channels);
}

cv::Mat wrap(const TesseraPixels &pixels) {
    return {pixels.height, pixels.width, matType(pixels), pixels.data, std::size_t(pixels.pitch)};
}

// OpenCV's order is BGR; the exchange is its own inverse.
void exchangeRedAndBlue(const cv::Mat &from, cv::Mat &to) {
    if (from.channels() == 3)
        cv::cvtColor(from, to, cv::COLOR_BGR2RGB);
    else if (from.channels() == 4)
        cv::cvtColor(from, to, cv::COLOR_BGRA2RGBA);
    else
        from.copyTo(to);
}

int bytesPerSample(int depth) {
    switch (depth) {
    case CV_8U:
        return 1;
    case CV_16U:
        return 2;
    case CV_32F:
        return 4;
    default:
        throw std::runtime_error("its samples are neither 8 nor 16 bits nor float");
    }
}

} // namespace

int tesseraCodecsAbi(void) { return TESSERA_CODECS_ABI; }

int tesseraCodecsDecode(const void *file, size_t size, TesseraAllocate allocate, void *context, char *error,
                        size_t errorSize) {
    return guarded(error, errorSize, [&] {
        if (size > std::size_t(INT_MAX))
            throw std::runtime_error("files above 2 GiB cannot be read by OpenCV");
        const cv::Mat bytes(1, int(size), CV_8U, const_cast<void *>(file));
        const cv::Mat decoded = cv::imdecode(bytes, cv::IMREAD_UNCHANGED);
        if (decoded.empty())
            throw std::runtime_error("the content is damaged, cut off or of a kind that OpenCV does not read");
        TesseraPixels pixels{
            nullptr, 0, decoded.cols, decoded.rows, decoded.channels(), bytesPerSample(decoded.depth())};
        if (!allocate(context, &pixels))
            throw std::runtime_error("no memory for the picture");
        cv::Mat target = wrap(pixels);
        exchangeRedAndBlue(decoded, target);
        if (target.data != pixels.data)
            throw std::runtime_error("OpenCV moved the picture");
    });
}

int tesseraCodecsEncode(const TesseraPixels *pixels, const char *extension, int quality, TesseraSink sink,
                        void *context, char *error, size_t errorSize) {
    return guarded(error, errorSize, [&] {
        const cv::Mat source = wrap(*pixels);
        cv::Mat ordered;
        exchangeRedAndBlue(source, ordered);
        std::vector<int> parameters;
        if (std::string_view(extension) == ".webp") // above 100 means lossless to OpenCV
            parameters = {cv::IMWRITE_WEBP_QUALITY, quality >= 100 ? 101 : quality};
        std::vector<unsigned char> encoded;
        if (!cv::imencode(extension, ordered, encoded, parameters))
            throw std::runtime_error("OpenCV cannot write this picture");
        if (!sink(context, encoded.data(), encoded.size()))
            throw std::runtime_error("no memory for the encoded file");
    });
}
