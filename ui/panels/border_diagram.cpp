#include "ui/panels/border_diagram.h"

#include "ui/window/theme.h"

#include <QPainter>

#include <algorithm>

namespace tessera {

namespace {
std::string_view diagramOf(BorderMode mode) {
    for (const BorderName &entry : borderNames)
        if (entry.mode == mode)
            return entry.diagram;
    return {};
}
} // namespace

BorderDiagram::BorderDiagram(QWidget *parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setMode(mode_);
}

void BorderDiagram::setMode(BorderMode mode) {
    mode_ = mode;
    const std::string_view diagram = diagramOf(mode);
    const QString text = QString::fromLatin1(diagram.data(), qsizetype(diagram.size()));
    setAccessibleName(tr("Border: %1").arg(text));
    setToolTip(tr("A row abcd of the picture continues as %1").arg(text));
    update();
}

void BorderDiagram::paintEvent(QPaintEvent *) {
    const Theme &t = theme();
    QPainter painter(this);
    painter.setFont(smallFont());
    const std::string_view diagram = diagramOf(mode_);
    const int cells = int(diagram.size()) - 2;
    const int side = std::min(height(), width() / std::max(1, cells));
    int x = 0, part = 0; // before, inside, behind
    for (const char letter : diagram) {
        if (letter == '|') {
            ++part;
            continue;
        }
        const QRect cell(x, (height() - side) / 2, side - 1, side - 1);
        painter.fillRect(cell, part == 1 ? t.accent : t.field);
        painter.setPen(part == 1 ? t.accentText : t.muted);
        painter.drawText(cell, Qt::AlignCenter, QString(QLatin1Char(letter)));
        x += side;
    }
}

} // namespace tessera
