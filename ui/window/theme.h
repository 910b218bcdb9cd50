// The window's colours and type, light and dark. Widgets that paint themselves take their colours from theme() and
// repaint on QEvent::PaletteChange.
#pragma once

#include <QColor>
#include <QFont>
#include <QObject>

namespace tessera {

enum class ThemeChoice { System, Light, Dark };

struct Theme {
    bool dark = true;
    QColor window; // behind everything
    QColor bar;    // menu bar, tool bar, status bar
    QColor card;   // a panel's ground
    QColor cardBorder;
    QColor field; // entry fields, plots
    QColor button;
    QColor buttonHover;
    QColor buttonBorder;
    QColor text;
    QColor muted;  // labels, units, headings
    QColor accent; // selection
    QColor accentText;
    QColor focus;                  // ring around what has the keyboard
    QColor bar1;                   // bars of charts
    QColor red, green, blue, grey; // the channels' curves
    QColor mark;                   // lines that state a limit
    QColor error, warning, good;   // message bar
    QColor negative, positive;     // full strength of a kernel's taps
    QColor canvas;                 // around the picture
    QColor checkerA, checkerB;     // under transparent pixels
    QColor overlay;                // captions above the picture, translucent
    QColor overlayText;
};

const Theme &theme();

// Says when the theme has changed, for widgets that keep colours in palettes of their own.
class ThemeNotifier : public QObject {
    Q_OBJECT
signals:
    void changed();
};
ThemeNotifier &themeNotifier();

// Sets palette, style and font of the application; may be called again at any time.
void applyTheme(ThemeChoice choice);

QFont smallFont();   // captions of cards, tables
QFont headingFont(); // names of cards: small, bold
QFont monoFont();    // numbers in columns; tabular figures of the interface font where it has them

} // namespace tessera
