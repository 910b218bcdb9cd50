#include "app/session/document.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tessera {

AnalysedPicture analysePicture(SharedImage picture, const RunControl &control) {
    AnalysedPicture analysed;
    analysed.stack = PictureStack::build(std::move(picture), control);
    analysed.statistics = computeStatistics(analysed.stack.picture()->view(), control);
    return analysed;
}

std::uint64_t pictureDigest(const ConstPixelView &picture) {
    std::uint64_t digest = 0xcbf29ce484222325;
    const auto add = [&digest](std::uint64_t word) { digest = (digest ^ word) * 0x100000001b3; };
    add(std::uint64_t(picture.width));
    add(std::uint64_t(picture.height));
    add(std::uint64_t(picture.format.depth) << 8 | std::uint64_t(picture.format.channels));
    const std::size_t bytes = std::size_t(picture.width) * std::size_t(picture.format.bytesPerPixel());
    for (int y = 0; y < picture.height; ++y) {
        const char *row = picture.row<char>(y);
        std::uint64_t word = 0;
        std::size_t at = 0;
        for (; at + sizeof word <= bytes; at += sizeof word) {
            std::memcpy(&word, row + at, sizeof word);
            add(word);
        }
        word = 0;
        std::memcpy(&word, row + at, bytes - at);
        add(word);
    }
    return digest;
}

bool isSameFile(const std::filesystem::path &a, const std::filesystem::path &b) {
    std::error_code ignored;
    return !a.empty() && !b.empty() && std::filesystem::equivalent(a, b, ignored);
}

Document::Document(AnalysedPicture source, std::string title, std::filesystem::path path)
    : source_(std::move(source)), digest_(pictureDigest(source_.stack.picture()->view())), title_(std::move(title)),
      path_(std::move(path)) {}

void Document::selectStep(std::size_t index) {
    currentStep_ = index;
    keepSelectionValid();
    history_.seal();
}

namespace {
constexpr const char *depthNames[] = {"as the picture", "8 bit", "16 bit", "32-bit float"};

std::string titleOf(const FilterInstance &filter) {
    const FilterDescription *description = findFilter(filter.name);
    return description ? description->title : filter.name;
}
} // namespace

void Document::setFilter(const FilterInstance &filter) {
    const FilterStep *current = step();
    if (!current)
        return addStep(filter);
    FilterStep after = *current;
    after.filter = filter;
    after.enabled = true;
    after.anchor.reset(); // it belonged to the other kernel's size
    after.divisor.reset();
    after.offset.reset();
    history_.seal();
    changeStep(after, titleOf(filter));
    history_.seal();
}

void Document::addStep(const FilterInstance &filter) {
    FilterStep step;
    step.filter = filter;
    const std::size_t index = chain_.steps.empty() ? 0 : currentStep_ + 1;
    history_.perform(chain_, {"add " + titleOf(filter), {}, InsertStep{index, step}});
    currentStep_ = index;
}

void Document::changeStep(const FilterStep &after, const std::string &text, const std::string &mergeKey) {
    changeStepAt(currentStep_, after, text, mergeKey);
}

void Document::changeStepAt(std::size_t index, const FilterStep &after, const std::string &text,
                            const std::string &mergeKey) {
    if (index >= chain_.steps.size() || chain_.steps[index] == after)
        return;
    history_.perform(chain_, {text, mergeKey, ReplaceStep{index, chain_.steps[index], after}});
}

void Document::removeStep(std::size_t index) {
    if (index >= chain_.steps.size())
        return;
    const FilterStep removed = chain_.steps[index];
    history_.perform(chain_, {"remove " + titleOf(removed.filter), {}, RemoveStep{index, removed}});
    if (currentStep_ > index)
        --currentStep_;
    keepSelectionValid();
}

void Document::moveStep(std::size_t from, std::size_t to) {
    if (from >= chain_.steps.size() || to >= chain_.steps.size() || from == to)
        return;
    const Operation move{{}, {}, MoveStep{from, to}};
    Chain moved = chain_;
    applyOperation(moved, move);
    if (moved == chain_) { // equal steps changed places: nothing to undo
        currentStep_ = to;
        return;
    }
    history_.perform(chain_, {"move " + titleOf(chain_.steps[from].filter), {}, MoveStep{from, to}});
    currentStep_ = to;
}

void Document::setDepth(OutputDepth depth) {
    if (depth != chain_.depth)
        history_.perform(
            chain_, {std::string("depth ") + depthNames[std::size_t(depth)], {}, ChangeDepth{chain_.depth, depth}});
}

void Document::setArea(const std::optional<Rectangle> &area) {
    if (area != chain_.area)
        history_.perform(chain_,
                         {area ? "filter a region only" : "filter everything", {}, ChangeArea{chain_.area, area}});
}

void Document::replaceChain(const Chain &chain, const std::string &text) {
    if (chain == chain_)
        return;
    history_.perform(chain_, {text, {}, ReplaceChain{chain_, chain}});
    keepSelectionValid();
}

void Document::undo() {
    history_.undo(chain_);
    keepSelectionValid();
}

void Document::redo() {
    history_.redo(chain_);
    keepSelectionValid();
}

void Document::goToState(std::size_t position) {
    while (history_.position() > position && history_.canUndo())
        history_.undo(chain_);
    while (history_.position() < position && history_.canRedo())
        history_.redo(chain_);
    keepSelectionValid();
}

bool Document::needsSaving() const {
    if (chain_.steps.empty() && !path_.empty())
        return false;
    return savedIn_.empty() || !(savedChain_ == chain_);
}

void Document::markSaved(const Chain &chain, const std::filesystem::path &file) {
    savedChain_ = chain;
    savedIn_ = file;
    if (chain == chain_)
        history_.markSaved();
}

std::filesystem::path Document::savedAsItIs() const {
    return savedChain_ == chain_ ? savedIn_ : std::filesystem::path();
}

std::filesystem::path Document::saveFolder() const { return saveFolder_.empty() ? path_.parent_path() : saveFolder_; }

void Document::takeFile(const std::filesystem::path &file) {
    if (path_.empty())
        path_ = file;
}

bool Document::leaveFile(const std::filesystem::path &file) {
    bool held = false;
    for (std::filesystem::path *mine : {&path_, &savedIn_})
        if (isSameFile(*mine, file)) {
            mine->clear();
            held = true;
        }
    return held;
}

std::vector<std::filesystem::path> Document::files() const {
    std::vector<std::filesystem::path> held;
    for (const std::filesystem::path &file : {path_, savedIn_})
        if (!file.empty())
            held.push_back(file);
    return held;
}

void Document::setResult(FilterResult result, const Chain &chain) {
    result_ = std::move(result);
    resultChain_ = chain;
}

void Document::setResultStatistics(const ImageStatistics &statistics) {
    if (result_)
        result_->picture.statistics = statistics;
}

void Document::keepSelectionValid() {
    currentStep_ = chain_.steps.empty() ? 0 : std::min(currentStep_, chain_.steps.size() - 1);
}

} // namespace tessera
