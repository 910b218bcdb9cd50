#include "ui/kernel_editor/kernel_panel.h"

#include "app/core/error.h"
#include "app/session/kernel_analysis.h"
#include "ui/bridge/message.h"
#include "ui/kernel_editor/frequency_view.h"
#include "ui/kernel_editor/impulse_view.h"
#include "ui/kernel_editor/kernel_grid.h"
#include "ui/kernel_editor/kernel_window.h"
#include "ui/panels/controls.h"
#include "ui/window/theme.h"

#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>
#include <QToolButton>
#include <QVBoxLayout>

#include <cmath>

namespace tessera {

namespace {
QString number(double value) { return QString::number(value, 'g', 6); }

// Two digits that count, and no powers of ten where a person reads hundreds.
QString percent(double share) {
    const double value = 100 * share;
    return value >= 10 && value < 1e6 ? QString::number(value, 'f', 0) : QString::number(value, 'g', 2);
}
} // namespace

KernelPanel::KernelPanel(QWidget *parent, Form form)
    : Card(tr("Kernel"), parent), form_(form), next_(new QToolButton(this)),
      enlarge_(form == Form::Card ? new QToolButton(this) : nullptr), grid_(new KernelGrid(this)),
      controls_(new QWidget(this)), hint_(new QLabel(this)), impulse_(new ImpulseView(this)),
      frequency_(new FrequencyView(this)), tap_(new QLabel(this)) {
    next_->setAutoRaise(true);
    next_->setToolTip(tr("This filter has several kernels: show the next one"));
    next_->setAccessibleName(tr("Next kernel"));
    next_->setObjectName(QStringLiteral("kernel.next"));
    addToHeader(next_);
    connect(next_, &QToolButton::clicked, this, [this] {
        shown_ = (shown_ + 1) % kernels_.size();
        showKernel();
    });
    hint_->setFont(smallFont());
    hint_->setWordWrap(true);
    setForegroundMuted(hint_);
    tap_->setFont(smallFont());
    tap_->setObjectName(QStringLiteral("kernel.tap"));
    tap_->setAccessibleName(tr("Chosen tap"));
    setForegroundMuted(tap_);
    auto *layout = new QVBoxLayout(controls_);
    layout->setContentsMargins(0, 2, 0, 0);
    layout->setSpacing(5);
    layout->addWidget(tap_);
    layout->addWidget(makeGeometry());
    layout->addWidget(makeArithmetic());
    layout->addWidget(makeScale());
    layout->addWidget(makeButtons());
    layout->addWidget(makeTwoPasses());
    form == Form::Card ? layOutCard() : layOutWindow();
    connectGrid();
    setFilter(nullptr);
}

void KernelPanel::layOutCard() {
    enlarge_->setAutoRaise(true);
    enlarge_->setText(QStringLiteral("↗"));
    enlarge_->setFixedSize(20, 18);
    enlarge_->setAccessibleName(tr("Enlarge the kernel editor"));
    enlarge_->setToolTip(tr("Edit the kernel in a window of its own (Ctrl+K)"));
    enlarge_->setObjectName(QStringLiteral("kernel.enlarge"));
    addToHeader(enlarge_);
    connect(enlarge_, &QToolButton::clicked, this, &KernelPanel::enlarge);
    body()->addWidget(hint_);
    body()->addWidget(grid_);
    body()->addWidget(impulse_);
    body()->addWidget(frequency_);
    body()->addWidget(controls_);
    showResponses(false);
}

void KernelPanel::layOutWindow() {
    grid_->setRoomy(true);
    auto *columns = new QHBoxLayout;
    columns->setSpacing(14);
    auto *side = new QVBoxLayout;
    side->setSpacing(8);
    body()->addWidget(hint_);
    columns->addWidget(grid_, 1);
    for (QWidget *widget : {static_cast<QWidget *>(impulse_), static_cast<QWidget *>(frequency_), controls_}) {
        widget->setFixedWidth(270);
        side->addWidget(widget);
    }
    impulse_->setFixedHeight(128);
    frequency_->setFixedHeight(128);
    side->addStretch(1);
    columns->addLayout(side);
    body()->addLayout(columns, 1);
}

void KernelPanel::connectGrid() {
    connect(grid_->kernelModel(), &KernelModel::tapEdited, this, [this](int u, int v, double value) {
        guarded([&] {
            edit(withSymmetricTap(kernel_, u, v, value, symmetry()),
                 tr("tap %1, %2: %3").arg(u).arg(v).arg(number(value)));
        });
    });
    connect(grid_->kernelModel(), &KernelModel::badEntry, this, [this](const QString &text) {
        complain(*grid_,
                 isOutOfRange(text) ? tr("“%1” is too large or too small for a number").arg(text)
                                    : tr("“%1” is not a number").arg(text),
                 tr("type a number such as 0.5, -1 or 1/9"));
    });
    connect(grid_, &KernelGrid::pasted, this, [this](int u, int v, const QString &text) {
        guarded([&] { edit(withPastedTaps(kernel_, u, v, text.toStdString()), tr("paste taps")); });
    });
    connect(grid_, &KernelGrid::cleared, this, [this](const QRect &part) { guarded([&] { clearTaps(part); }); });
    connect(grid_->selectionModel(), &QItemSelectionModel::currentChanged, this, &KernelPanel::showTap);
    connect(grid_->kernelModel(), &QAbstractItemModel::modelReset, this, &KernelPanel::showTap);
}

void KernelPanel::clearTaps(const QRect &part) {
    ConvolutionKernel changed = kernel_;
    for (int v = part.top(); v <= part.bottom(); ++v)
        for (int u = part.left(); u <= part.right(); ++u)
            changed = withSymmetricTap(changed, u, v, 0, symmetry());
    if (!(changed == kernel_))
        edit(changed, tr("clear taps"));
}

void KernelPanel::enlarge() {
    if (!window_) {
        window_ = new KernelWindow(window());
        KernelPanel *inner = window_->panel();
        connect(inner, &KernelPanel::kernelEdited, this, &KernelPanel::kernelEdited);
        connect(inner, &KernelPanel::problem, this, &KernelPanel::problem);
        connect(inner, &KernelPanel::twoPassesWanted, this, &KernelPanel::twoPassesWanted);
        connect(inner, &KernelPanel::codeWanted, this, &KernelPanel::codeWanted);
        connect(inner, &KernelPanel::copied, this, &KernelPanel::copied);
        connect(window_, &KernelWindow::undoWanted, this, &KernelPanel::undoWanted);
        connect(window_, &KernelWindow::redoWanted, this, &KernelPanel::redoWanted);
        inner->shown_ = shown_;
    }
    if (!window_->isVisible()) // closed it was not kept up to date
        window_->panel()->setFilter(filter_ ? &*filter_ : nullptr, flip_);
    window_->show();
    window_->raise();
    window_->activateWindow();
    window_->panel()->grid()->setFocus();
}

void KernelPanel::settle() {
    if (window_)
        window_->settle();
}

void KernelPanel::setFilter(const FilterInstance *filter, bool flip) {
    filter_ = filter ? std::optional(*filter) : std::nullopt;
    flip_ = flip;
    kernels_.clear();
    QString trouble;
    if (filter) {
        try {
            kernels_ = buildFilter(*filter).kernels;
        } catch (const Error &error) {
            trouble = messageFrom(error).what;
        }
    }
    if (window_ && window_->isVisible())
        window_->panel()->setFilter(filter, flip);
    const bool any = !kernels_.empty();
    grid_->setVisible(any);
    controls_->setVisible(any);
    hint_->setVisible(!any);
    if (enlarge_)
        enlarge_->setVisible(any);
    showResponses(any && (form_ == Form::Window || responses_->isChecked()));
    if (!any) {
        impulse_->setKernel(nullptr, false);
        frequency_->setKernel(nullptr);
        next_->hide();
        setTitle(tr("Kernel"));
        setNote({});
        hint_->setText(trouble.isEmpty() ? tr("The taps of the chosen filter appear here, to look at and to edit.")
                                         : trouble);
        return;
    }
    shown_ = std::min(shown_, kernels_.size() - 1);
    showKernel();
}

void KernelPanel::showResponses(bool shown) {
    impulse_->setVisible(shown);
    frequency_->setVisible(shown);
}

void KernelPanel::showKernel() {
    kernel_ = kernels_[shown_];
    showing_ = true;
    grid_->setKernel(kernel_);
    setTitle(tr("Kernel %1 × %2").arg(kernel_.width).arg(kernel_.height));
    impulse_->setKernel(&kernel_, flip_);
    frequency_->setKernel(&kernel_);
    showRank();
    showTap();
    next_->setVisible(kernels_.size() > 1);
    next_->setText(tr("%1 of %2").arg(shown_ + 1).arg(kernels_.size()));
    width_->setValue(kernel_.width);
    height_->setValue(kernel_.height);
    anchorX_->setRange(0, kernel_.width - 1);
    anchorY_->setRange(0, kernel_.height - 1);
    anchorX_->setValue(kernel_.anchorX);
    anchorY_->setValue(kernel_.anchorY);
    divisor_->setText(shownDivisor());
    offset_->setValue(kernel_.offset);
    showing_ = false;
}

// Cells may be too small for their numbers.
void KernelPanel::showTap() {
    const QModelIndex at = grid_->currentIndex();
    if (!at.isValid() || at.column() >= kernel_.width || at.row() >= kernel_.height)
        tap_->setText(kernel_.taps.size() == 1 ? tr("One tap; choose it and type")
                                               : tr("%1 taps; choose one and type").arg(kernel_.taps.size()));
    else
        tap_->setText(tr("column %1, row %2: %3")
                          .arg(at.column())
                          .arg(at.row())
                          .arg(kernel_.at(at.column(), at.row()), 0, 'g', 8));
}

// Sum and rank in the heading; what two passes in place of one would cost.
void KernelPanel::showRank() {
    double sum = kernel_.sum(), magnitude = 0;
    for (const double tap : kernel_.taps)
        magnitude += std::abs(tap);
    if (std::abs(sum) < 1e-12 * magnitude)
        sum = 0; // what is left of it is rounding
    const double divisor = kernel_.effectiveDivisor();
    const KernelRank rank = analyseRank(kernel_);
    const QString total =
        divisor == 1 ? tr("sum %1").arg(number(sum)) : tr("sum %1 ÷ %2").arg(number(sum), number(divisor));
    const bool flat = kernel_.width == 1 || kernel_.height == 1;
    setNote(flat ? total : tr("%1 · rank %2").arg(total).arg(rank.rank));
    twoPasses_->setEnabled(!flat && kernels_.size() == 1);
    const QString taps =
        tr("%1 taps instead of %2").arg(kernel_.width + kernel_.height).arg(kernel_.width * kernel_.height);
    rank_->setText(flat ? tr("One row or column: nothing to separate")
                   : rank.rank <= 1
                       ? tr("Separable: %1, the same result").arg(taps)
                       : tr("Rank %1, not separable: %2 would be off by up to %3 % of the largest tap, at worst %4 % "
                            "of white in the picture")
                             .arg(rank.rank)
                             .arg(taps)
                             .arg(percent(rank.separableError))
                             .arg(percent(rank.worstOutput)));
}

// What was changed is no longer the kernel that had the name.
void KernelPanel::edit(const ConvolutionKernel &kernel, const QString &text, const QString &mergeKey) {
    ConvolutionKernel nameless = kernel;
    nameless.name.clear();
    emit kernelEdited(nameless, text, mergeKey);
}

void KernelPanel::replace(const ConvolutionKernel &kernel, const QString &text) { emit kernelEdited(kernel, text, {}); }

void KernelPanel::guarded(const std::function<void()> &action) {
    try {
        action();
    } catch (const Error &error) {
        const Message said = messageFrom(error);
        emit problem(said.what, said.remedy);
    }
}

} // namespace tessera
