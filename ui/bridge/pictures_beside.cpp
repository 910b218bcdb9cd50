#include "ui/bridge/pictures_beside.h"

#include "app/core/error.h"
#include "app/image/display_name.h"
#include "ui/bridge/interruptible.h"
#include "ui/bridge/lossless.h"

#include <string>

namespace tessera {

namespace fs = std::filesystem;

PicturesBeside::PicturesBeside(const fs::path &session) : folder_(session) { folder_ += "-pictures"; }

PicturesBeside::~PicturesBeside() {
    if (kept_)
        return;
    std::error_code ignored;
    for (const fs::path &file : written_)
        fs::remove(file, ignored);
    if (made_)
        fs::remove(folder_, ignored); // only where nothing else has come into it
}

fs::path PicturesBeside::add(const SharedImage &picture, const RunControl &control) {
    control.checkpoint();
    std::error_code failure;
    made_ = fs::create_directory(folder_, failure) || made_;
    if (failure || !fs::is_directory(folder_, failure))
        throw Error(ErrorKind::Output,
                    "the folder " + displayName(folder_) + " for pictures without a file cannot be made" +
                        (failure ? ": " + failure.message() : std::string()),
                    "choose another place for the session");
    const std::string extension = losslessExtension(picture->format().depth);
    fs::path file;
    do
        file = folder_ / ("picture-" + std::to_string(next_++) + "." + extension);
    while (fs::exists(fs::symlink_status(file)));
    saveInterruptibly(picture, file, {}, control); // refuses to replace what another program puts there meanwhile
    written_.push_back(file);
    return file;
}

} // namespace tessera
