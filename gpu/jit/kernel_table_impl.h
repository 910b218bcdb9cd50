// Bodies of gpu/jit/kernel_table.h, which includes this.
#pragma once

#include <chrono>

namespace tessera::jit {

template <class Kernel>
typename KernelTable<Kernel>::EntryPointer KernelTable<Kernel>::entryOf(std::string_view key,
                                                                        const KernelSource &source) {
    const Digest digest = digestOf(source);
    auto found = entries_.find(key);
    if (found == entries_.end()) {
        found = entries_.emplace(std::string(key), std::make_shared<Entry>()).first;
        found->second->source = digest;
    } else if (found->second->source != digest) {
        throw std::logic_error("two kernels of different source have the key " + std::string(key));
    }
    found->second->used = ++clock_;
    return found->second;
}

template <class Kernel> std::optional<Kernel> KernelTable<Kernel>::find(std::string_view key) {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(key);
    if (found == entries_.end())
        return std::nullopt;
    found->second->used = ++clock_;
    return found->second->kernel;
}

template <class Kernel>
std::optional<Kernel> KernelTable<Kernel>::load(std::string_view key, const KernelSource &source) {
    std::unique_lock lock(mutex_);
    const EntryPointer entry = entryOf(key, source);
    if (entry->state != KernelState::Unknown)
        return entry->kernel;
    entry->state = KernelState::Working;
    entry->seeking = true;
    lock.unlock();
    return work(entry, source, false, {});
}

template <class Kernel> Kernel KernelTable<Kernel>::compile(std::string_view key, const KernelSource &source) {
    std::unique_lock lock(mutex_);
    const EntryPointer entry = entryOf(key, source);
    changed_.wait(lock, [&] { return entry->state != KernelState::Working; });
    if (entry->state == KernelState::Ready)
        return *entry->kernel;
    entry->state = KernelState::Working; // the background thread passes over what is no longer Waiting
    lock.unlock();
    return *work(entry, source, true, {});
}

template <class Kernel> void KernelTable<Kernel>::request(std::string_view key, KernelSource source) {
    std::unique_lock lock(mutex_);
    const EntryPointer entry = entryOf(key, source);
    changed_.wait(lock, [&] { return !entry->seeking; });
    if (entry->state != KernelState::Unknown || stopped_)
        return;
    entry->state = KernelState::Waiting;
    queue_.emplace_back(entry, std::move(source));
    if (!worker_.joinable())
        worker_ = std::jthread([this](std::stop_token token) { run(std::move(token)); });
    changed_.notify_all();
}

template <class Kernel> KernelState KernelTable<Kernel>::state(std::string_view key) const {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(key);
    return found == entries_.end() ? KernelState::Unknown : found->second->state;
}

template <class Kernel> std::string KernelTable<Kernel>::failure(std::string_view key) const {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(key);
    return found == entries_.end() ? std::string() : found->second->failure;
}

template <class Kernel>
std::optional<Kernel> KernelTable<Kernel>::specialise(Specialisation mode, std::string_view key,
                                                      SpecialisationEvidence evidence, const MakeSource &makeSource) {
    if (mode == Specialisation::Never)
        return std::nullopt;
    KernelState state = KernelState::Unknown;
    bool sought = false;
    {
        const std::lock_guard lock(mutex_);
        if (const auto found = entries_.find(key); found != entries_.end()) {
            found->second->used = ++clock_;
            state = found->second->state;
            sought = found->second->sought;
            if (state == KernelState::Ready)
                return found->second->kernel;
        }
        if (evidence.compileMilliseconds <= 0)
            evidence.compileMilliseconds = compileMilliseconds_;
    }
    if (state == KernelState::Failed)
        return std::nullopt;
    if (mode == Specialisation::Always) {
        const KernelSource source = makeSource();
        try {
            return compile(key, source);
        } catch (const std::runtime_error &) {
            return std::nullopt; // failure(key) keeps the reason
        }
    }
    if (state != KernelState::Unknown)
        return std::nullopt;
    if (!sought)
        if (auto kernel = load(key, makeSource()))
            return kernel;
    evidence.megapixels = addWork(key, evidence.megapixels);
    if (worthCompiling(mode, evidence))
        request(key, makeSource());
    return std::nullopt;
}

template <class Kernel> double KernelTable<Kernel>::compileMilliseconds() const {
    const std::lock_guard lock(mutex_);
    return compileMilliseconds_;
}

template <class Kernel> double KernelTable<Kernel>::addWork(std::string_view key, double megapixels) {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(key);
    if (found == entries_.end() || !(megapixels > 0))
        return 0;
    return found->second->megapixels += megapixels;
}

template <class Kernel> void KernelTable<Kernel>::noteCompileTime(double milliseconds) {
    const std::lock_guard lock(mutex_);
    compileMilliseconds_ = compileMilliseconds_ > 0 ? 0.75 * compileMilliseconds_ + 0.25 * milliseconds : milliseconds;
}

template <class Kernel>
std::optional<Kernel> KernelTable<Kernel>::make(const KernelSource &source, bool mayCompile, std::stop_token token) {
    if (const std::optional<Cubin> cubin = cubins_.stored(source, architecture_)) {
        try {
            return loader_(*cubin, source);
        } catch (const std::runtime_error &) {
            // Sound, but not for this driver: as good as missing.
        }
    }
    if (!mayCompile)
        return std::nullopt;
    const auto start = std::chrono::steady_clock::now();
    const Cubin cubin = cubins_.compile(source, architecture_, std::move(token));
    noteCompileTime(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
    return loader_(cubin, source);
}

template <class Kernel>
std::optional<Kernel> KernelTable<Kernel>::work(const EntryPointer &entry, const KernelSource &source, bool mayCompile,
                                                std::stop_token token) {
    try {
        std::optional<Kernel> kernel = make(source, mayCompile, std::move(token));
        settle(entry, kernel ? KernelState::Ready : KernelState::Unknown, kernel, {});
        return kernel;
    } catch (const CompileCancelled &) {
        settle(entry, KernelState::Unknown, std::nullopt, {});
        throw;
    } catch (const std::exception &error) {
        settle(entry, KernelState::Failed, std::nullopt, error.what());
        throw;
    }
}

template <class Kernel>
void KernelTable<Kernel>::settle(const EntryPointer &entry, KernelState state, std::optional<Kernel> kernel,
                                 std::string failure) {
    std::vector<EntryPointer> dropped; // their kernels end after the lock is gone: unloading may take a while
    const std::lock_guard lock(mutex_);
    entry->sought = entry->sought || (entry->seeking && !kernel);
    entry->seeking = false;
    entry->state = state;
    entry->kernel = std::move(kernel);
    entry->failure = std::move(failure);
    entry->used = ++clock_;
    changed_.notify_all();
    while (entries_.size() > maximumKernels_) {
        auto oldest = entries_.end();
        for (auto at = entries_.begin(); at != entries_.end(); ++at)
            if (at->second->state != KernelState::Waiting && at->second->state != KernelState::Working &&
                (oldest == entries_.end() || at->second->used < oldest->second->used))
                oldest = at;
        if (oldest == entries_.end())
            break;
        dropped.push_back(std::move(oldest->second));
        entries_.erase(oldest);
    }
}

template <class Kernel> void KernelTable<Kernel>::run(std::stop_token token) {
    if (prepareThread_)
        prepareThread_();
    std::unique_lock lock(mutex_);
    while (changed_.wait(lock, token, [&] { return !queue_.empty(); })) {
        if (token.stop_requested())
            return;
        const auto [entry, source] = std::move(queue_.front());
        queue_.pop_front();
        if (entry->state != KernelState::Waiting)
            continue; // compile() was faster
        entry->state = KernelState::Working;
        lock.unlock();
        try {
            work(entry, source, true, token);
        } catch (const std::exception &) {
            // The entry keeps what was wrong.
        }
        lock.lock();
    }
}

template <class Kernel> void KernelTable<Kernel>::stop() {
    std::jthread ending;
    {
        const std::lock_guard lock(mutex_);
        stopped_ = true;
        ending = std::move(worker_);
    }
    if (ending.joinable()) {
        ending.request_stop();
        ending.join();
    }
    const std::lock_guard lock(mutex_);
    for (auto &[entry, source] : queue_)
        if (entry->state == KernelState::Waiting)
            entry->state = KernelState::Unknown;
    queue_.clear();
}

} // namespace tessera::jit
