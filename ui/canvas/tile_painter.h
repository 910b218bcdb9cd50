// Draws pictures of any size a tile at a time: only what is visible is converted, what was converted is kept.
#pragma once

#include "app/image/image.h"

#include <QCache>
#include <QImage>
#include <QPainter>

#include <cstdint>
#include <functional>

namespace tessera {

// From picture to screen pixels: screen = origin + picture * zoom.
struct ScreenMapping {
    QPointF origin;
    double zoom = 1;
    double screenX(double x) const { return origin.x() + x * zoom; }
    double screenY(double y) const { return origin.y() + y * zoom; }
    QPointF toPicture(QPointF screen) const { return (screen - origin) / zoom; }
};

// Something that can be drawn: a zoom level of a picture, of a difference, or a part of one.
struct TileLayer {
    std::uint64_t serial = 0; // differs wherever the pixels differ
    int level = 0;            // a pixel of it covers 2^level picture pixels
    QPoint offset;            // of its first pixel, in pixels of the level
    QSize size;               // in pixels of the level
    bool opaque = true;
    // Fills `region` (relative to the layer) with words 0xAARRGGBB, premultiplied.
    std::function<void(const Rectangle &region, std::uint32_t *target, std::ptrdiff_t pitch)> render;
};

class TilePainter {
public:
    static constexpr int tileSide = 256;

    TilePainter();

    // Draws the part of the layer that lies inside `clip` (screen pixels; the painter must be in screen pixels too).
    void draw(QPainter &painter, const TileLayer &layer, const ScreenMapping &mapping, const QRect &clip);

    void clear() { tiles_.clear(); }
    static std::uint64_t nextSerial();

private:
    struct Key {
        std::uint64_t serial;
        int level, x, y;
        friend bool operator==(const Key &, const Key &) = default;
        friend size_t qHash(const Key &key, size_t seed) {
            return qHashMulti(seed, key.serial, key.level, key.x, key.y);
        }
    };

    const QImage &tile(const TileLayer &layer, int x, int y);
    void drawTile(QPainter &painter, const TileLayer &layer, int x, int y, const ScreenMapping &mapping,
                  const QRect &clip);

    QCache<Key, QImage> tiles_; // cost in KiB
    QImage uncached_;
};

} // namespace tessera
