// What reading and writing share of libjpeg-turbo, whose errors jump (setjmp/longjmp).
#pragma once

#include "app/image/codecs/codec.h"

#include <csetjmp>
#include <cstddef>
#include <cstdio> // jpeglib.h needs FILE and size_t
#include <jerror.h>
#include <jpeglib.h>
#include <string>

namespace tessera::codecs {

struct JpegErrors {
    jpeg_error_mgr manager; // first, so that a pointer to it is one to the whole
    std::jmp_buf jump;
    char text[JMSG_LENGTH_MAX];
    bool truncated;
};

extern "C" inline void tesseraJpegError(j_common_ptr codec) {
    auto *errors = reinterpret_cast<JpegErrors *>(codec->err);
    codec->err->format_message(codec, errors->text);
    std::longjmp(errors->jump, 1);
}

// libjpeg warns where it makes pixels up: behind the end of a cut file, after a broken code. Such pictures are refused.
// The remaining warnings concern bytes that no pixel depends on.
extern "C" inline void tesseraJpegMessage(j_common_ptr codec, int level) {
    if (level >= 0)
        return;
    switch (codec->err->msg_code) {
    case JWRN_ADOBE_XFORM:
    case JWRN_EXTRANEOUS_DATA:
    case JWRN_JFIF_MAJOR:
    case JWRN_BOGUS_ICC:
        return;
    case JWRN_JPEG_EOF:
    case JWRN_HIT_MARKER:
        reinterpret_cast<JpegErrors *>(codec->err)->truncated = true;
        break;
    default:
        break;
    }
    tesseraJpegError(codec);
}

inline jpeg_error_mgr *setUpJpegErrors(JpegErrors &errors) {
    errors = JpegErrors{};
    jpeg_std_error(&errors.manager);
    errors.manager.error_exit = tesseraJpegError;
    errors.manager.emit_message = tesseraJpegMessage;
    return &errors.manager;
}

// Runs `step` and says whether libjpeg left it by a jump. A jump runs no destructors: `step` must own nothing.
template <class Step> bool jpegSucceeds(JpegErrors &errors, const Step &step) {
    if (setjmp(errors.jump))
        return false;
    step();
    return true;
}

// The same for reading `source`: a jump becomes the error that the file deserves.
template <class Step> void readJpeg(JpegErrors &errors, const Source &source, const Step &step) {
    if (jpegSucceeds(errors, step))
        return;
    const std::string what = std::string("JPEG: ") + errors.text;
    if (errors.truncated)
        failTruncated(source, what);
    failDamaged(source, what);
}

} // namespace tessera::codecs
