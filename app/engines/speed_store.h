// The speeds that were measured on a device, kept per device: a cache in the plain sense. Any file of it can go at any
// time; `tessera bench` on the device makes it again, and until then the built-in table stands in.
#pragma once

#include "gpu/launch/speed_table.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace tessera {

class SpeedStore {
public:
    // $XDG_CACHE_HOME/tessera/speeds, else $HOME/.cache/tessera/speeds; empty where the environment names neither.
    static std::filesystem::path defaultFolder();

    // An empty folder keeps nothing.
    explicit SpeedStore(std::filesystem::path folder = defaultFolder()) : folder_(std::move(folder)) {}

    std::filesystem::path fileOf(std::string_view device) const;

    // What was measured on `device` ("NVIDIA H200"), over the built-in table; that alone where nothing was, or where
    // the file is damaged or of another form.
    SpeedTable load(const std::string &device) const;

    // Adds to what is kept. False where it could not be kept: no error, since it was only for speed.
    bool add(const std::string &device, std::span<const SpeedPoint> points) const;

private:
    std::vector<SpeedPoint> read(std::string_view device) const;

    std::filesystem::path folder_;
};

} // namespace tessera
