#include "ui/canvas/pixel_overlay.h"

#include "app/session/tap_sum.h"
#include "ui/window/theme.h"

#include <QCache>
#include <QPixmap>
#include <QStaticText>

#include <algorithm>
#include <cmath>

namespace tessera {

namespace {

constexpr int captionMargin = 8, captionPadX = 8, captionPadY = 4;

double valueAt(const GridPicture &picture, QPoint pixel, const PixelValues &values, int channel) {
    if (!picture.subtract)
        return values.value[channel];
    // Depths may differ: in the result's units.
    const double scale =
        nominalMaximum(picture.image->format().depth) / nominalMaximum(picture.subtract->format().depth);
    return values.value[channel] - scale * pixelAt(picture.subtract->view(), pixel.x(), pixel.y()).value[channel];
}

// Black or white, whichever reads better on the pixel.
QColor inkFor(const GridPicture &picture, QPoint pixel) {
    std::uint32_t word = 0;
    const Rectangle inImage{pixel.x() - picture.offset.x(), pixel.y() - picture.offset.y(), 1, 1};
    if (picture.subtract)
        renderDifference(picture.subtract->view().part({pixel.x(), pixel.y(), 1, 1}),
                         picture.image->view().part(inImage), picture.difference, picture.gain, &word, 1);
    else
        renderPicture(*picture.image, inImage, &word, 1);
    const QColor shown = QColor::fromRgb(word | 0xff000000u);
    const bool bright = 0.2126 * shown.redF() + 0.7152 * shown.greenF() + 0.0722 * shown.blueF() > 0.5;
    return bright ? QColor(0, 0, 0, 200) : QColor(255, 255, 255, 210);
}

QString numberOf(double value, Depth depth, bool isDifference) {
    const QString text =
        depth == Depth::F32 ? QString::number(value, 'g', 3) : QString::fromStdString(formatSample(value, depth));
    return isDifference && value > 0 ? QLatin1Char('+') + text : text;
}

// Numbers come again and again, from pixel to pixel and from frame to frame: each is laid out once a font.
class LaidOutNumbers {
public:
    const QStaticText &of(const QString &number, const QPainter &painter) {
        if (font_ != painter.font()) {
            known_.clear();
            font_ = painter.font();
        }
        if (const QStaticText *text = known_.object(number))
            return *text;
        auto *text = new QStaticText(number);
        text->setTextFormat(Qt::PlainText);
        text->setPerformanceHint(QStaticText::AggressiveCaching);
        text->prepare(painter.transform(), font_);
        known_.insert(number, text);
        return *text;
    }

private:
    QFont font_;
    QCache<QString, QStaticText> known_{4096};
};

void paintNumbers(QPainter &painter, const GridPicture &picture, const ScreenMapping &map, const QRect &pixels,
                  double ratio) {
    const PixelFormat format = picture.image->format();
    const int channels = picture.subtract ? format.colourChannels() : format.channels;
    QFont font = smallFont();
    const double room = map.zoom / (channels + 0.6); // height of a line
    font.setPixelSize(int(std::clamp(room * 0.9, 1.0, 11 * ratio)));
    painter.setFont(font);
    QString widest = QLatin1String(format.depth == Depth::F32 ? "0.0000" : format.depth == Depth::U8 ? "000" : "00000");
    if (picture.subtract)
        widest += QLatin1Char('+');
    const QFontMetrics metrics(font);
    if (metrics.height() > room * 1.25 || metrics.horizontalAdvance(widest) > map.zoom * 0.92 ||
        font.pixelSize() < 7 * ratio)
        return;
    static LaidOutNumbers numbers; // used from the interface's thread alone
    const double step = metrics.lineSpacing();
    for (int y = pixels.top(); y <= pixels.bottom(); ++y)
        for (int x = pixels.left(); x <= pixels.right(); ++x) {
            const PixelValues values = pixelAt(picture.image->view(), x - picture.offset.x(), y - picture.offset.y());
            painter.setPen(inkFor(picture, {x, y}));
            double top = map.screenY(y) + (map.zoom - channels * step) / 2;
            for (int c = 0; c < channels; ++c, top += step) {
                const QStaticText &text =
                    numbers.of(numberOf(valueAt(picture, {x, y}, values, c), format.depth, picture.subtract), painter);
                painter.drawStaticText(QPointF(map.screenX(x) + (map.zoom - text.size().width()) / 2, top), text);
            }
        }
}

// Lines that are too wide for the pane are cut; of a sum the terms, not what they come to.
QStringList captionLines(const QString &text, const QRect &pane, const QFontMetrics &metrics) {
    QStringList lines = text.split(QLatin1Char('\n'));
    for (QString &line : lines)
        line = elidedSum(line, metrics, pane.width() - 2 * (captionMargin + captionPadX));
    return lines;
}

QRect captionBox(const QStringList &lines, const QRect &pane, Qt::Alignment alignment, const QFontMetrics &metrics) {
    int widest = 0;
    for (const QString &line : lines)
        widest = std::max(widest, metrics.horizontalAdvance(line));
    const QSize size(widest + 2 * captionPadX, int(lines.size()) * metrics.lineSpacing() + 2 * captionPadY);
    const int x =
        alignment & Qt::AlignRight ? pane.right() + 1 - captionMargin - size.width() : pane.left() + captionMargin;
    const int y =
        alignment & Qt::AlignBottom ? pane.bottom() + 1 - captionMargin - size.height() : pane.top() + captionMargin;
    return QRect(QPoint(x, y), size);
}

} // namespace

QString elidedSum(const QString &line, const QFontMetrics &metrics, int width) {
    if (!line.startsWith(QChar(0x3a3)) || metrics.horizontalAdvance(line) <= width)
        return metrics.elidedText(line, Qt::ElideRight, width);
    // With the divisor where both have room, else the result alone.
    for (const QString &before : {QStringLiteral(") / "), QStringLiteral(" = ")}) {
        const qsizetype from = line.lastIndexOf(before);
        if (from < 0)
            continue;
        const QString result = line.mid(from);
        const int room = width - metrics.horizontalAdvance(result);
        const QString sign = QStringLiteral("Σ…");
        if (room >= metrics.horizontalAdvance(sign))
            return metrics.elidedText(line.left(from), Qt::ElideRight, room) + result;
    }
    return line.mid(line.lastIndexOf(QLatin1Char('=')));
}

QRect captionRect(const QString &text, const QRect &pane, Qt::Alignment alignment) {
    const QFontMetrics metrics(smallFont());
    return captionBox(captionLines(text, pane, metrics), pane, alignment, metrics);
}

void paintOverlayBox(QPainter &painter, const QRect &box) {
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme().overlay);
    painter.drawRoundedRect(box, 4, 4);
    painter.setPen(theme().overlayText);
}

void paintCaption(QPainter &painter, const QString &text, const QRect &pane, Qt::Alignment alignment) {
    painter.save();
    painter.setFont(smallFont());
    const QFontMetrics metrics = painter.fontMetrics();
    const QStringList lines = captionLines(text, pane, metrics);
    const QRect box = captionBox(lines, pane, alignment, metrics);
    paintOverlayBox(painter, box);
    painter.drawText(box.adjusted(captionPadX, captionPadY, -captionPadX, -captionPadY),
                     Qt::AlignLeft | Qt::AlignVCenter, lines.join(QLatin1Char('\n')));
    painter.restore();
}

void paintSplitHandle(QPainter &painter, const QRect &pane, double position) {
    const double x = pane.left() + position * pane.width();
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme().overlay, 3));
    painter.drawLine(QPointF(x, pane.top()), QPointF(x, pane.bottom()));
    painter.setPen(QPen(theme().overlayText, 1));
    painter.drawLine(QPointF(x, pane.top()), QPointF(x, pane.bottom()));
    painter.setBrush(theme().overlay);
    painter.drawEllipse(QPointF(x, pane.center().y()), 9, 9);
    const double y = pane.center().y();
    for (const double side : {-1.0, 1.0}) {
        painter.drawLine(QPointF(x + side * 5.5, y), QPointF(x + side * 2.5, y - 3));
        painter.drawLine(QPointF(x + side * 5.5, y), QPointF(x + side * 2.5, y + 3));
    }
    painter.restore();
}

void paintCheckerboard(QPainter &painter, const QRect &clip, double ratio) {
    const int field = std::max(1, int(std::lround(8 * ratio)));
    QPixmap tile(2 * field, 2 * field);
    tile.fill(theme().checkerA);
    QPainter tilePainter(&tile);
    tilePainter.fillRect(0, 0, field, field, theme().checkerB);
    tilePainter.fillRect(field, field, field, field, theme().checkerB);
    tilePainter.end();
    painter.drawTiledPixmap(clip, tile, clip.topLeft());
}

void paintPixelGrid(QPainter &painter, const GridPicture &picture, const ScreenMapping &map, const QRect &clip,
                    double ratio, std::optional<QPoint> hover) {
    if (map.zoom < gridZoom * ratio)
        return;
    const QPointF from = map.toPicture(clip.topLeft()),
                  to = map.toPicture(QPointF(clip.right() + 1, clip.bottom() + 1));
    const QRect pixels = QRect(QPoint(int(std::floor(from.x())), int(std::floor(from.y()))),
                               QPoint(int(std::ceil(to.x())) - 1, int(std::ceil(to.y())) - 1)) &
                         QRect(picture.offset, QSize(picture.image->width(), picture.image->height()));
    if (pixels.isEmpty())
        return;
    QColor line = theme().dark ? QColor(0, 0, 0) : QColor(255, 255, 255);
    line.setAlphaF(float(std::clamp((map.zoom / ratio - gridZoom) / 24, 0.12, 0.4)));
    for (int x = pixels.left(); x <= pixels.right() + 1; ++x)
        painter.fillRect(QRectF(std::round(map.screenX(x)), clip.top(), 1, clip.height()), line);
    for (int y = pixels.top(); y <= pixels.bottom() + 1; ++y)
        painter.fillRect(QRectF(clip.left(), std::round(map.screenY(y)), clip.width(), 1), line);
    paintNumbers(painter, picture, map, pixels, ratio);
    if (hover && pixels.contains(*hover)) {
        painter.setPen(QPen(theme().focus, 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(QRectF(map.screenX(hover->x()), map.screenY(hover->y()), map.zoom, map.zoom));
    }
}

QString describePixel(const QString &prefix, const Image &image, QPoint pixel) {
    static const char *const names[4][4] = {
        {"", "", "", ""}, {"", "A", "", ""}, {"R", "G", "B", ""}, {"R", "G", "B", "A"}};
    const PixelFormat format = image.format();
    if (!QRect(0, 0, image.width(), image.height()).contains(pixel))
        return prefix;
    const PixelValues values = pixelAt(image.view(), pixel.x(), pixel.y());
    QString text = prefix + QLatin1Char(' ');
    for (int c = 0; c < values.channels; ++c)
        text += QStringLiteral("  %1 %2")
                    .arg(QLatin1String(names[format.channels - 1][c]),
                         QString::fromStdString(formatSample(values.value[c], format.depth)))
                    .replace(QStringLiteral("   "), QStringLiteral("  "));
    return text;
}

QString describeSum(const Image &before, const FilterStep &step, QPoint pixel, int channel) {
    if (!QRect(0, 0, before.width(), before.height()).contains(pixel))
        return {};
    try {
        static const char *const names[] = {"R ", "G ", "B "};
        const int colours = before.format().colourChannels(), colour = std::clamp(channel, 0, colours - 1);
        const TapSum sum = explainPixel(before.view(), step, pixel.x(), pixel.y(), colour);
        QString text = QStringLiteral("Σ %1%2").arg(QLatin1String(colours > 1 ? names[colour] : ""),
                                                    QString::fromStdString(tapSumText(sum)));
        if (!sum.caveat.empty())
            text += QStringLiteral("\n(%1)").arg(QString::fromStdString(sum.caveat));
        return text;
    } catch (const Error &) {
        return {}; // contradictory options: the message bar has said so
    }
}

} // namespace tessera
