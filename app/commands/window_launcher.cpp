#include "app/commands/window_launcher.h"

#include "app/commands/command.h"
#include "app/commands/display_session.h"
#include "app/commands/window_hook.h"
#include "app/core/error.h"

#include <array>
#include <dlfcn.h>
#include <filesystem>
#include <string>
#include <string_view>

namespace tessera {

namespace {

namespace fs = std::filesystem;

std::string withoutWindow() {
    std::string names;
    for (const auto &command : makeCommands())
        names += (names.empty() ? "" : ", ") + std::string(command->name());
    return "without it there are the commands: tessera " + names + "; see 'tessera --help'";
}

// Beside the executable in a build (bin/, lib/) and as installed (lib/tessera/, or Debian's lib/<triplet>/tessera/).
fs::path findModule() {
    std::error_code error;
    const fs::path executable = fs::read_symlink("/proc/self/exe", error);
    const fs::path prefix = executable.parent_path().parent_path();
    const std::array candidates{prefix / "lib" / windowModuleName, prefix / "lib" / "tessera" / windowModuleName,
                                prefix / TESSERA_MODULE_DIRECTORY / windowModuleName,
                                executable.parent_path() / windowModuleName};
    for (const fs::path &candidate : candidates)
        if (fs::exists(candidate, error))
            return candidate;
    return {};
}

bool asksForPlatform(int argc, char **argv) {
    for (int i = 1; i < argc; ++i)
        if (const std::string_view argument = argv[i]; argument.starts_with("-platform") || argument == "--platform")
            return true;
    return false;
}

} // namespace

int launchWindow(int argc, char **argv) {
    const fs::path module = findModule();
    if (module.empty())
        throw Error(ErrorKind::Usage,
                    TESSERA_BUILT_WITH_UI ? "the window's module, " + std::string(windowModuleName) + ", is missing"
                                          : std::string("this build of Tessera has no window"),
                    withoutWindow());
    if (!asksForPlatform(argc, argv))
        if (const std::string reason = whyNoDisplay(); !reason.empty())
            throw Error(ErrorKind::Usage, "the window cannot open: " + reason, withoutWindow());
    // Never unloaded: Qt registers clean-up of its own for the end of the process.
    void *library = ::dlopen(module.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library)
        throw Error(ErrorKind::Usage, "the window cannot be loaded: " + std::string(::dlerror()),
                    "install Qt 6 (libqt6widgets6); " + withoutWindow());
    const auto run = reinterpret_cast<WindowFunction>(::dlsym(library, windowFunctionName));
    if (!run)
        throw Error(ErrorKind::Internal, module.string() + " is not the window of this version",
                    "install tessera and its window together");
    return run(argc, argv);
}

} // namespace tessera
