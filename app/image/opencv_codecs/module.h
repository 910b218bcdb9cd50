/* The C interface between Tessera and its optional codec module (libtessera-opencv-codecs.so). Plain C, so that
 * neither exceptions nor the layout of C++ types cross it. */
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TESSERA_CODECS_ABI 2

/* What the functions return. */
enum TesseraOutcome {
    TESSERA_DONE = 1,
    TESSERA_REFUSED = 0,    /* the picture cannot be read or written */
    TESSERA_NO_MEMORY = -1, /* for it */
    TESSERA_NO_PLACE = -2   /* for OpenCV's own copy in the temporary folder */
};

/* Interleaved samples, alpha last, RGB order. bytesPerSample: 1 and 2 are unsigned integers, 4 is float. */
struct TesseraPixels {
    void *data;
    ptrdiff_t pitch;
    int width, height, channels, bytesPerSample;
};

/* Asked once, when the shape is known: sets data and pitch. Returns 0 to give up. */
typedef int (*TesseraAllocate)(void *context, struct TesseraPixels *pixels);

/* Takes the encoded file. Returns 0 to give up. */
typedef int (*TesseraSink)(void *context, const void *data, size_t size);

/* Both return a TesseraOutcome, with a sentence in `error` unless done. */
int tesseraCodecsAbi(void);
int tesseraCodecsDecode(const void *file, size_t size, TesseraAllocate allocate, void *context, char *error,
                        size_t errorSize);
int tesseraCodecsEncode(const struct TesseraPixels *pixels, const char *extension, int quality, TesseraSink sink,
                        void *context, char *error, size_t errorSize);

#ifdef __cplusplus
}
#endif
