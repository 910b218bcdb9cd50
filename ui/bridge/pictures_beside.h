// The pictures of a saved session that no file holds.
#pragma once

#include "app/core/run_control.h"
#include "app/session/picture_stack.h"

#include <filesystem>
#include <vector>

namespace tessera {

// Files in a folder beside the session's: "work.tessera-pictures" beside "work.tessera". What was added is removed
// again unless keep() is called, and no file that lies there already is touched.
class PicturesBeside {
public:
    explicit PicturesBeside(const std::filesystem::path &session);
    ~PicturesBeside();
    PicturesBeside(const PicturesBeside &) = delete;
    PicturesBeside &operator=(const PicturesBeside &) = delete;

    // Without loss; returns where it lies. Throws Error{Output}, Error{Cancelled}.
    std::filesystem::path add(const SharedImage &picture, const RunControl &control);
    void keep() { kept_ = true; }
    const std::filesystem::path &folder() const { return folder_; }

private:
    std::filesystem::path folder_;
    std::vector<std::filesystem::path> written_;
    bool made_ = false, kept_ = false;
    int next_ = 1;
};

} // namespace tessera
