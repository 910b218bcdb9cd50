#include "app/bench/device_pictures.h"

#include "app/bench/host_pictures.h"

namespace tessera::bench {

namespace {

constexpr std::size_t pitchAlignment = 256; // as the engine lays its pictures out

std::size_t freeDeviceMemory() {
    std::size_t free = 0, total = 0;
    TESSERA_CUDA_CHECK(cudaMemGetInfo(&free, &total));
    return free;
}

} // namespace

DevicePictures::DevicePictures(std::shared_ptr<DeviceSession> session, const PixelKind &pixel, int width, int height,
                               bool cold, bool withTargets)
    : session_(std::move(session)), pixel_(pixel), width_(width), height_(height),
      pitch_((std::size_t(width) * std::size_t(pixel.bytes()) + pitchAlignment - 1) / pitchAlignment * pitchAlignment) {
    session_->makeCurrent();
    const std::size_t bytes = pitch_ * std::size_t(height);
    const std::size_t bytesOfSet = withTargets ? 2 * bytes : bytes;
    const int sets = cold ? coldSets(bytesOfSet, std::size_t(session_->properties.l2Bytes), freeDeviceMemory()) : 1;
    sets_.resize(std::size_t(sets));
    for (Set &set : sets_) {
        set.source.reserve(bytes);
        if (withTargets)
            set.target.reserve(bytes);
    }
}

RawView DevicePictures::viewOf(const cuda::DeviceBuffer &buffer) const {
    return {buffer.data(), width_, height_, std::ptrdiff_t(pitch_), pixel_.type, pixel_.channels};
}

void DevicePictures::load(const PixelBlock &picture) {
    if (loaded_ == &picture)
        return;
    session_->makeCurrent();
    const std::size_t rowBytes = picture.rowBytes();
    TESSERA_CUDA_CHECK(cudaMemcpy2D(sets_.front().source.data(), pitch_, picture.bytes.data(), rowBytes, rowBytes,
                                    std::size_t(height_), cudaMemcpyHostToDevice));
    for (std::size_t i = 1; i < sets_.size(); ++i)
        TESSERA_CUDA_CHECK(cudaMemcpy(sets_[i].source.data(), sets_.front().source.data(),
                                      pitch_ * std::size_t(height_), cudaMemcpyDeviceToDevice));
    TESSERA_CUDA_CHECK(cudaDeviceSynchronize());
    loaded_ = &picture;
}

void DevicePictures::poison(std::byte value) {
    session_->makeCurrent();
    TESSERA_CUDA_CHECK(cudaMemset(sets_.front().target.data(), int(value), pitch_ * std::size_t(height_)));
    TESSERA_CUDA_CHECK(cudaDeviceSynchronize());
}

void DevicePictures::fetch(PixelBlock &result) {
    session_->makeCurrent();
    TESSERA_CUDA_CHECK(cudaMemcpy2D(result.bytes.data(), result.rowBytes(), sets_.front().target.data(), pitch_,
                                    result.rowBytes(), std::size_t(height_), cudaMemcpyDeviceToHost));
}

} // namespace tessera::bench
