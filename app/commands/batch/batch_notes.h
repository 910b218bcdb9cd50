// What is told of many files: each thing once, with the first file that it is true of and how many there are.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace tessera {

class BatchNotes {
public:
    struct Note {
        std::string text;
        std::filesystem::path first;
        std::size_t files = 0;
    };

    // Whether `file` is the first of this note. No text is no note.
    bool add(const std::string &text, const std::filesystem::path &file);
    const std::vector<Note> &all() const { return notes_; } // in the order in which they came up

private:
    std::vector<Note> notes_;
    std::map<std::string, std::size_t> places_; // in notes_
};

} // namespace tessera
