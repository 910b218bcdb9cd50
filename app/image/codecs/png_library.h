// What reading and writing share of libpng, whose errors jump (setjmp/longjmp).
#pragma once

#include <csetjmp>
#include <cstdio>
#include <png.h>

namespace tessera::codecs {

struct PngMessage {
    char text[160] = "";
};

extern "C" inline void tesseraPngError(png_structp png, png_const_charp text) {
    auto *message = static_cast<PngMessage *>(png_get_error_ptr(png));
    std::snprintf(message->text, sizeof(message->text), "%s", text);
    png_longjmp(png, 1);
}

extern "C" inline void tesseraPngWarning(png_structp, png_const_charp) {} // what harms pixels is an error already

// Runs `step` and says whether libpng left it by a jump. A jump runs no destructors: `step` must own nothing.
template <class Step> bool pngSucceeds(png_structp png, const Step &step) {
    if (setjmp(png_jmpbuf(png)))
        return false;
    step();
    return true;
}

} // namespace tessera::codecs
