#include "ui/bridge/picture_conversion.h"

#include "app/core/error.h"
#include "app/session/display.h"

#include <QObject>

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
    for (int y = 0; y < source.height(); ++y) {
        const uchar *from = source.constScanLine(y);
        auto *to = result.view().row<unsigned char>(y);
        if (bytes == stride)
            std::memcpy(to, from, std::size_t(source.width()) * std::size_t(bytes));
        else
            for (int x = 0; x < source.width(); ++x)
                std::memcpy(to + x * bytes, from + x * stride, std::size_t(bytes));
    }
    return result;
}

QImage toQImage(const Image &image) {
    QImage result(image.width(), image.height(),
                  image.format().hasAlpha() ? QImage::Format_ARGB32_Premultiplied : QImage::Format_RGB32);
    if (result.isNull())
        throw Error(ErrorKind::Limit, QObject::tr("the picture is too large for the clipboard").toStdString(),
                    QObject::tr("save it as a file instead").toStdString());
    renderPicture(image, image.view().bounds(), reinterpret_cast<std::uint32_t *>(result.bits()),
                  result.bytesPerLine() / 4);
    return result;
}

} // namespace tessera
