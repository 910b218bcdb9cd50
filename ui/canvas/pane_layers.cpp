#include "ui/canvas/pane_layers.h"

namespace tessera {

TileLayer pictureLayer(const PictureStack &stack, std::uint64_t serial, double zoom) {
    const int level = stack.levelForZoom(zoom);
    const SharedImage &image = stack.sharedLevel(level);
    TileLayer layer;
    layer.serial = serial;
    layer.level = level;
    layer.size = {image->width(), image->height()};
    layer.opaque = !image->format().hasAlpha();
    layer.render = [image](const Rectangle &region, std::uint32_t *target, std::ptrdiff_t pitch) {
        renderPicture(*image, region, target, pitch);
    };
    return layer;
}

TileLayer patchLayer(const ResultPatch &patch) {
    TileLayer layer;
    layer.serial = patch.serial;
    layer.level = patch.level;
    layer.offset = {patch.region.x, patch.region.y};
    layer.size = {patch.pixels->width(), patch.pixels->height()};
    layer.opaque = !patch.pixels->format().hasAlpha();
    layer.render = [image = patch.pixels](const Rectangle &region, std::uint32_t *target, std::ptrdiff_t pitch) {
        renderPicture(*image, region, target, pitch);
    };
    return layer;
}

namespace {

// One serial for each combination that shows differently; the top bit keeps it apart from pictures' serials.
std::uint64_t differenceSerial(const CanvasContent &content, std::uint64_t picture) {
    return (std::uint64_t(1) << 63) | picture << 20 | std::uint64_t(content.difference) << 16 |
           std::uint64_t(content.gain * 16);
}

} // namespace

TileLayer differenceLayer(const CanvasContent &content, double zoom) {
    const int level = content.before.levelForZoom(zoom);
    const SharedImage &before = content.before.sharedLevel(level), &after = content.after.sharedLevel(level);
    TileLayer layer;
    layer.serial = differenceSerial(content, content.afterSerial);
    layer.level = level;
    layer.size = {before->width(), before->height()};
    layer.render = [before, after, mode = content.difference,
                    gain = content.gain](const Rectangle &region, std::uint32_t *target, std::ptrdiff_t pitch) {
        renderDifference(*before, *after, region, mode, gain, target, pitch);
    };
    return layer;
}

TileLayer patchDifferenceLayer(const CanvasContent &content) {
    const ResultPatch &patch = *content.patch;
    TileLayer layer = patchLayer(patch);
    layer.serial = differenceSerial(content, patch.serial);
    layer.opaque = true;
    layer.render = [before = content.before.sharedLevel(patch.level), after = patch.pixels, at = layer.offset,
                    mode = content.difference,
                    gain = content.gain](const Rectangle &region, std::uint32_t *target, std::ptrdiff_t pitch) {
        const Rectangle inBefore{region.x + at.x(), region.y + at.y(), region.width, region.height};
        renderDifference(before->view().part(inBefore), after->view().part(region), mode, gain, target, pitch);
    };
    return layer;
}

} // namespace tessera
