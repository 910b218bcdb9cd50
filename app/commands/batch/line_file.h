// A file that lines are appended to, each whole or not at all as far as readers are concerned: a report, a record.
#pragma once

#include <filesystem>
#include <mutex>
#include <string>

namespace tessera {

class LineFile {
public:
    enum class Existing { Append, Replace, Refuse };

    // What opening it with Existing::Refuse would say, known before. Throws Error{Usage}.
    static void refuseExisting(const std::filesystem::path &path);

    // Opens it at once, so that what cannot be written is known before any work. Throws Error{Output}.
    LineFile(const std::filesystem::path &path, Existing existing);
    ~LineFile();
    LineFile(const LineFile &) = delete;
    LineFile &operator=(const LineFile &) = delete;

    // `line` ends in a line break. One write a line, so that several processes on one machine may append to one file.
    // Safe to use from several threads. Throws Error{Output}.
    void append(const std::string &line);

private:
    void endBrokenLine();

    std::filesystem::path path_;
    int handle_ = -1;
    std::mutex mutex_;
};

} // namespace tessera
