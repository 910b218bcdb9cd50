// One opened picture: what it was, what is done to it, and what came out. Used from one thread; the pictures in it are
// immutable and may be read from any.
#pragma once

#include "app/session/document_view.h"
#include "app/session/history.h"
#include "app/session/picture_stack.h"
#include "app/stats/statistics.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace tessera {

// A picture as a window needs it: all zoom levels, and its statistics once they are known.
struct AnalysedPicture {
    PictureStack stack;
    std::optional<ImageStatistics> statistics;
};

// Stack and statistics of a picture. Throws Error{Cancelled}.
AnalysedPicture analysePicture(SharedImage picture, const RunControl &control = {});

// What the chain made of the picture.
struct FilterResult {
    AnalysedPicture picture;
    PipelineTimes times;
};

// A number of size, kind and every byte of the pixels: another one means another picture. 64-bit FNV-1a over words in
// place of bytes (Fowler, Noll and Vo, draft-eastlake-fnv). No guard against who wants two pictures to have the same.
std::uint64_t pictureDigest(const ConstPixelView &picture);

// Whether both names lead to one file that exists.
bool isSameFile(const std::filesystem::path &a, const std::filesystem::path &b);

class Document {
public:
    // `path` is empty for a picture that came from no file (pasted, dropped as data).
    Document(AnalysedPicture source, std::string title, std::filesystem::path path = {});

    const AnalysedPicture &source() const { return source_; }
    const Image &picture() const { return *source_.stack.picture(); }
    std::uint64_t digest() const { return digest_; } // pictureDigest()
    const std::string &title() const { return title_; }
    // The file that holds the picture itself; empty: none does.
    const std::filesystem::path &path() const { return path_; }

    const Chain &chain() const { return chain_; }
    std::size_t currentStep() const { return currentStep_; } // meaningless where the chain is empty
    const FilterStep *step() const {
        return currentStep_ < chain_.steps.size() ? &chain_.steps[currentStep_] : nullptr;
    }
    void selectStep(std::size_t index);

    // Takes the filter in place of the current step's, which keeps its options; the first step where there is none.
    void setFilter(const FilterInstance &filter);
    void addStep(const FilterInstance &filter); // behind the current one; becomes the current one
    // Changes the current step. `text` names the change for undo, `mergeKey` as in Operation.
    void changeStep(const FilterStep &after, const std::string &text, const std::string &mergeKey = {});
    void changeStepAt(std::size_t index, const FilterStep &after, const std::string &text,
                      const std::string &mergeKey = {});
    void removeStep(std::size_t index);
    void moveStep(std::size_t from, std::size_t to);
    void setDepth(OutputDepth depth);
    void setArea(const std::optional<Rectangle> &area); // Chain::area
    void replaceChain(const Chain &chain, const std::string &text);

    History &history() { return history_; }
    const History &history() const { return history_; }
    void undo();
    void redo();
    void goToState(std::size_t position); // by as many undos or redos; the nearest there is

    // Whether closing it would lose something: what the chain makes of the picture, or, where the chain is empty, the
    // picture itself, is in no file.
    bool needsSaving() const;
    // `file` now holds what `chain`, which need not be the present one any more, makes of the picture.
    void markSaved(const Chain &chain, const std::filesystem::path &file);
    // The file that holds what the present chain makes of the picture, as far as that was saved; else empty.
    std::filesystem::path savedAsItIs() const;
    // Where a result of it goes next: the folder that one was saved in last, else the picture's own; empty: neither.
    std::filesystem::path saveFolder() const;
    void setSaveFolder(const std::filesystem::path &folder) { saveFolder_ = folder; }
    // `file` now holds the picture itself, pixel for pixel.
    void takeFile(const std::filesystem::path &file);
    // `file` now holds something else: what was there of this document is in memory alone. False: nothing was.
    bool leaveFile(const std::filesystem::path &file);
    std::vector<std::filesystem::path> files() const; // which must not be replaced without a word

    // The result belongs to one state of the chain: `resultChain` says to which.
    void setResult(FilterResult result, const Chain &chain);
    void setResultStatistics(const ImageStatistics &statistics); // they take longer than the picture and follow it
    const FilterResult *result() const { return result_ ? &*result_ : nullptr; }
    const Chain &resultChain() const { return resultChain_; }
    bool resultIsCurrent() const { return result_ && resultChain_ == chain_; }

    const DocumentView &view() const { return view_; }
    void setView(const DocumentView &view) { view_ = viewWithin(view, picture().width(), picture().height()); }

private:
    void keepSelectionValid();

    AnalysedPicture source_;
    std::uint64_t digest_;
    std::string title_;
    std::filesystem::path path_;
    Chain chain_;
    Chain savedChain_;              // what it made of the picture lies
    std::filesystem::path savedIn_; // in this file; empty: in none
    std::filesystem::path saveFolder_;
    std::size_t currentStep_ = 0;
    DocumentView view_;
    History history_;
    std::optional<FilterResult> result_;
    Chain resultChain_;
};

} // namespace tessera
