// The reports of the parts of a batch (`tessera batch --shard --report`) as one.
#pragma once

#include "app/commands/json_output.h"

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>

namespace tessera {

// What the reports say of each file of the list, a line a file.
//
// A part that was interrupted and resumed has several lines for a file. The last one counts, but for two kinds that
// tell less than what they follow: a file that was skipped as up to date stays `done`, and one that was not started
// again stays what it was. Where several reports tell of one file, a part done twice, `done` counts.
//
// Lines state the length of the whole list, so that files at its end are missed, too, and a hash of its names, so that
// parts of two lists are told apart even where these are of one length. Where a run that appended to a
// report had another list than the one before, the lines of the later one count: it tells of every file it has.
class MergedReport {
public:
    // Throws Error{Input} where the file cannot be read or is no report, Error{Usage} where it tells of another batch:
    // other parameters, another list, or another file under the same number.
    void add(const std::filesystem::path &report);

    struct Totals {
        std::size_t files = 0, done = 0, skipped = 0, failed = 0, notStarted = 0;
        std::size_t missing = 0;     // files of the list that no report tells of
        bool lengthKnown = false;    // else of the files up to the highest number: older reports do not state it
        bool namesCompared = true;   // else one of several reports does not state the hash of its list: an older one
        std::size_t brokenLines = 0; // cut off by a kill, and left out
        std::size_t lines = 0;       // read
    };
    Totals totals() const;
    std::vector<std::size_t> missingIndices(std::size_t most) const;

    std::string lines() const; // JSON Lines, by the files' numbers

private:
    struct Part {
        std::map<std::size_t, Json> files;
        std::size_t listLength = 0;
        std::string listHash;
    };
    void take(Json line, const std::filesystem::path &report, Part &part);
    void takeLength(const Part &part, const std::filesystem::path &report);

    std::size_t expected() const; // the highest number that must be there

    std::map<std::size_t, Json> files_;
    std::string parameters_;
    std::size_t listLength_ = 0; // 0: not known
    std::string listHash_;       // empty: not known
    std::size_t brokenLines_ = 0, lines_ = 0;
    std::size_t reports_ = 0, withoutHash_ = 0; // that tell of any file
};

} // namespace tessera
