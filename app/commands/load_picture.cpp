#include "app/commands/load_picture.h"

#include "app/commands/text.h"

namespace tessera {

Image loadPicture(const std::filesystem::path &path, const LoadLimits &limits, Console &console) {
    Image image = loadImage(path, limits);
    if (!image.metadata.narrowed.empty())
        console.info(displayText(path.native()) + ": " + narrowingNote(image.metadata.narrowed));
    return image;
}

} // namespace tessera
