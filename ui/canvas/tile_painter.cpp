#include "ui/canvas/tile_painter.h"

#include <algorithm>
#include <atomic>
#include <cmath>

namespace tessera {

namespace {
constexpr int cacheKiB = 192 * 1024; // some 700 tiles: three panes of a 4K screen and a good part of the last view

int screenEdge(double value) { return int(std::lround(std::clamp(value, -1e9, 1e9))); }
} // namespace

TilePainter::TilePainter() : tiles_(cacheKiB) {}

std::uint64_t TilePainter::nextSerial() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
}

const QImage &TilePainter::tile(const TileLayer &layer, int x, int y) {
    const Key key{layer.serial, layer.level, x, y};
    if (const QImage *known = tiles_.object(key))
        return *known;
    const Rectangle region{x * tileSide, y * tileSide, std::min(tileSide, layer.size.width() - x * tileSide),
                           std::min(tileSide, layer.size.height() - y * tileSide)};
    auto image = std::make_unique<QImage>(region.width, region.height,
                                          layer.opaque ? QImage::Format_RGB32 : QImage::Format_ARGB32_Premultiplied);
    layer.render(region, reinterpret_cast<std::uint32_t *>(image->bits()), image->bytesPerLine() / 4);
    uncached_ = *image; // shared, not copied; survives should the cache refuse the tile
    tiles_.insert(key, image.release(), tileSide * tileSide * 4 / 1024);
    return uncached_;
}

void TilePainter::draw(QPainter &painter, const TileLayer &layer, const ScreenMapping &mapping, const QRect &clip) {
    if (layer.size.isEmpty() || clip.isEmpty())
        return;
    const double side = std::ldexp(1.0, layer.level); // picture pixels a level pixel
    const QPointF first = mapping.toPicture(QPointF(clip.topLeft())) / side - QPointF(layer.offset);
    const QPointF last = mapping.toPicture(QPointF(clip.right() + 1, clip.bottom() + 1)) / side - QPointF(layer.offset);
    const auto range = [](double from, double to, int size) {
        const double low = std::clamp(std::floor(from), 0.0, double(size)),
                     high = std::clamp(std::ceil(to), 0.0, double(size));
        return std::pair(int(low) / tileSide, low < high ? (int(high) - 1) / tileSide : -1);
    };
    const auto [firstX, lastX] = range(first.x(), last.x(), layer.size.width());
    const auto [firstY, lastY] = range(first.y(), last.y(), layer.size.height());
    // Enlarged pixels stay squares; reduced ones are averaged.
    painter.setRenderHint(QPainter::SmoothPixmapTransform, mapping.zoom * side < 0.999);
    for (int y = firstY; y <= lastY; ++y)
        for (int x = firstX; x <= lastX; ++x)
            drawTile(painter, layer, x, y, mapping, clip);
}

void TilePainter::drawTile(QPainter &painter, const TileLayer &layer, int x, int y, const ScreenMapping &mapping,
                           const QRect &clip) {
    const QImage &image = tile(layer, x, y);
    const double scale = mapping.zoom * std::ldexp(1.0, layer.level);
    const double originX = mapping.origin.x() + scale * (layer.offset.x() + double(x) * tileSide);
    const double originY = mapping.origin.y() + scale * (layer.offset.y() + double(y) * tileSide);
    // The visible pixels of the tile only: at 6400 % a whole tile would be wider than QPainter's coordinates.
    const int left = std::clamp(int(std::floor((clip.left() - originX) / scale)), 0, image.width());
    const int top = std::clamp(int(std::floor((clip.top() - originY) / scale)), 0, image.height());
    const int right = std::clamp(int(std::ceil((clip.right() + 1 - originX) / scale)), 0, image.width());
    const int bottom = std::clamp(int(std::ceil((clip.bottom() + 1 - originY) / scale)), 0, image.height());
    if (left >= right || top >= bottom)
        return;
    // Edges are rounded from absolute positions, so that neighbours meet without a gap.
    const QPoint from(screenEdge(originX + left * scale), screenEdge(originY + top * scale));
    const QPoint to(screenEdge(originX + right * scale), screenEdge(originY + bottom * scale));
    painter.drawImage(QRect(from, QSize(to.x() - from.x(), to.y() - from.y())), image,
                      QRect(left, top, right - left, bottom - top));
}

} // namespace tessera
