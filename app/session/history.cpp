#include "app/session/history.h"

#include <utility>

namespace tessera {

namespace {

template <class... Cases> struct Overloaded : Cases... { using Cases::operator()...; };

auto at(Chain &chain, std::size_t index) { return chain.steps.begin() + std::ptrdiff_t(index); }

void moveStep(Chain &chain, std::size_t from, std::size_t to) {
    FilterStep step = std::move(chain.steps[from]);
    chain.steps.erase(at(chain, from));
    chain.steps.insert(at(chain, to), std::move(step));
}

} // namespace

void applyOperation(Chain &chain, const Operation &operation) {
    std::visit(Overloaded{
                   [&](const ReplaceStep &change) { chain.steps[change.index] = change.after; },
                   [&](const InsertStep &change) { chain.steps.insert(at(chain, change.index), change.step); },
                   [&](const RemoveStep &change) { chain.steps.erase(at(chain, change.index)); },
                   [&](const MoveStep &change) { moveStep(chain, change.from, change.to); },
                   [&](const ChangeDepth &change) { chain.depth = change.after; },
                   [&](const ChangeArea &change) { chain.area = change.after; },
                   [&](const ReplaceChain &change) { chain = change.after; },
               },
               operation.change);
}

void revertOperation(Chain &chain, const Operation &operation) {
    std::visit(Overloaded{
                   [&](const ReplaceStep &change) { chain.steps[change.index] = change.before; },
                   [&](const InsertStep &change) { chain.steps.erase(at(chain, change.index)); },
                   [&](const RemoveStep &change) { chain.steps.insert(at(chain, change.index), change.step); },
                   [&](const MoveStep &change) { moveStep(chain, change.to, change.from); },
                   [&](const ChangeDepth &change) { chain.depth = change.before; },
                   [&](const ChangeArea &change) { chain.area = change.before; },
                   [&](const ReplaceChain &change) { chain = change.before; },
               },
               operation.change);
}

bool History::merge(Chain &chain, const Operation &operation) {
    if (sealed_ || operation.mergeKey.empty() || position_ == 0 ||
        operations_[position_ - 1].mergeKey != operation.mergeKey)
        return false;
    auto *last = std::get_if<ReplaceStep>(&operations_[position_ - 1].change);
    const auto *next = std::get_if<ReplaceStep>(&operation.change);
    if (!last || !next || last->index != next->index)
        return false;
    last->after = next->after;
    operations_[position_ - 1].text = operation.text; // it names the newest value
    chain.steps[next->index] = next->after;
    if (savedPosition_ == position_)
        savedPosition_ = never;
    return true;
}

void History::perform(Chain &chain, Operation operation) {
    if (savedPosition_ != never && savedPosition_ > position_)
        savedPosition_ = never;
    operations_.resize(position_);
    if (merge(chain, operation))
        return;
    applyOperation(chain, operation);
    operations_.push_back(std::move(operation));
    ++position_;
    sealed_ = false;
    if (operations_.size() > limit) {
        operations_.erase(operations_.begin());
        --position_;
        savedPosition_ = savedPosition_ == 0 || savedPosition_ == never ? never : savedPosition_ - 1;
    }
}

void History::undo(Chain &chain) {
    if (!canUndo())
        return;
    revertOperation(chain, operations_[--position_]);
    seal();
}

void History::redo(Chain &chain) {
    if (!canRedo())
        return;
    applyOperation(chain, operations_[position_++]);
    seal();
}

} // namespace tessera
