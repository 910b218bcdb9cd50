// A device that fails when a test says so.
#pragma once

#include <atomic>
#include <cstdlib>
#include <string>
#include <string_view>

namespace tessera {

// A hook for tests: with TESSERA_TEST_LOSE_DEVICE=cuda:1:20 that device fails for good at its 21st picture.
class InjectedLoss {
public:
    explicit InjectedLoss(const std::string &deviceId) {
        const char *text = std::getenv("TESSERA_TEST_LOSE_DEVICE");
        const std::string wanted = deviceId + ":";
        armed_ = text != nullptr && std::string_view(text).starts_with(wanted);
        if (armed_)
            left_ = std::atoi(text + wanted.size());
    }
    bool strikes() { return armed_ && left_-- <= 0; }

private:
    bool armed_ = false;
    std::atomic<int> left_{0};
};

} // namespace tessera
