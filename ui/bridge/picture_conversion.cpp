#include "ui/bridge/picture_conversion.h"

#include "app/core/error.h"
#include "app/session/display.h"

#include <QObject>

#include <algorithm>
#include <cstring>

namespace tessera {

namespace {

struct Layout {
    QImage::Format format;
    PixelFormat pixels;
    int storedChannels; // Qt has no 16-bit RGB without a fourth channel
};

Layout layoutFor(const QImage &image) {
    const bool alpha = image.hasAlphaChannel();
    const bool deep = image.depth() == 64 || image.format() == QImage::Format_Grayscale16;
    if (image.isGrayscale() && !alpha)
        return deep ? Layout{QImage::Format_Grayscale16, {Depth::U16, 1}, 1}
                    : Layout{QImage::Format_Grayscale8, {Depth::U8, 1}, 1};
    if (deep)
        return alpha ? Layout{QImage::Format_RGBA64, {Depth::U16, 4}, 4}
                     : Layout{QImage::Format_RGBX64, {Depth::U16, 3}, 4};
    return alpha ? Layout{QImage::Format_RGBA8888, {Depth::U8, 4}, 4}
                 : Layout{QImage::Format_RGB888, {Depth::U8, 3}, 3};
}

// One row between layouts that differ at most by a fourth channel of padding, all ones.
void copyPixels(const uchar *from, int fromBytes, uchar *to, int toBytes, int width) {
    if (fromBytes == toBytes) {
        std::memcpy(to, from, std::size_t(width) * std::size_t(fromBytes));
        return;
    }
    const auto common = std::size_t(std::min(fromBytes, toBytes));
    for (int x = 0; x < width; ++x) {
        std::memcpy(to + x * toBytes, from + x * fromBytes, common);
        if (fromBytes < toBytes)
            std::memset(to + x * toBytes + fromBytes, 0xff, std::size_t(toBytes - fromBytes));
    }
}

[[noreturn]] void refuseTooLarge() {
    throw Error(ErrorKind::Limit, QObject::tr("the picture is too large for the clipboard").toStdString(),
                QObject::tr("save it as a file instead").toStdString());
}

} // namespace

Image fromQImage(const QImage &image) {
    if (image.isNull())
        throw Error(ErrorKind::Input, QObject::tr("the clipboard holds no picture").toStdString(),
                    QObject::tr("copy a picture first").toStdString());
    const Layout layout = layoutFor(image);
    const QImage source = image.convertToFormat(layout.format);
    Image result(source.width(), source.height(), layout.pixels);
    const int bytes = layout.pixels.bytesPerPixel(),
              stride = bytesPerSample(layout.pixels.depth) * layout.storedChannels;
    for (int y = 0; y < source.height(); ++y)
        copyPixels(source.constScanLine(y), stride, result.view().row<uchar>(y), bytes, source.width());
    return result;
}

QImage toQImage(const Image &image) {
    QImage result(image.width(), image.height(),
                  image.format().hasAlpha() ? QImage::Format_ARGB32_Premultiplied : QImage::Format_RGB32);
    if (result.isNull())
        refuseTooLarge();
    renderPicture(image, image.view().bounds(), reinterpret_cast<std::uint32_t *>(result.bits()),
                  result.bytesPerLine() / 4);
    return result;
}

QImage toDeepQImage(const Image &image) {
    const PixelFormat pixels = image.format();
    if (pixels.depth == Depth::F32 || pixels.channels == 2) // Qt has no grey with alpha
        return toQImage(image);
    const bool deep = pixels.depth == Depth::U16;
    const QImage::Format format = pixels.channels == 1   ? deep ? QImage::Format_Grayscale16 : QImage::Format_Grayscale8
                                  : pixels.channels == 3 ? deep ? QImage::Format_RGBX64 : QImage::Format_RGB888
                                                         : (deep ? QImage::Format_RGBA64 : QImage::Format_RGBA8888);
    QImage result(image.width(), image.height(), format);
    if (result.isNull())
        refuseTooLarge();
    for (int y = 0; y < image.height(); ++y)
        copyPixels(image.view().row<uchar>(y), pixels.bytesPerPixel(), result.scanLine(y), result.depth() / 8,
                   image.width());
    return result;
}

} // namespace tessera
