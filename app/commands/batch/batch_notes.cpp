#include "app/commands/batch/batch_notes.h"

namespace tessera {

bool BatchNotes::add(const std::string &text, const std::filesystem::path &file) {
    if (text.empty())
        return false;
    const auto [place, isNew] = places_.try_emplace(text, notes_.size());
    if (isNew)
        notes_.push_back({text, file, 0});
    ++notes_[place->second].files;
    return isNew;
}

} // namespace tessera
