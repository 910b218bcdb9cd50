#include "ui/bridge/interruptible.h"

#include "app/image/display_name.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <vector>

namespace tessera {

namespace {

// What was left behind and still works. Destroying a future waits for it, so each is kept until it has ended.
class Abandoned {
public:
    void keep(std::shared_ptr<void> work, std::function<bool()> ended) {
        const std::lock_guard lock(mutex_);
        std::erase_if(works_, [](const Work &one) { return one.ended(); });
        works_.push_back({std::move(work), std::move(ended)});
    }
    static Abandoned &all() {
        static Abandoned abandoned;
        return abandoned;
    }

private:
    struct Work {
        std::shared_ptr<void> future;
        std::function<bool()> ended;
    };
    std::mutex mutex_;
    std::vector<Work> works_;
};

template <class Result> Result interruptible(std::function<Result()> work, const RunControl &control) {
    using namespace std::chrono_literals;
    auto future = std::make_shared<std::future<Result>>(std::async(std::launch::async, std::move(work)));
    while (future->wait_for(10ms) != std::future_status::ready)
        if (control.stop.stop_requested()) {
            Abandoned::all().keep(future, [future] { return future->wait_for(0ms) == std::future_status::ready; });
            control.checkpoint();
        }
    return future->get();
}

} // namespace

Image loadInterruptibly(const std::filesystem::path &path, const RunControl &control) {
    return interruptible<Image>([path] { return loadImage(path); }, control);
}

void saveInterruptibly(const SharedImage &picture, const std::filesystem::path &path, const SaveOptions &options,
                       const RunControl &control) {
    SaveOptions resolved = options;
    if (resolved.format.empty())
        resolved.format = path.extension().string();
    const auto encode = [picture, resolved, name = displayName(path.filename())] {
        try {
            return encodeImage(*picture, resolved);
        } catch (const Error &error) { // encodeImage knows no name
            throw Error(error.kind(), name + ": " + error.what(), error.remedy());
        }
    };
    const std::vector<std::byte> content = interruptible<std::vector<std::byte>>(encode, control);
    control.checkpoint();
    writeFileAtomically(path, content, options.overwrite);
}

} // namespace tessera
