#include "assets/generator/panel.h"

#include "assets/generator/bitmap_font.h"

namespace tessera::samples {

void Panel::set(int x, int y, Paint paint) const {
    if (x < 0 || y < 0 || x >= width() || y >= height())
        return;
    float *pixel = view_.row<float>(y) + 4 * x;
    pixel[0] = clamp01(paint.colour.x);
    pixel[1] = clamp01(paint.colour.y);
    pixel[2] = clamp01(paint.colour.z);
    pixel[3] = clamp01(paint.alpha);
}

void Panel::write(int x, int y, std::string_view text, int scale, Paint paint) const {
    for (int row = 0; row < glyphHeight * scale; ++row)
        for (int column = 0; column < textWidth(text) * scale; ++column)
            if (textDot(text, column / scale, row / scale))
                set(x + column, y + row, paint);
}

} // namespace tessera::samples
