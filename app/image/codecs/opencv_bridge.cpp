#include "app/image/codecs/opencv_bridge.h"

#include "app/image/opencv_codecs/module.h"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <new>

namespace tessera::codecs {

namespace {

namespace fs = std::filesystem;

constexpr const char *moduleName = "libtessera-opencv-codecs.so";

// OpenCV refuses OpenEXR unless the environment allows it before its first use. Set before main, while there is one
// thread: setenv may not run beside another thread's getenv.
[[maybe_unused]] const int openExrAllowed = ::setenv("OPENCV_IO_ENABLE_OPENEXR", "1", 0);

// OpenCV has a variable of its own for the folder of its temporary files; what everybody else goes by is passed on.
[[maybe_unused]] const int temporaryFolder = [] {
    const char *folder = std::getenv("TMPDIR");
    return folder && *folder ? ::setenv("OPENCV_TEMP_PATH", folder, 0) : 0;
}();

// Where the module may lie: TESSERA_OPENCV_CODECS names the file itself; else places relative to the program.
std::vector<fs::path> modulePlaces() {
    if (const char *named = std::getenv("TESSERA_OPENCV_CODECS"))
        return {named};
    std::error_code error;
    const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
    if (error)
        return {};
    return {folder / ".." / "lib" / moduleName, folder / ".." / "lib" / "tessera" / moduleName, folder / moduleName};
}

const fs::path &modulePath() {
    static const fs::path found = [] {
        for (const fs::path &place : modulePlaces()) {
            std::error_code error;
            if (fs::is_regular_file(place, error))
                return place;
        }
        return fs::path();
    }();
    return found;
}

struct Module {
    decltype(&tesseraCodecsDecode) decode = nullptr;
    decltype(&tesseraCodecsEncode) encode = nullptr;
    std::string failure; // why it cannot be used; empty where it can
};

Module loadModule() {
    Module module;
    if (modulePath().empty()) {
        module.failure = "OpenCV's codecs are not part of this build";
        return module;
    }
    // Never closed again: the libraries behind it keep threads and caches until the process ends.
    void *handle = ::dlopen(modulePath().c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        module.failure = std::string("OpenCV's codecs cannot be loaded: ") + ::dlerror();
        return module;
    }
    const auto abi = reinterpret_cast<decltype(&tesseraCodecsAbi)>(::dlsym(handle, "tesseraCodecsAbi"));
    module.decode = reinterpret_cast<decltype(&tesseraCodecsDecode)>(::dlsym(handle, "tesseraCodecsDecode"));
    module.encode = reinterpret_cast<decltype(&tesseraCodecsEncode)>(::dlsym(handle, "tesseraCodecsEncode"));
    if (!abi || !module.decode || !module.encode || abi() != TESSERA_CODECS_ABI)
        module.failure = std::string(moduleName) + " belongs to another version of Tessera";
    return module;
}

const Module &module() {
    static const Module loaded = loadModule();
    return loaded;
}

constexpr const char *placeRemedy = "free some space there, or name another folder in TMPDIR";
constexpr const char *memoryRemedy = "close other programs, or use a machine with more memory";
constexpr const char *installRemedy = "install or build Tessera with OpenCV, or use another format";

Depth depthOf(const TesseraPixels &pixels) {
    return pixels.bytesPerSample == 1 ? Depth::U8 : pixels.bytesPerSample == 2 ? Depth::U16 : Depth::F32;
}

// Called by the module: an exception must not cross it.
extern "C" int allocateImage(void *context, TesseraPixels *pixels) {
    try {
        Image &image = *static_cast<Image *>(context);
        image = Image(pixels->width, pixels->height, {depthOf(*pixels), pixels->channels});
        pixels->data = image.view().data;
        pixels->pitch = image.pitch();
        return 1;
    } catch (const std::exception &) {
        return 0;
    }
}

extern "C" int appendBytes(void *context, const void *data, size_t size) {
    try {
        const auto *first = static_cast<const std::byte *>(data);
        static_cast<ByteVector *>(context)->assign(first, first + size);
        return 1;
    } catch (const std::exception &) {
        return 0;
    }
}

} // namespace

bool opencvCodecsPresent() { return !modulePath().empty(); }

Image opencvDecode(const Source &source, const Header &header) {
    if (!module().failure.empty())
        failInput(source, module().failure + ", and " + header.info.fileFormat + " needs them", installRemedy);
    Image image;
    char error[256] = "";
    switch (module().decode(source.bytes.data(), source.bytes.size(), allocateImage, &image, error, sizeof(error))) {
    case TESSERA_DONE:
        return image;
    case TESSERA_NO_PLACE:
        failInput(source, "it cannot be decoded: " + std::string(error), placeRemedy);
    case TESSERA_NO_MEMORY:
        throw Error(ErrorKind::Limit, std::string(source.name) + ": " + error, memoryRemedy);
    default:
        failDamaged(source, error);
    }
}

ByteVector opencvEncode(const Image &image, std::string_view extension, int quality) {
    if (!module().failure.empty())
        failOutput(extension, module().failure, installRemedy);
    const ConstPixelView view = image.view();
    const TesseraPixels pixels{
        const_cast<std::byte *>(view.data), view.pitch, view.width, view.height, view.format.channels,
        bytesPerSample(view.format.depth)};
    ByteVector file;
    char error[256] = "";
    const std::string name = "." + std::string(extension);
    const int outcome = module().encode(&pixels, name.c_str(), quality, appendBytes, &file, error, sizeof(error));
    if (outcome != TESSERA_DONE)
        failOutput(extension, error,
                   outcome == TESSERA_NO_PLACE    ? placeRemedy
                   : outcome == TESSERA_NO_MEMORY ? memoryRemedy
                                                  : "");
    return file;
}

} // namespace tessera::codecs
