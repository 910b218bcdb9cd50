// One rectangle of the chart, with coordinates of its own. Values are stored ones (not linear light), 0..1.
#pragma once

#include "app/image/image.h"

#include <string_view>

#include "assets/generator/vec3.h"

namespace tessera::samples {

struct Paint {
    Vec3 colour; // x red, y green, z blue
    float alpha = 1;

    Paint() = default;
    constexpr Paint(Vec3 rgb, float opacity = 1) : colour(rgb), alpha(opacity) {}
    constexpr Paint(float grey) : colour{grey, grey, grey} {}
};

class Panel {
public:
    // `picture` holds four floats a pixel.
    Panel(Image &picture, Rectangle area) : view_(picture.view().part(area)) {}
    Panel part(Rectangle area) const { return Panel(view_.part(area)); }

    int width() const { return view_.width; }
    int height() const { return view_.height; }
    void set(int x, int y, Paint paint) const;

    // function(x, y) -> Paint at pixel centres (0.5, 0.5), (1.5, 0.5), ...
    template <class Function> void fill(const Function &function) const {
        for (int y = 0; y < height(); ++y)
            for (int x = 0; x < width(); ++x)
                set(x, y, function(float(x) + 0.5f, float(y) + 0.5f));
    }
    // The same as the mean of 8x8 samples a pixel: for shapes with hard edges. Opaque paint only.
    template <class Function> void fillSmooth(const Function &function) const {
        constexpr int side = 8;
        fill([&](float x, float y) {
            Vec3 sum;
            for (int sample = 0; sample < side * side; ++sample)
                sum += function(x + (float(sample % side) + 0.5f) / side - 0.5f,
                                y + (float(sample / side) + 0.5f) / side - 0.5f)
                           .colour;
            return Paint(sum * (1.0f / (side * side)));
        });
    }
    // Lettering with dots of scale x scale pixels; (x, y) is its upper left.
    void write(int x, int y, std::string_view text, int scale, Paint paint) const;

private:
    explicit Panel(PixelView view) : view_(view) {}

    PixelView view_;
};

} // namespace tessera::samples
