// Standard error for people: messages, and a progress line that messages do not tear. Standard output for results.
#pragma once

#include "app/core/error.h"

#include <mutex>
#include <string>
#include <string_view>

namespace tessera {

enum class Verbosity { Quiet, Normal, Verbose };
enum class ProgressMode { Auto, Always, Never };

// The options that every command has.
struct OutputOptions {
    Verbosity verbosity = Verbosity::Normal;
    ProgressMode progress = ProgressMode::Auto;
    bool json = false;
};

// Every message is one line "tessera: ...", with control characters escaped. Safe to use from several threads.
class Console {
public:
    OutputOptions options;

    void detail(const std::string &message);  // with -v
    void info(const std::string &message);    // unless -q
    void warning(const std::string &message); // unless -q
    void error(const std::string &message);   // always
    void error(const Error &problem) { error(problem.fullText()); }

    // A live line is drawn over itself on a terminal; with --progress always and no terminal it is a line of its own,
    // at most one every few seconds, which progressIntervalMs() tells.
    bool showsProgress() const;
    int progressIntervalMs() const;
    void progress(const std::string &line);
    void clearProgress();

private:
    void write(std::string_view prefix, const std::string &message);
    void eraseLine(); // with the mutex held

    std::mutex mutex_;
    std::string liveLine_;
};

// Takes those of the descriptors 0, 1 and 2 that were closed when the program started: else the next file to be opened
// would get the number, and with it what is meant for the terminal. Called before anything else.
void occupyStandardDescriptors();

bool standardErrorIsTerminal();

// Appends to standard output. Failures (a full disk, a closed pipe) are remembered for flushStandardOutput().
void print(std::string_view text);

// Throws Error{Output} where anything printed could not be written.
void flushStandardOutput();

} // namespace tessera
