#include "ui/canvas/tap_table.h"

#include "ui/canvas/pixel_overlay.h"
#include "ui/window/theme.h"

#include <QObject>

#include <algorithm>
#include <cmath>

namespace tessera {

namespace {

constexpr int margin = 8, padX = 8, padY = 5, gap = 12;

QString number(double value, int digits = 4) {
    return QString::fromStdString(tapNumber(value, digits)).replace(QLatin1Char('-'), QChar(0x2212));
}

QString cell(const TapTerm &term) {
    const QString text = number(term.tap) + QChar(0xb7) + number(term.value);
    return term.outside ? QLatin1Char('(') + text + QLatin1Char(')') : text;
}

QStringList footerOf(const TapSum &sum) {
    QStringList parts{QObject::tr("Σ = %1").arg(number(sum.sum, sumDigits))};
    if (sum.divisor != 1 || sum.offset != 0)
        parts << QStringLiteral("%1 / %2 + %3 = %4")
                     .arg(number(sum.sum, sumDigits), number(sum.divisor), number(sum.offset),
                          number(sum.value, sumDigits));
    if (!sum.caveat.empty())
        parts << QStringLiteral("(%1)").arg(QString::fromStdString(sum.caveat));
    return parts;
}

int widthOf(const QString &text, const QFontMetrics &metrics) {
    return metrics.horizontalAdvance(text) + 2; // it is rounded, and the cut is not
}

// On one line, or where that is too wide a line each: none of the parts may be cut.
QStringList linesOf(const QStringList &parts, QLatin1String between, const QFontMetrics &metrics, int widest) {
    const QString line = parts.join(between);
    return widthOf(line, metrics) <= widest ? QStringList{line} : parts;
}

std::vector<QStringList> gridRows(const TapSum &sum) {
    std::vector<QStringList> rows(std::size_t(sum.height));
    for (const TapTerm &term : sum.terms)
        rows[std::size_t(term.v)] << cell(term);
    return rows;
}

std::vector<QStringList> largestRows(const TapSum &sum, int lines) {
    std::vector<TapTerm> terms = sum.terms;
    std::erase_if(terms, [](const TapTerm &term) { return term.tap == 0; });
    std::stable_sort(terms.begin(), terms.end(),
                     [](const TapTerm &a, const TapTerm &b) { return std::abs(a.product()) > std::abs(b.product()); });
    std::vector<QStringList> rows;
    // The last line says how many more there are, where not all fit.
    const int shown = int(terms.size()) <= lines ? int(terms.size()) : lines - 1;
    for (int i = 0; i < shown; ++i) {
        const TapTerm &term = terms[std::size_t(i)];
        rows.push_back({QObject::tr("tap %1, %2").arg(term.u).arg(term.v), cell(term), number(term.product())});
    }
    if (shown < int(terms.size())) {
        double rest = 0;
        for (std::size_t i = std::size_t(shown); i < terms.size(); ++i)
            rest += terms[i].product();
        rows.push_back({QObject::tr("%1 more").arg(terms.size() - std::size_t(shown)), {}, number(rest)});
    }
    return rows;
}

std::vector<int> columnWidths(const TapTable &table, const QFontMetrics &metrics) {
    std::vector<int> widths;
    for (const QStringList &row : table.rows)
        for (qsizetype i = 0; i < row.size(); ++i) {
            if (std::size_t(i) >= widths.size())
                widths.push_back(0);
            widths[std::size_t(i)] = std::max(widths[std::size_t(i)], widthOf(row[i], metrics));
        }
    return widths;
}

int totalWidth(const std::vector<int> &widths) {
    int total = 0;
    for (const int width : widths)
        total += width + (total ? gap : 0);
    return total;
}

QString channelName(PixelFormat format, int channel) {
    static const char *const names[] = {"R", "G", "B"};
    return format.colourChannels() == 1 ? QObject::tr("Grey") : QLatin1String(names[channel]);
}

} // namespace

TapTable tapTable(const TapSum &sum, QPoint pixel, const QString &channel, int columns, int lines) {
    TapTable table;
    table.heading = QStringList{QObject::tr("%1 at x %2, y %3:").arg(channel).arg(pixel.x()).arg(pixel.y()),
                                QObject::tr("tap·value")};
    table.rows = sum.width <= columns && sum.height <= lines ? gridRows(sum) : largestRows(sum, lines);
    table.footer = footerOf(sum);
    return table;
}

QRect paintTapTable(QPainter &painter, const Image &before, const FilterStep &step, QPoint pixel, int channel,
                    const QRect &room) {
    const QFont font = smallFont();
    const QFontMetrics metrics(font);
    const int lines = (room.height() - 2 * margin - 2 * padY) / metrics.lineSpacing() - 2;
    const int widest = room.width() - 2 * (margin + padX);
    if (lines < 2 || !QRect(0, 0, before.width(), before.height()).contains(pixel))
        return {};
    TapSum sum;
    const int colour = std::clamp(channel, 0, before.format().colourChannels() - 1);
    try {
        sum = explainPixel(before.view(), step, pixel.x(), pixel.y(), colour);
    } catch (const Error &) {
        return {}; // contradictory options: the message bar has said so
    }
    const QString name = channelName(before.format(), colour);
    TapTable table = tapTable(sum, pixel, name, 15, lines);
    const QStringList footer = linesOf(table.footer, QLatin1String("    "), metrics, widest);
    const QStringList heading = linesOf(table.heading, QLatin1String(" "), metrics, widest);
    const int rows = lines + 2 - int(footer.size() + heading.size());
    if (totalWidth(columnWidths(table, metrics)) > widest || int(table.rows.size()) > rows)
        table = tapTable(sum, pixel, name, 0, std::max(1, rows));
    const std::vector<int> widths = columnWidths(table, metrics);
    int wanted = totalWidth(widths);
    for (const QString &part : heading + footer)
        wanted = std::max(wanted, widthOf(part, metrics));
    const int width = std::min(widest, wanted);
    const int height = int(heading.size() + table.rows.size() + footer.size()) * metrics.lineSpacing() + 2 * padY;
    const QRect box(room.right() + 1 - margin - width - 2 * padX, room.bottom() + 1 - height, width + 2 * padX, height);
    painter.save();
    painter.setFont(font);
    paintOverlayBox(painter, box);
    int y = box.top() + padY;
    const auto line = [&](int x, int lineWidth, const QString &text, Qt::Alignment alignment) {
        painter.drawText(QRect(x, y, lineWidth, metrics.lineSpacing()), alignment | Qt::AlignVCenter,
                         metrics.elidedText(text, Qt::ElideRight, lineWidth));
    };
    for (const QString &part : heading) {
        line(box.left() + padX, width, part, Qt::AlignLeft);
        y += metrics.lineSpacing();
    }
    for (const QStringList &row : table.rows) {
        int x = box.left() + padX;
        for (qsizetype i = 0; i < row.size(); ++i) {
            line(x, widths[std::size_t(i)], row[i], Qt::AlignRight);
            x += widths[std::size_t(i)] + gap;
        }
        y += metrics.lineSpacing();
    }
    for (const QString &part : footer) {
        line(box.left() + padX, width, part, Qt::AlignLeft);
        y += metrics.lineSpacing();
    }
    painter.restore();
    return box;
}

} // namespace tessera
