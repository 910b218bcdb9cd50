#include "ui/kernel_editor/kernel_grid.h"

#include "ui/panels/number_field.h"
#include "ui/window/theme.h"

#include <QApplication>
#include <QClipboard>
#include <QFontInfo>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPainter>
#include <QStyledItemDelegate>

#include <algorithm>
#include <cmath>

namespace tessera {

namespace {

constexpr int numberWidth = 22; // a cell narrower than this shows its colour alone
constexpr int highestCell = 22;
constexpr int tallest = 140;    // of a kernel shown as a picture in a card
constexpr int roomyCell = 64;   // no cell of the window's grid is larger
constexpr int smallestFont = 7; // pixels

QColor cellColour(double value, double largest) {
    const Theme &t = theme();
    if (value == 0 || largest == 0)
        return t.field;
    // The square root lifts small taps out of the dark: a gaussian's skirt stays visible.
    const double strength = 0.22 + 0.78 * std::sqrt(std::abs(value) / largest);
    const QColor full = value < 0 ? t.negative : t.positive;
    const auto mix = [strength](int from, int to) { return int(from + (to - from) * strength); };
    return {mix(t.field.red(), full.red()), mix(t.field.green(), full.green()), mix(t.field.blue(), full.blue())};
}

class CellDelegate : public QStyledItemDelegate {
public:
    explicit CellDelegate(KernelGrid *grid) : QStyledItemDelegate(grid), grid_(grid) {}

    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override {
        const KernelModel &model = *grid_->kernelModel();
        const ConvolutionKernel &kernel = model.kernel();
        const double value = kernel.at(index.column(), index.row());
        const bool numbers = grid_->showsNumbers();
        const QRect cell = numbers ? option.rect.adjusted(0, 0, -1, -1) : option.rect;
        const QColor fill = cellColour(value, model.largest());
        painter->fillRect(cell, fill);
        if (numbers) {
            painter->setFont(grid_->numberFont());
            const double light = 0.2126 * fill.redF() + 0.7152 * fill.greenF() + 0.0722 * fill.blueF();
            painter->setPen(value == 0     ? theme().muted
                            : light > 0.55 ? QColor(0x14, 0x16, 0x19)
                                           : QColor(0xf4, 0xf5, 0xf6));
            // Where not even one digit fits the colour tells, and the tool tip has the number.
            painter->drawText(cell, Qt::AlignCenter,
                              KernelModel::fittingText(value, painter->fontMetrics(), cell.width()));
        }
        if (index.column() == kernel.anchorX && index.row() == kernel.anchorY && cell.width() >= 5) {
            painter->setPen(QPen(theme().mark, 1));
            painter->drawRect(cell.adjusted(0, 0, -1, -1));
        }
        if (grid_->currentIndex() == index && grid_->hasFocus()) {
            painter->setPen(QPen(theme().focus, 2));
            painter->drawRect(cell.adjusted(1, 1, -1, -1));
        }
    }

    QWidget *createEditor(QWidget *parent, const QStyleOptionViewItem &, const QModelIndex &) const override {
        auto *editor = new QLineEdit(parent);
        editor->setFont(smallFont());
        editor->setAlignment(Qt::AlignCenter);
        editor->setFrame(false);
        editor->setAutoFillBackground(true);
        connect(editor, &QLineEdit::textChanged, editor,
                [editor](const QString &text) { showAllowed(*editor, text.trimmed().isEmpty() || readTap(text)); });
        return editor;
    }

    void updateEditorGeometry(QWidget *editor, const QStyleOptionViewItem &option, const QModelIndex &) const override {
        // At least as wide as a number needs, kept inside the grid.
        QRect rect = option.rect;
        rect.setWidth(std::max(rect.width(), 56));
        rect.setHeight(std::max(rect.height(), 20));
        const QRect room = grid_->viewport()->rect();
        rect.moveLeft(std::clamp(rect.left(), 0, std::max(0, room.right() + 1 - rect.width())));
        rect.moveTop(std::clamp(rect.top(), 0, std::max(0, room.bottom() + 1 - rect.height())));
        editor->setGeometry(rect);
    }

private:
    KernelGrid *grid_;
};

} // namespace

KernelGrid::KernelGrid(QWidget *parent) : QTableView(parent), model_(new KernelModel(this)) {
    setModel(model_);
    setItemDelegate(new CellDelegate(this));
    setAccessibleName(tr("Kernel taps"));
    setAccessibleDescription(tr("Type a number to change a tap; fractions such as 1/9 are understood"));
    horizontalHeader()->hide();
    verticalHeader()->hide();
    horizontalHeader()->setMinimumSectionSize(1);
    verticalHeader()->setMinimumSectionSize(1);
    setShowGrid(false);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::AnyKeyPressed |
                    QAbstractItemView::EditKeyPressed);
    setSelectionMode(QAbstractItemView::ContiguousSelection);
    viewport()->setAutoFillBackground(false);
    setTabKeyNavigation(false); // Tab leaves the grid, arrows move within it
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

void KernelGrid::setKernel(const ConvolutionKernel &kernel) {
    const QModelIndex before = currentIndex();
    const int u = before.column(), v = before.row();
    model_->setKernel(kernel);
    if (u >= 0 && u < kernel.width && v >= 0 && v < kernel.height && !currentIndex().isValid())
        setCurrentIndex(model_->index(v, u));
    layOut();
    updateGeometry();
    viewport()->update();
}

void KernelGrid::setRoomy(bool roomy) {
    roomy_ = roomy;
    if (roomy) {
        setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
        setMinimumSize(240, 240);
    }
    layOut();
}

bool KernelGrid::showsNumbers() const {
    const ConvolutionKernel &kernel = model_->kernel();
    const QSize shown = shownSize();
    return shown.width() / kernel.width >= numberWidth && shown.height() / kernel.height >= 14;
}

int KernelGrid::heightForWidth(int width) const {
    const ConvolutionKernel &kernel = model_->kernel();
    const double across = double(width) / kernel.width;
    const double cell = across >= numberWidth ? std::min<double>(across, highestCell)
                                              : std::min(across, tallest / double(kernel.height));
    return std::max(8, int(std::lround(cell * kernel.height)));
}

// A picture of a large kernel has square cells; numbers take the whole width of a card.
QSize KernelGrid::shownSize() const {
    const ConvolutionKernel &kernel = model_->kernel();
    if (roomy_) {
        const double cell =
            std::min<double>({double(width()) / kernel.width, double(height()) / kernel.height, roomyCell});
        // Numbers are wider than they are high.
        const double wide = std::min<double>(double(width()) / kernel.width, 1.3 * cell);
        return {int(wide * kernel.width), int(cell * kernel.height)};
    }
    const int high = heightForWidth(width());
    if (width() / kernel.width >= numberWidth)
        return {width(), high};
    return {std::min(width(), int(std::lround(double(high) * kernel.width / kernel.height))), high};
}

QSize KernelGrid::sizeHint() const {
    return roomy_ ? QSize(640, 560) : QSize(180, heightForWidth(width() > 20 ? width() : 180));
}

void KernelGrid::layOut() {
    const ConvolutionKernel &kernel = model_->kernel();
    if (const int high = heightForWidth(width()); !roomy_ && height() != high)
        setFixedHeight(high);
    const QSize shown = shownSize();
    for (int u = 0; u < kernel.width; ++u) // edges rounded from the whole: no cell is off by more than one pixel
        setColumnWidth(u, shown.width() * (u + 1) / kernel.width - shown.width() * u / kernel.width);
    for (int v = 0; v < kernel.height; ++v)
        setRowHeight(v, shown.height() * (v + 1) / kernel.height - shown.height() * v / kernel.height);
    chooseFont({shown.width() / kernel.width, shown.height() / kernel.height});
}

void KernelGrid::chooseFont(const QSize &cell) {
    numberFont_ = smallFont();
    QString longest;
    for (const double tap : model_->kernel().taps)
        if (const QString text = KernelModel::shortText(tap); text.size() > longest.size())
            longest = text;
    int pixels = QFontInfo(numberFont_).pixelSize();
    while (pixels > smallestFont && (QFontMetrics(numberFont_).horizontalAdvance(longest) > cell.width() - 2 ||
                                     QFontMetrics(numberFont_).height() > cell.height() + 3))
        numberFont_.setPixelSize(--pixels);
}

void KernelGrid::resizeEvent(QResizeEvent *event) {
    QTableView::resizeEvent(event);
    if (roomy_ || event->size().width() != event->oldSize().width())
        layOut();
}

bool KernelGrid::event(QEvent *event) {
    if (event->type() == QEvent::ShortcutOverride) {
        auto *key = static_cast<QKeyEvent *>(event);
        if (key->matches(QKeySequence::Copy) || key->matches(QKeySequence::Paste) || !key->text().trimmed().isEmpty()) {
            const bool command = key->modifiers() & (Qt::ControlModifier | Qt::AltModifier);
            if (!command || key->matches(QKeySequence::Copy) || key->matches(QKeySequence::Paste))
                event->accept(); // digits, + and - belong to the cell, not to the window's zoom
        }
    }
    return QTableView::event(event);
}

void KernelGrid::keyPressEvent(QKeyEvent *event) {
    if (event->matches(QKeySequence::Copy))
        return copy();
    if (event->matches(QKeySequence::Paste)) {
        const QModelIndex at = currentIndex().isValid() ? currentIndex() : model_->index(0, 0);
        emit pasted(at.column(), at.row(), QApplication::clipboard()->text());
        return;
    }
    if (event->key() == Qt::Key_Delete || event->key() == Qt::Key_Backspace) {
        if (currentIndex().isValid())
            emit cleared(selectedPart());
        return;
    }
    if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && state() != EditingState &&
        currentIndex().isValid()) {
        edit(currentIndex());
        return;
    }
    QTableView::keyPressEvent(event);
}

QRect KernelGrid::selectedPart() const {
    const QItemSelection range = selectionModel()->selection();
    if (range.isEmpty())
        return {currentIndex().column(), currentIndex().row(), 1, 1};
    return {QPoint(range.first().left(), range.first().top()), QPoint(range.first().right(), range.first().bottom())};
}

// What is selected, or the whole kernel where that is a single tap.
void KernelGrid::copy() {
    const QRect part = selectedPart();
    const bool single = part.width() * part.height() == 1;
    const QRect copied = single ? QRect(0, 0, model_->columnCount(), model_->rowCount()) : part;
    QStringList rows;
    for (int v = copied.top(); v <= copied.bottom(); ++v) {
        QStringList cells;
        for (int u = copied.left(); u <= copied.right(); ++u)
            cells << model_->data(model_->index(v, u), Qt::EditRole).toString();
        rows << cells.join(QLatin1Char('\t'));
    }
    QApplication::clipboard()->setText(rows.join(QLatin1Char('\n')));
}

} // namespace tessera
