#include "ui/kernel_editor/kernel_panel.h"

#include "app/core/error.h"
#include "app/session/kernel_analysis.h"
#include "app/session/kernel_edit.h"
#include "ui/kernel_editor/frequency_view.h"
#include "ui/kernel_editor/kernel_grid.h"
#include "ui/panels/controls.h"
#include "ui/window/theme.h"

#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>
#include <QToolButton>
#include <QVBoxLayout>

namespace tessera {

namespace {
QString number(double value) { return QString::number(value, 'g', 6); }
} // namespace

KernelPanel::KernelPanel(QWidget *parent)
    : Card(tr("Kernel"), parent), grid_(new KernelGrid(this)), controls_(new QWidget(this)), hint_(new QLabel(this)),
      next_(new QToolButton(this)) {
    next_->setAutoRaise(true);
    next_->setToolTip(tr("This filter has several kernels: show the next one"));
    next_->setAccessibleName(tr("Next kernel"));
    addToHeader(next_);
    connect(next_, &QToolButton::clicked, this, [this] {
        shown_ = (shown_ + 1) % kernels_.size();
        showKernel();
    });
    hint_->setFont(smallFont());
    hint_->setWordWrap(true);
    setForegroundMuted(hint_);
    auto *layout = new QVBoxLayout(controls_);
    layout->setContentsMargins(0, 2, 0, 0);
    layout->setSpacing(5);
    body()->addWidget(hint_);
    body()->addWidget(grid_);
    frequency_ = new FrequencyView(this);
    frequency_->hide();
    body()->addWidget(frequency_);
    body()->addWidget(controls_);
    layout->addWidget(makeGeometry());
    layout->addWidget(makeArithmetic());
    layout->addWidget(makeButtons());

    connect(grid_->kernelModel(), &KernelModel::tapEdited, this,
            [this](int u, int v, double value) { guarded([&] { edit(withTap(kernel_, u, v, value), tr("tap")); }); });
    connect(grid_->kernelModel(), &KernelModel::badEntry, this, [this](const QString &text) {
        emit problem(tr("“%1” is not a number").arg(text), tr("type a number such as 0.5, -1 or 1/9"));
    });
    connect(grid_, &KernelGrid::pasted, this, [this](int u, int v, const QString &text) {
        guarded([&] { edit(withPastedTaps(kernel_, u, v, text.toStdString()), tr("paste taps")); });
    });
    setFilter(nullptr);
}

QSpinBox *KernelPanel::makeSide(const QString &name, const QString &help, int minimum, int maximum) {
    auto *spin = new QSpinBox(controls_);
    spin->setRange(minimum, maximum);
    spin->setKeyboardTracking(false);
    spin->setAlignment(Qt::AlignRight);
    spin->setFocusPolicy(Qt::StrongFocus);
    spin->setAccessibleName(name);
    spin->setToolTip(help);
    spin->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    spin->setMinimumWidth(36);
    return spin;
}

QWidget *KernelPanel::makeGeometry() {
    auto *row = new QWidget(controls_);
    auto *layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(3);
    width_ = makeSide(tr("Kernel width"), tr("Columns of the kernel"), 1, ConvolutionKernel::maximumSide);
    height_ = makeSide(tr("Kernel height"), tr("Rows of the kernel"), 1, ConvolutionKernel::maximumSide);
    anchorX_ = makeSide(tr("Anchor column"),
                        tr("The tap that lies on the output pixel, outlined in the grid: its column"), 0, 254);
    anchorY_ =
        makeSide(tr("Anchor row"), tr("The tap that lies on the output pixel, outlined in the grid: its row"), 0, 254);
    width_->setObjectName(QStringLiteral("kernel.width"));
    height_->setObjectName(QStringLiteral("kernel.height"));
    auto *anchor = new QLabel(tr("anchor"), row);
    anchor->setFont(smallFont());
    setForegroundMuted(anchor);
    auto *times = new QLabel(QStringLiteral("×"), row);
    layout->addWidget(width_, 1);
    layout->addWidget(times);
    layout->addWidget(height_, 1);
    layout->addSpacing(3);
    layout->addWidget(anchor);
    layout->addWidget(anchorX_, 1);
    layout->addWidget(anchorY_, 1);
    const auto resize = [this] {
        if (!showing_)
            edit(resized(kernel_, width_->value(), height_->value()), tr("kernel size"));
    };
    connect(width_, &QSpinBox::valueChanged, this, resize);
    connect(height_, &QSpinBox::valueChanged, this, resize);
    const auto moveAnchor = [this] {
        if (showing_)
            return;
        ConvolutionKernel moved = kernel_;
        moved.anchorX = anchorX_->value();
        moved.anchorY = anchorY_->value();
        edit(moved, tr("anchor"));
    };
    connect(anchorX_, &QSpinBox::valueChanged, this, moveAnchor);
    connect(anchorY_, &QSpinBox::valueChanged, this, moveAnchor);
    return row;
}

QWidget *KernelPanel::makeArithmetic() {
    auto *row = new QWidget(controls_);
    auto *layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    divisor_ = new QLineEdit(row);
    divisor_->setAccessibleName(tr("Divisor"));
    divisor_->setToolTip(tr("The sum is divided by this; auto: the sum of the taps, or 1 where that is 0"));
    divisor_->setObjectName(QStringLiteral("kernel.divisor"));
    divisor_->setAlignment(Qt::AlignRight);
    divisor_->setMinimumWidth(36);
    offset_ = new NumberField(row);
    offset_->setRange(-1e6, 1e6);
    offset_->setDecimals(4);
    offset_->setAccessibleName(tr("Kernel offset"));
    offset_->setToolTip(tr("Added after dividing, in the picture's own units"));
    const auto caption = [row](const QString &text) {
        auto *label = new QLabel(text, row);
        label->setFont(smallFont());
        setForegroundMuted(label);
        return label;
    };
    layout->addWidget(caption(tr("divide by")));
    layout->addWidget(divisor_, 1);
    layout->addWidget(caption(tr("add")));
    layout->addWidget(offset_, 1);
    connect(divisor_, &QLineEdit::editingFinished, this, &KernelPanel::editDivisor);
    connect(offset_, &QDoubleSpinBox::valueChanged, this, [this](double value) {
        if (showing_)
            return;
        ConvolutionKernel changed = kernel_;
        changed.offset = value;
        edit(changed, tr("offset"));
    });
    return row;
}

void KernelPanel::editDivisor() {
    const QString text = divisor_->text().trimmed();
    ConvolutionKernel changed = kernel_;
    if (text.isEmpty() || text.compare(tr("auto"), Qt::CaseInsensitive) == 0 || text == QLatin1String("auto")) {
        changed.divisor.reset();
    } else {
        bool fits = false;
        const double value = text.toDouble(&fits);
        if (!fits || value == 0) {
            emit problem(tr("“%1” cannot be a divisor").arg(text), tr("type a number other than 0, or auto"));
            return showKernel();
        }
        changed.divisor = value;
    }
    if (!(changed == kernel_))
        edit(changed, tr("divisor"));
}

QToolButton *KernelPanel::makeButton(const QString &label, const QString &help, std::function<void()> action) {
    auto *button = new QToolButton(controls_);
    button->setText(label);
    button->setToolTip(help);
    button->setFont(smallFont());
    button->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    button->setFocusPolicy(Qt::StrongFocus);
    if (action)
        connect(button, &QToolButton::clicked, this, [this, action] { guarded(action); });
    return button;
}

void KernelPanel::setFilter(const FilterInstance *filter) {
    hasFilter_ = filter != nullptr;
    kernels_.clear();
    QString trouble;
    if (filter) {
        try {
            kernels_ = buildFilter(*filter).kernels;
        } catch (const Error &error) {
            trouble = QString::fromStdString(error.what());
        }
    }
    if (kernels_.empty()) {
        grid_->hide();
        frequency_->setKernel(nullptr);
        controls_->hide();
        next_->hide();
        setTitle(tr("Kernel"));
        setNote({});
        hint_->setText(trouble.isEmpty() ? tr("The taps of the chosen filter appear here, to look at and to edit.")
                                         : trouble);
        hint_->show();
        return;
    }
    hint_->hide();
    grid_->show();
    controls_->show();
    shown_ = std::min(shown_, kernels_.size() - 1);
    showKernel();
}

void KernelPanel::showKernel() {
    kernel_ = kernels_[shown_];
    showing_ = true;
    grid_->setKernel(kernel_);
    setTitle(tr("Kernel %1 × %2").arg(kernel_.width).arg(kernel_.height));
    frequency_->setKernel(&kernel_);
    showRank();
    next_->setVisible(kernels_.size() > 1);
    next_->setText(tr("%1 of %2").arg(shown_ + 1).arg(kernels_.size()));
    width_->setValue(kernel_.width);
    height_->setValue(kernel_.height);
    anchorX_->setRange(0, kernel_.width - 1);
    anchorY_->setRange(0, kernel_.height - 1);
    anchorX_->setValue(kernel_.anchorX);
    anchorY_->setValue(kernel_.anchorY);
    divisor_->setText(kernel_.divisor ? number(*kernel_.divisor) : tr("auto"));
    offset_->setValue(kernel_.offset);
    showing_ = false;
}

// Sum and rank in the heading; a separable kernel offers its two passes.
void KernelPanel::showRank() {
    const double sum = kernel_.sum(), divisor = kernel_.effectiveDivisor();
    const KernelRank rank = analyseRank(kernel_);
    const QString total =
        divisor == 1 ? tr("sum %1").arg(number(sum)) : tr("sum %1 ÷ %2").arg(number(sum), number(divisor));
    const bool flat = kernel_.width == 1 || kernel_.height == 1;
    setNote(flat ? total : tr("%1 · rank %2").arg(total).arg(rank.rank));
    twoPasses_->setEnabled(!flat && kernels_.size() == 1);
    twoPasses_->setToolTip(
        flat             ? tr("The kernel is one row or column already")
        : rank.rank <= 1 ? tr("Separable: one pass across and one down give the same result with %1 taps instead of %2")
                               .arg(kernel_.width + kernel_.height)
                               .arg(kernel_.width * kernel_.height)
                         : tr("Of rank %1: two passes are an approximation, off by up to %2 % of the largest tap")
                               .arg(rank.rank)
                               .arg(rank.separableError * 100, 0, 'g', 2));
}

void KernelPanel::edit(const ConvolutionKernel &kernel, const QString &text, const QString &mergeKey) {
    emit kernelEdited(kernel, text, mergeKey);
}

void KernelPanel::guarded(const std::function<void()> &action) {
    try {
        action();
    } catch (const Error &error) {
        emit problem(QString::fromStdString(error.what()), QString::fromStdString(error.remedy()));
    }
}

} // namespace tessera
