#include "app/commands/console.h"

#include "app/commands/text.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace tessera {

namespace {

void writeToStandardError(std::string_view text) {
    // One write a message keeps the lines of several processes on one terminal or log apart.
    while (!text.empty()) {
        const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return; // nobody listens: nothing sensible can be done about it
        text.remove_prefix(static_cast<std::size_t>(written));
    }
}

std::size_t terminalWidth() {
    winsize size{};
    return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 80;
}

// Not more than one terminal line: a wrapped line could not be drawn over.
std::string shortened(const std::string &line, std::size_t width) {
    std::string text;
    std::size_t cells = 0;
    for (const char character : line) {
        const bool begins = (static_cast<unsigned char>(character) & 0xC0) != 0x80;
        if (begins && ++cells >= width)
            break;
        text += character;
    }
    return text;
}

} // namespace

void occupyStandardDescriptors() {
    // The lowest free number is the next to be given out: each is taken in its turn. The other way round than it would
    // be used, so that reading or writing fails as if it were closed.
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (::fcntl(descriptor, F_GETFD) < 0 && errno == EBADF)
            static_cast<void>(::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY));
}

bool standardErrorIsTerminal() { return ::isatty(STDERR_FILENO) == 1; }

void Console::detail(const std::string &message) {
    if (options.verbosity == Verbosity::Verbose)
        write("tessera: ", message);
}

void Console::info(const std::string &message) {
    if (options.verbosity != Verbosity::Quiet)
        write("tessera: ", message);
}

void Console::warning(const std::string &message) {
    if (options.verbosity != Verbosity::Quiet)
        write("tessera: warning: ", message);
}

void Console::error(const std::string &message) { write("tessera: ", message); }

bool Console::showsProgress() const {
    switch (options.progress) {
    case ProgressMode::Always:
        return true;
    case ProgressMode::Never:
        return false;
    case ProgressMode::Auto:
        break;
    }
    return options.verbosity != Verbosity::Quiet && standardErrorIsTerminal();
}

int Console::progressIntervalMs() const { return standardErrorIsTerminal() ? 100 : 2000; }

void Console::progress(const std::string &line) {
    if (!showsProgress())
        return;
    const std::lock_guard lock(mutex_);
    if (!standardErrorIsTerminal()) {
        writeToStandardError("tessera: " + line + "\n");
        return;
    }
    liveLine_ = shortened(displayText(line), terminalWidth());
    writeToStandardError("\r\x1b[K" + liveLine_);
}

void Console::clearProgress() {
    const std::lock_guard lock(mutex_);
    eraseLine();
    liveLine_.clear();
}

void Console::eraseLine() {
    if (!liveLine_.empty())
        writeToStandardError("\r\x1b[K");
}

void Console::write(std::string_view prefix, const std::string &message) {
    const std::lock_guard lock(mutex_);
    eraseLine();
    writeToStandardError(std::string(prefix) + displayText(message) + "\n" + liveLine_);
}

namespace {
int printError = 0; // the errno of the first failure
}

void print(std::string_view text) {
    // A failure stays in the stream's error flag until flushStandardOutput() looks.
    errno = 0;
    if (std::fwrite(text.data(), 1, text.size(), stdout) < text.size() && printError == 0)
        printError = errno;
}

void flushStandardOutput() {
    errno = 0;
    const bool flushed = std::fflush(stdout) == 0;
    if (flushed && std::ferror(stdout) == 0)
        return;
    const int error = printError != 0 ? printError : errno;
    if (error == EPIPE)
        throw Error(ErrorKind::Output, "what reads the standard output ended before it had everything",
                    "let it read to the end, or write into a file");
    throw Error(ErrorKind::Output,
                std::string("standard output could not be written: ") +
                    (error != 0 ? std::strerror(error) : "write error"),
                error == ENOSPC || error == EDQUOT ? "free some space or write elsewhere" : "write elsewhere");
}

} // namespace tessera
