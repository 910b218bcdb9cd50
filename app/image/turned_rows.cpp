#include "app/image/turned_rows.h"

#include "app/core/error.h"
#include "app/image/atomic_file.h"
#include "app/image/display_name.h"
#include "app/image/orientation.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <system_error>
#include <unistd.h>

namespace tessera {

namespace {

// A part of the upright picture, its rows one after the other in the file from `offset` on.
struct Block {
    Rectangle area;
    std::uint64_t offset = 0;
};

constexpr std::uint64_t blockBytes = 1 << 20; // little memory
constexpr std::uint64_t fewestRows = 16;      // but runs that are worth a call each
constexpr std::uint64_t readBytes = 4 << 20;

class TurnedRows : public RowReader {
public:
    TurnedRows(std::unique_ptr<RowReader> stored, int orientation, const std::filesystem::path &beside,
               const RunControl &control)
        : stored_(std::move(stored)), orientation_(orientation), beside_(beside), stop_(control.stop),
          info_(stored_->info()), metadata_(stored_->metadata()) {
        if (orientationSwapsSides(orientation))
            std::swap(info_.width, info_.height);
    }
    const ImageInfo &info() const override { return info_; }
    const ImageMetadata &metadata() const override { return metadata_; }
    void readRows(const PixelView &target) override {
        if (!scratch_)
            turnAll();
        for (const Block &block : blocks_)
            readPart(block, target);
        row_ += target.height;
    }
    void finish() override {
        if (!scratch_) // else it was finished when it had been turned
            stored_->finish();
    }
    bool rewind() override {
        row_ = 0;
        return true;
    }

private:
    // The upright place of `rows` stored rows from `first` on.
    Rectangle place(int first, int rows) const {
        const bool fromTheEnd = orientation_ == 3 || orientation_ == 4 || orientation_ == 6 || orientation_ == 7;
        const int start = fromTheEnd ? stored_->info().height - first - rows : first;
        return orientationSwapsSides(orientation_) ? Rectangle{start, 0, rows, info_.height}
                                                   : Rectangle{0, start, info_.width, rows};
    }

    void turnAll() {
        scratch_.emplace(beside_, true, LinkTarget::Replace);
        const ImageInfo &stored = stored_->info();
        const std::uint64_t rowBytes = std::uint64_t(stored.width) * std::uint64_t(stored.format.bytesPerPixel());
        const std::uint64_t wanted = std::max(blockBytes / rowBytes, fewestRows);
        const int blockRows = int(std::min(wanted, std::uint64_t(stored.height)));
        std::uint64_t offset = 0;
        for (int first = 0; first < stored.height; first += blockRows) {
            if (stop_.stop_requested())
                throw Error(ErrorKind::Cancelled, "cancelled");
            const int rows = std::min(blockRows, stored.height - first);
            Image image(stored.width, rows, stored.format);
            stored_->readRows(image.view());
            store(applyOrientation(std::move(image), orientation_));
            blocks_.push_back({place(first, rows), offset});
            offset += rowBytes * std::uint64_t(rows);
        }
        stored_->finish();
    }

    void store(const Image &upright) {
        const ConstPixelView view = upright.view();
        const std::size_t rowBytes = std::size_t(view.width) * std::size_t(view.format.bytesPerPixel());
        buffer_.resize(rowBytes * std::size_t(view.height)); // rows of an Image are padded
        for (int y = 0; y < view.height; ++y)
            std::memcpy(buffer_.data() + std::size_t(y) * rowBytes, view.row<std::byte>(y), rowBytes);
        scratch_->append(buffer_);
    }

    // What of `block` lies in the rows from row_ on, several rows at once.
    void readPart(const Block &block, const PixelView &target) {
        const int pixelBytes = info_.format.bytesPerPixel();
        const std::size_t rowBytes = std::size_t(block.area.width) * std::size_t(pixelBytes);
        const int first = std::max(row_, block.area.y);
        const int end = std::min(row_ + target.height, block.area.y + block.area.height);
        const int most = int(std::clamp<std::uint64_t>(readBytes / rowBytes, 1, std::uint64_t(target.height)));
        for (int y = first; y < end; y += most) {
            const int rows = std::min(most, end - y);
            buffer_.resize(rowBytes * std::size_t(rows));
            readScratch(block.offset + std::uint64_t(y - block.area.y) * rowBytes);
            for (int i = 0; i < rows; ++i)
                std::memcpy(target.row<std::byte>(y + i - row_) + std::ptrdiff_t(block.area.x) * pixelBytes,
                            buffer_.data() + std::size_t(i) * rowBytes, rowBytes);
        }
    }

    void readScratch(std::uint64_t offset) {
        for (std::size_t done = 0; done < buffer_.size();) {
            const ssize_t count =
                ::pread(scratch_->handle(), buffer_.data() + done, buffer_.size() - done, off_t(offset + done));
            if (count < 0 && errno == EINTR)
                continue;
            if (count <= 0)
                throw Error(ErrorKind::Output,
                            displayName(beside_) + ": what was put aside for it cannot be read back: " +
                                std::generic_category().message(count < 0 ? errno : EIO),
                            "check the disk");
            done += std::size_t(count);
        }
    }

    const std::unique_ptr<RowReader> stored_;
    const int orientation_;
    const std::filesystem::path beside_;
    const std::stop_token stop_;
    ImageInfo info_;
    ImageMetadata metadata_;
    std::optional<AtomicFile> scratch_; // never published
    std::vector<Block> blocks_;
    std::vector<std::byte> buffer_;
    int row_ = 0;
};

} // namespace

std::unique_ptr<RowReader> turnRows(std::unique_ptr<RowReader> stored, int orientation,
                                    const std::filesystem::path &beside, const RunControl &control) {
    return std::make_unique<TurnedRows>(std::move(stored), orientation, beside, control);
}

} // namespace tessera
