// Undo and redo. An edit is an operation on the chain, kept as data: it can be applied, reverted, named and merged.
#pragma once

#include "app/session/chain.h"

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

namespace tessera {

struct ReplaceStep {
    std::size_t index = 0;
    FilterStep before, after;
};
struct InsertStep {
    std::size_t index = 0;
    FilterStep step;
};
struct RemoveStep {
    std::size_t index = 0;
    FilterStep step;
};
struct MoveStep {
    std::size_t from = 0, to = 0; // `to` is where the step is afterwards
};
struct ChangeDepth {
    OutputDepth before = OutputDepth::Keep, after = OutputDepth::Keep;
};
struct ChangeArea {
    std::optional<Rectangle> before, after;
};
struct ReplaceChain { // a preset or a session, taken over as a whole
    Chain before, after;
};

struct Operation {
    std::string text;     // what the user did: "Sigma", shown as "Undo Sigma"
    std::string mergeKey; // a drag of one slider is one operation: equal keys merge until seal(); empty: never
    std::variant<ReplaceStep, InsertStep, RemoveStep, MoveStep, ChangeDepth, ChangeArea, ReplaceChain> change;
};

void applyOperation(Chain &chain, const Operation &operation);
void revertOperation(Chain &chain, const Operation &operation);

class History {
public:
    // Applies the operation and remembers it; what was undone before is forgotten.
    void perform(Chain &chain, Operation operation);
    // The next operation starts an entry of its own, whatever its key.
    void seal() { sealed_ = true; }

    bool canUndo() const { return position_ > 0; }
    bool canRedo() const { return position_ < operations_.size(); }
    void undo(Chain &chain); // nothing where !canUndo()
    void redo(Chain &chain);
    std::string undoText() const { return canUndo() ? operations_[position_ - 1].text : std::string(); }
    std::string redoText() const { return canRedo() ? operations_[position_].text : std::string(); }
    // All that can be gone back to: entry i led from state i to state i + 1; position() is the state now.
    std::size_t count() const { return operations_.size(); }
    std::size_t position() const { return position_; }
    const std::string &textAt(std::size_t index) const { return operations_[index].text; }

    // Whether anything differs from the last markSaved().
    bool modified() const { return position_ != savedPosition_; }
    void markSaved() {
        savedPosition_ = position_;
        seal();
    }

private:
    static constexpr std::size_t limit = 1000; // old entries go, so that a day of dragging stays small
    static constexpr std::size_t never = ~std::size_t(0);

    bool merge(Chain &chain, const Operation &operation);

    std::vector<Operation> operations_;
    std::size_t position_ = 0;      // operations before it are applied
    std::size_t savedPosition_ = 0; // `never` once that state can no longer be reached
    bool sealed_ = true;
};

} // namespace tessera
