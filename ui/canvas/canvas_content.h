// What the canvas shows, set by the window, read by the panes.
#pragma once

#include "app/session/display.h"
#include "app/session/picture_stack.h"
#include "app/session/tap_sum.h"

#include <QRect>
#include <QString>

#include <cstdint>
#include <optional>

namespace tessera {

enum class PaneKind { Original, Result, Split, Difference };

// A part of the result that is there before the whole: exact at level 0, an approximation at a coarser level.
struct ResultPatch {
    int level = 0;
    Rectangle region; // in pixels of that level
    SharedImage pixels;
    std::uint64_t serial = 0;
};

struct CanvasContent {
    PictureStack before, after;
    std::uint64_t beforeSerial = 0, afterSerial = 0;
    std::optional<ResultPatch> patch;
    QString resultCaption; // "Unsharp mask · blocked"
    QString timeCaption;   // "0.275 ms"
    DifferenceMode difference = DifferenceMode::Amplified;
    double gain = 4;
    std::optional<FilterStep> explained; // the only step of the chain: its sums are shown pixel by pixel
    QRect region;                        // marked by the user for the statistics; null: none
    bool flipped = false;                // result panes show the original while a key is held
    double splitPosition = 0.5;          // share of the pane's width
};

} // namespace tessera
