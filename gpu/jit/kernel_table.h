// The kernels that this process has compiled for one architecture, by the caller's key. `Kernel` is a cheap handle that
// copies: on the GPU cuda::SpecialisedKernel, in tests whatever they need. All members may be called from any thread.
//
// A key stands for one source: two sources under one key are a mistake of the caller and refused.
#pragma once

#include "gpu/jit/cubins.h"
#include "gpu/jit/policy.h"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

namespace tessera::jit {

enum class KernelState {
    Unknown, // never asked for, or dropped since
    Waiting, // for the background thread
    Working, // being compiled
    Ready,
    Failed // failure() says why; request() does not try again, compile() does
};

template <class Kernel> class KernelTable {
public:
    using Loader = std::function<Kernel(const Cubin &, const KernelSource &)>;
    using MakeSource = std::function<KernelSource()>;

    // `loader` makes a kernel of compiled code and may throw; `prepareThread` is called first on the background thread.
    // Beyond `maximumKernels` the least recently used go.
    KernelTable(Cubins cubins, Architecture architecture, Loader loader, std::function<void()> prepareThread = {},
                std::size_t maximumKernels = 128)
        : cubins_(std::move(cubins)), architecture_(architecture), loader_(std::move(loader)),
          prepareThread_(std::move(prepareThread)), maximumKernels_(maximumKernels) {}
    ~KernelTable() { stop(); }
    KernelTable(const KernelTable &) = delete;
    KernelTable &operator=(const KernelTable &) = delete;

    const Cubins &cubins() const { return cubins_; }
    const Architecture &architecture() const { return architecture_; }

    // The kernel if it is ready in this process. Costs a look-up: for every launch.
    std::optional<Kernel> find(std::string_view key);

    // The same, or else from disk. Never compiles; nothing where the file is missing or not sound.
    std::optional<Kernel> load(std::string_view key, const KernelSource &source);

    // Table, disk, compiler, in this order; waits where another thread compiles it. Throws what Compiler::compile() and
    // the loader throw.
    Kernel compile(std::string_view key, const KernelSource &source);

    // The same on a background thread; returns at once. Does nothing where it is ready, under way or has failed.
    void request(std::string_view key, KernelSource source);

    KernelState state(std::string_view key) const;
    bool ready(std::string_view key) const { return state(key) == KernelState::Ready; }
    std::string failure(std::string_view key) const; // empty unless Failed

    // The one call of a launcher: the specialised kernel if it is to be used now, else nothing (use the general one).
    //   Never: nothing. Always: compiles and waits; nothing where that fails, see failure().
    //   Auto: what lies on disk at once; else, when it pays, compiles in the background.
    // `evidence.megapixels` is what this launch filters: the table adds up the launches of a key.
    // Never throws for a failed compilation. `makeSource` is called only where the text is needed.
    std::optional<Kernel> specialise(Specialisation mode, std::string_view key, SpecialisationEvidence evidence,
                                     const MakeSource &makeSource);

    // Measured: a running mean of what compiling took; 0 before the first.
    double compileMilliseconds() const;

    // Ends the background thread, without waiting for the compiler where it can be stopped. What was asked for and is
    // not there becomes Unknown.
    void stop();

private:
    struct Entry {
        KernelState state = KernelState::Unknown;
        bool seeking = false; // Working, but only on disk
        bool sought = false;  // on disk, in vain
        Digest source;
        std::optional<Kernel> kernel;
        std::string failure;
        std::uint64_t used = 0;
        double megapixels = 0; // that specialise() was asked about
    };
    using EntryPointer = std::shared_ptr<Entry>;

    EntryPointer entryOf(std::string_view key, const KernelSource &source); // with the lock held
    // Without the lock, by whoever set the entry to Working; whatever happens, it is something else afterwards.
    std::optional<Kernel> work(const EntryPointer &entry, const KernelSource &source, bool mayCompile,
                               std::stop_token token);
    std::optional<Kernel> make(const KernelSource &source, bool mayCompile, std::stop_token token);
    void settle(const EntryPointer &entry, KernelState state, std::optional<Kernel> kernel, std::string failure);
    double addWork(std::string_view key, double megapixels);
    void noteCompileTime(double milliseconds);
    void run(std::stop_token token);

    Cubins cubins_;
    Architecture architecture_;
    Loader loader_;
    std::function<void()> prepareThread_;
    std::size_t maximumKernels_;

    mutable std::mutex mutex_;
    std::condition_variable_any changed_; // an entry left Working, or the queue grew
    std::map<std::string, EntryPointer, std::less<>> entries_;
    std::deque<std::pair<EntryPointer, KernelSource>> queue_;
    std::uint64_t clock_ = 0;
    double compileMilliseconds_ = 0;
    bool stopped_ = false;
    std::jthread worker_;
};

} // namespace tessera::jit

#include "gpu/jit/kernel_table_impl.h"
