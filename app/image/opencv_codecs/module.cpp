#include "app/image/opencv_codecs/module.h"

#include "app/image/opencv_codecs/scratch.h"

#include <climits>
#include <opencv2/core.hpp>
#include <opencv2/core/utils/logger.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace tessera;

struct NoPlace : std::runtime_error {
    using runtime_error::runtime_error;
};

// The module's functions may throw within; nothing leaves them but a return value and a sentence.
template <class Body> int guarded(char *error, std::size_t errorSize, const Body &body) {
    const scratch::QuietErrors quiet;
    try {
        cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT); // errors are reported by the caller
        body();
        return TESSERA_DONE;
    } catch (const NoPlace &failure) {
        std::snprintf(error, errorSize, "%s", failure.what());
        return TESSERA_NO_PLACE;
    } catch (const std::bad_alloc &) {
        std::snprintf(error, errorSize, "no memory for the picture");
        return TESSERA_NO_MEMORY;
    } catch (const cv::Exception &failure) {
        if (failure.code == cv::Error::StsNoMem) {
            std::snprintf(error, errorSize, "no memory for the picture");
            return TESSERA_NO_MEMORY;
        }
        std::snprintf(error, errorSize, "%s", failure.err.c_str());
    } catch (const std::exception &failure) {
        std::snprintf(error, errorSize, "%s", failure.what());
    } catch (...) {
        std::snprintf(error, errorSize, "an unknown failure");
    }
    return TESSERA_REFUSED;
}

// Its library reads and writes files only: OpenCV makes a temporary one of what is in memory.
bool isOpenExr(const void *file, std::size_t size) {
    return size >= 4 && std::memcmp(file, "\x76\x2f\x31\x01", 4) == 0;
}

cv::Mat decoded(const void *file, std::size_t size) {
    const bool exr = isOpenExr(file, size);
    if (exr)
        if (const scratch::MemoryFile copy(file, size); !copy.name().empty())
            return cv::imread(copy.name(), cv::IMREAD_UNCHANGED);
    if (size > std::size_t(INT_MAX))
        throw std::runtime_error("files above 2 GiB cannot be read by OpenCV");
    const cv::Mat picture = cv::imdecode(cv::Mat(1, int(size), CV_8U, const_cast<void *>(file)), cv::IMREAD_UNCHANGED);
    if (picture.empty() && exr)
        if (const std::string why = scratch::whyNoTemporary(size); !why.empty())
            throw NoPlace(why);
    return picture;
}

// OpenCV and its libraries fail in ways of their own where the temporary folder does.
bool encoded(const char *extension, const cv::Mat &picture, std::vector<unsigned char> &file,
             const std::vector<int> &parameters) {
    std::exception_ptr failure;
    try {
        if (cv::imencode(extension, picture, file, parameters) && !file.empty())
            return true;
    } catch (...) {
        failure = std::current_exception();
    }
    if (const std::string why = scratch::whyNoTemporary(picture.total() * picture.elemSize()); !why.empty())
        throw NoPlace(why);
    if (failure)
        std::rethrow_exception(failure);
    return false;
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
        const cv::Mat picture = decoded(file, size);
        if (picture.empty())
            throw std::runtime_error("the content is damaged, cut off or of a kind that OpenCV does not read");
        TesseraPixels pixels{
            nullptr, 0, picture.cols, picture.rows, picture.channels(), bytesPerSample(picture.depth())};
        if (!allocate(context, &pixels))
            throw std::bad_alloc();
        cv::Mat target = wrap(pixels);
        exchangeRedAndBlue(picture, target);
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
        std::vector<unsigned char> file;
        if (!encoded(extension, ordered, file, parameters))
            throw std::runtime_error("OpenCV cannot write this picture");
        if (!sink(context, file.data(), file.size()))
            throw std::bad_alloc();
    });
}
