// What all contenders with pictures on a device share, whatever they do to them. Includes CUDA.
#pragma once

#include "app/bench/contender.h"
#include "app/bench/device_pictures.h"

#include <optional>
#include <utility>

namespace tessera::bench {

// `Base`: ConvolutionContender or StatisticsContender.
template <class Base> class OnDevice : public Base {
public:
    template <class... Arguments>
    OnDevice(std::shared_ptr<DeviceSession> session, std::shared_ptr<DevicePictures> pictures, Arguments &&...arguments)
        : Base(std::forward<Arguments>(arguments)...), session_(std::move(session)), pictures_(std::move(pictures)) {}

    int rotations() const override { return pictures_->count(); }
    void select() override { session_->makeCurrent(); }
    void finish() override { session_->synchronize(); }
    double measure(int rotation) override {
        return this->scope == Scope::Kernel ? session_->measure([&] { this->run(rotation); }) : Base::measure(rotation);
    }
    std::optional<double> clockMhz() const override {
        return this->scope == Scope::Kernel ? session_->clockMhz() : std::nullopt;
    }
    double resolutionMs() const override {
        return this->scope == Scope::Kernel ? eventResolutionMs : Base::resolutionMs();
    }

protected:
    DeviceSession &session() { return *session_; }
    DevicePictures &pictures() { return *pictures_; }

private:
    std::shared_ptr<DeviceSession> session_;
    std::shared_ptr<DevicePictures> pictures_;
};

} // namespace tessera::bench
