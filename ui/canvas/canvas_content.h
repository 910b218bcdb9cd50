// What the canvas shows, set by the window, read by the panes.
#pragma once

#include "app/session/display.h"
#include "app/session/picture_stack.h"
#include "app/session/tap_sum.h"

#include <QRect>
#include <QString>

#include <cstdint>
#include <map>
#include <optional>

namespace tessera {

enum class PaneKind { Original, Result, Split, Difference, Variant };

// A part of the result that is there before the whole.
struct ResultPatch {
    int level = 0;
    Rectangle region; // in pixels of that level
    SharedImage pixels;
    bool exact = false; // bit for bit the part of the whole to come; never at a level above 0
    std::uint64_t serial = 0;
};

// What one variant made of the picture.
struct VariantPicture {
    PictureStack picture;
    std::uint64_t serial = 0;
    std::optional<ResultPatch> patch;
    QString caption; // "Tiled · simulator", or why there is nothing
    QString time;
    bool failed = false;   // the caption says why
    bool outdated = false; // of an older chain; the new one's turn is yet to come
};

struct CanvasContent {
    PictureStack before, after;
    std::uint64_t beforeSerial = 0, afterSerial = 0;
    std::optional<ResultPatch> patch;
    std::map<QString, VariantPicture> variants; // by the names that panes know them by
    QString resultCaption;                      // "Unsharp mask · blocked"
    QString timeCaption;                        // "0.275 ms"
    bool pending = false;                       // what is shown is of an older chain, and nothing newer is there yet
    DifferenceMode difference = DifferenceMode::Amplified;
    double gain = 4;
    std::optional<FilterStep> explained; // the only step of the chain: its sums are shown pixel by pixel
    bool tapTable = false;               // all terms of the sum, not the largest alone
    int tapChannel = 0;                  // the colour whose sum is shown
    QRect region;                        // marked by the user for the statistics; null: none
    QRect area;                          // filtered is this part alone; null: everything
    bool flipped = false;                // result panes show the original while a key is held
    double splitPosition = 0.5;          // share of the pane's width
    std::uint64_t revision = 0;          // differs whenever anything above has changed
};

} // namespace tessera
