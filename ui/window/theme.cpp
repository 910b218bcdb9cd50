#include "ui/window/theme.h"

#include "ui/window/style.h"

#include <QApplication>
#include <QFontDatabase>
#include <QPalette>
#include <QToolTip>

namespace tessera {

namespace {

Theme darkTheme() {
    Theme t;
    t.dark = true;
    t.window = QColor(0x16, 0x18, 0x1b);
    t.bar = QColor(0x1d, 0x20, 0x23);
    t.card = QColor(0x1b, 0x1e, 0x21);
    t.cardBorder = QColor(0x2b, 0x2f, 0x34);
    t.field = QColor(0x10, 0x12, 0x14);
    t.button = QColor(0x25, 0x29, 0x2e);
    t.buttonHover = QColor(0x2e, 0x33, 0x39);
    t.buttonBorder = QColor(0x39, 0x3f, 0x46);
    t.text = QColor(0xd9, 0xdc, 0xdf);
    t.muted = QColor(0x93, 0x9a, 0xa2);
    t.accent = QColor(0x2b, 0x4a, 0x8f);
    t.accentText = QColor(0xf2, 0xf5, 0xfb);
    t.focus = QColor(0x6f, 0x92, 0xe6);
    t.bar1 = QColor(0x5a, 0x6a, 0xd0);
    t.red = QColor(0xe5, 0x48, 0x4d);
    t.green = QColor(0x46, 0xa7, 0x58);
    t.blue = QColor(0x4c, 0x7d, 0xf0);
    t.grey = QColor(0xb4, 0xba, 0xc1);
    t.mark = QColor(0xff, 0xe0, 0x3d);
    t.error = QColor(0xe5, 0x48, 0x4d);
    t.warning = QColor(0xe2, 0xa3, 0x36);
    t.good = QColor(0x46, 0xa7, 0x58);
    t.negative = QColor(0xb9, 0x3a, 0x42);
    t.positive = QColor(0x2f, 0x8f, 0x4e);
    t.canvas = QColor(0x0e, 0x0f, 0x11);
    t.checkerA = QColor(0x2a, 0x2d, 0x31);
    t.checkerB = QColor(0x38, 0x3c, 0x41);
    t.overlay = QColor(0x12, 0x14, 0x17, 220);
    t.overlayText = QColor(0xe6, 0xe8, 0xea);
    return t;
}

Theme lightTheme() {
    Theme t;
    t.dark = false;
    t.window = QColor(0xee, 0xf0, 0xf2);
    t.bar = QColor(0xf8, 0xf9, 0xfa);
    t.card = QColor(0xfc, 0xfc, 0xfd);
    t.cardBorder = QColor(0xd8, 0xdc, 0xe1);
    t.field = QColor(0xf3, 0xf4, 0xf6);
    t.button = QColor(0xff, 0xff, 0xff);
    t.buttonHover = QColor(0xf0, 0xf2, 0xf5);
    t.buttonBorder = QColor(0xc6, 0xcb, 0xd2);
    t.text = QColor(0x1c, 0x20, 0x25);
    t.muted = QColor(0x5e, 0x66, 0x70);
    t.accent = QColor(0x2f, 0x5b, 0xc4);
    t.accentText = QColor(0xff, 0xff, 0xff);
    t.focus = QColor(0x3d, 0x6f, 0xe0);
    t.bar1 = QColor(0x4c, 0x67, 0xd6);
    t.red = QColor(0xd1, 0x34, 0x3a);
    t.green = QColor(0x2b, 0x8a, 0x3e);
    t.blue = QColor(0x2f, 0x62, 0xdc);
    t.grey = QColor(0x56, 0x5e, 0x68);
    t.mark = QColor(0xc9, 0x8a, 0x00);
    t.error = QColor(0xc9, 0x2a, 0x2f);
    t.warning = QColor(0x8f, 0x59, 0x00);
    t.good = QColor(0x2b, 0x8a, 0x3e);
    t.negative = QColor(0xd4, 0x52, 0x58);
    t.positive = QColor(0x3d, 0xa1, 0x5d);
    t.canvas = QColor(0xdd, 0xe0, 0xe4);
    t.checkerA = QColor(0xff, 0xff, 0xff);
    t.checkerB = QColor(0xe2, 0xe4, 0xe8);
    t.overlay = QColor(0xfb, 0xfb, 0xfc, 228);
    t.overlayText = QColor(0x1c, 0x20, 0x25);
    return t;
}

Theme &mutableTheme() {
    static Theme current = darkTheme();
    return current;
}

QPalette paletteFor(const Theme &t) {
    QPalette p;
    p.setColor(QPalette::Window, t.window);
    p.setColor(QPalette::WindowText, t.text);
    p.setColor(QPalette::Base, t.field);
    p.setColor(QPalette::AlternateBase, t.card);
    p.setColor(QPalette::Text, t.text);
    p.setColor(QPalette::PlaceholderText, t.muted);
    p.setColor(QPalette::Button, t.button);
    p.setColor(QPalette::ButtonText, t.text);
    p.setColor(QPalette::BrightText, t.error);
    p.setColor(QPalette::Highlight, t.accent);
    p.setColor(QPalette::HighlightedText, t.accentText);
    p.setColor(QPalette::ToolTipBase, t.card);
    p.setColor(QPalette::ToolTipText, t.text);
    p.setColor(QPalette::Link, t.focus);
    p.setColor(QPalette::Light, t.cardBorder);
    p.setColor(QPalette::Midlight, t.cardBorder);
    p.setColor(QPalette::Mid, t.cardBorder);
    p.setColor(QPalette::Dark, t.cardBorder);
    p.setColor(QPalette::Shadow, t.cardBorder);
    QColor faint = t.muted;
    faint.setAlphaF(0.55f);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        p.setColor(QPalette::Disabled, role, faint);
    p.setColor(QPalette::Disabled, QPalette::Highlight, t.cardBorder);
    p.setColor(QPalette::Disabled, QPalette::HighlightedText, t.muted);
    return p;
}

// Decided once, before our own palette hides what the desktop asked for.
bool desktopIsDark() {
    static const bool dark = QApplication::palette().color(QPalette::Window).lightness() < 128;
    return dark;
}

QFont sizedFont(double factor) {
    QFont font = QApplication::font();
    font.setPointSizeF(font.pointSizeF() * factor);
    return font;
}

} // namespace

const Theme &theme() { return mutableTheme(); }

ThemeNotifier &themeNotifier() {
    static ThemeNotifier notifier;
    return notifier;
}

void applyTheme(ThemeChoice choice) {
    const bool systemDark = desktopIsDark();
    const bool dark = choice == ThemeChoice::System ? systemDark : choice == ThemeChoice::Dark;
    mutableTheme() = dark ? darkTheme() : lightTheme();
    static bool first = true;
    if (first) {
        QFont font = QApplication::font();
        for (const char *family : {"Inter", "Noto Sans", "Cantarell", "Ubuntu", "DejaVu Sans"})
            if (QFontDatabase::hasFamily(QString::fromLatin1(family))) {
                font.setFamily(QString::fromLatin1(family));
                break;
            }
        font.setPointSizeF(9.0); // dense: this is a workbench; Qt scales it with the screen
        QApplication::setFont(font);
        QApplication::setStyle(new TesseraStyle);
        first = false;
    }
    QApplication::setPalette(paletteFor(theme()));
    QToolTip::setPalette(paletteFor(theme()));
    emit themeNotifier().changed();
}

QFont smallFont() { return sizedFont(0.92); }

QFont headingFont() {
    QFont font = sizedFont(0.92);
    font.setWeight(QFont::DemiBold);
    return font;
}

QFont monoFont() { return sizedFont(0.92); }

} // namespace tessera
