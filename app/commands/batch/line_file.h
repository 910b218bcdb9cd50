// A file that lines are appended to, each whole or not at all as far as readers are concerned: a report, a record.
#pragma once

#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

namespace tessera {

class LineFile {
public:
    enum class Existing { Append, Replace, Refuse };

    // What opening it would refuse, known before: a name that is taken (with Existing::Refuse), a folder or a socket, a
    // folder that is not there. `made`: a folder that will be made first. Throws Error{Usage}.
    static void check(const std::filesystem::path &path, Existing existing, const std::filesystem::path &made);

    // Opens it at once, so that what cannot be written is known before any work. Pipes and devices are written to as
    // they are, whatever `existing` says: nothing in them could be lost. /dev/stdout, /dev/fd/N and their like are the
    // descriptors themselves. A pipe is waited for until somebody reads it. Throws Error{Usage} where the name cannot
    // be written to, Error{Output} where the system has no means left.
    LineFile(const std::filesystem::path &path, Existing existing);
    ~LineFile();
    LineFile(const LineFile &) = delete;
    LineFile &operator=(const LineFile &) = delete;

    // Asked while a pipe is full that nobody empties: once it says yes, append() gives up after a moment. Set before
    // the first append().
    void giveUpWhen(std::function<bool()> stopping) { stopping_ = std::move(stopping); }

    // `line` ends in a line break. One write a line, so that several processes on one machine may append to one file.
    // Behind a line that was cut off, as by a full disk, it begins on one of its own. Safe to use from several threads.
    // Throws Error{Output}, also where somebody has deleted the file, or Error{Cancelled} for a pipe that was given up.
    void append(const std::string &line);

private:
    void open(Existing existing);
    void waitForRoom();
    void endBrokenLine();
    void refuseDeleted() const;
    void write(std::string_view rest);

    std::filesystem::path path_;
    int handle_ = -1;
    bool mayBlock_ = false; // a pipe, a terminal, a socket
    bool canBeDeleted_ = false;
    bool isBroken_ = false; // it ends in half a line
    bool givenUp_ = false;
    std::function<bool()> stopping_;
    std::mutex mutex_;
};

// The descriptor that /dev/stdin, /dev/stdout, /dev/stderr, /dev/fd/N or /proc/self/fd/N names; -1 for any other name.
int descriptorNamed(const std::filesystem::path &path);

} // namespace tessera
