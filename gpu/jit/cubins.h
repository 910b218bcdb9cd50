// Compiled code by its source: from disk where it was made before, else from the compiler.
#pragma once

#include "gpu/jit/compiler.h"
#include "gpu/jit/cubin_store.h"

namespace tessera::jit {

class Cubins {
public:
    Cubins(const Compiler &compiler, CubinStore store) : compiler_(compiler), store_(std::move(store)) {}

    const Compiler &compiler() const { return compiler_; }
    const CubinStore &store() const { return store_; }

    // From disk alone.
    std::optional<Cubin> stored(const KernelSource &source, const Architecture &architecture) const {
        return compiler_.available() ? store_.load(compiler_.digestOf(source, architecture)) : std::nullopt;
    }

    // Compiles and keeps. Throws what Compiler::compile() throws.
    Cubin compile(const KernelSource &source, const Architecture &architecture, std::stop_token stop) const {
        Cubin cubin = compiler_.compile(source, architecture, std::move(stop));
        store_.save(compiler_.digestOf(source, architecture), cubin);
        return cubin;
    }

private:
    const Compiler &compiler_;
    CubinStore store_;
};

} // namespace tessera::jit
