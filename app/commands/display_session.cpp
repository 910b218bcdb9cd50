#include "app/commands/display_session.h"

#include "app/commands/text.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace tessera {

namespace {

std::string environmentValue(const char *name) {
    const char *value = std::getenv(name);
    return value ? value : "";
}

bool connects(int socketHandle, const sockaddr *address, socklen_t length) {
    bool connected = ::connect(socketHandle, address, length) == 0;
    if (!connected && errno == EINPROGRESS) {
        pollfd waiting{socketHandle, POLLOUT, 0};
        int error = 1;
        socklen_t errorLength = sizeof error;
        connected = ::poll(&waiting, 1, 2000) == 1 &&
                    ::getsockopt(socketHandle, SOL_SOCKET, SO_ERROR, &error, &errorLength) == 0 && error == 0;
    }
    ::close(socketHandle);
    return connected;
}

// `abstract`: a name in Linux's socket namespace rather than a file.
bool localSocketAnswers(const std::string &path, bool abstract) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::size_t offset = abstract ? 1 : 0;
    if (path.size() + offset >= sizeof address.sun_path)
        return false;
    std::memcpy(address.sun_path + offset, path.data(), path.size());
    const auto length =
        static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + offset + path.size() + (abstract ? 0 : 1));
    const int handle = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return handle >= 0 && connects(handle, reinterpret_cast<const sockaddr *>(&address), length);
}

bool hostAnswers(const std::string &host, int port) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo *found = nullptr;
    if (::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found) != 0)
        return false;
    bool answers = false;
    for (const addrinfo *entry = found; entry && !answers; entry = entry->ai_next) {
        const int handle = ::socket(entry->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        answers = handle >= 0 && connects(handle, entry->ai_addr, entry->ai_addrlen);
    }
    ::freeaddrinfo(found);
    return answers;
}

// "host:display.screen"; without a host, or with "unix", the local server. Anything stranger is left to Qt.
bool xServerAnswers(const std::string &display) {
    const std::size_t colon = display.rfind(':');
    if (colon == std::string::npos)
        return false;
    const std::string host = display.substr(0, colon);
    const std::string digits = display.substr(colon + 1, display.find('.', colon) - colon - 1);
    if (digits.empty() || digits.size() > 5 || !std::all_of(digits.begin(), digits.end(), ::isdigit))
        return false;
    if (host.empty() || host == "unix") {
        const std::string path = "/tmp/.X11-unix/X" + digits;
        return localSocketAnswers(path, true) || localSocketAnswers(path, false);
    }
    if (host.find('/') != std::string::npos) // a socket's path (XQuartz, some sandboxes)
        return true;
    return hostAnswers(host, 6000 + std::stoi(digits));
}

bool waylandAnswers(const std::string &display) {
    const std::string folder = environmentValue("XDG_RUNTIME_DIR");
    return localSocketAnswers(display.starts_with('/') ? display : folder + "/" + display, false);
}

} // namespace

std::string whyNoDisplay() {
    if (!environmentValue("QT_QPA_PLATFORM").empty())
        return {};
    const std::string x = environmentValue("DISPLAY");
    const std::string wayland = environmentValue("WAYLAND_DISPLAY");
    if (x.empty() && wayland.empty())
        return "this session has no display (neither DISPLAY nor WAYLAND_DISPLAY is set)";
    if ((!wayland.empty() && waylandAnswers(wayland)) || (!x.empty() && xServerAnswers(x)))
        return {};
    return "the display " + inQuotes(wayland.empty() ? x : wayland) + " does not answer";
}

} // namespace tessera
