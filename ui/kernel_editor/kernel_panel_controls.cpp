// What stands below the grid of the kernel panel: size and anchor, divisor and offset, scale, symmetry, two passes.
#include "ui/kernel_editor/kernel_model.h"
#include "ui/kernel_editor/kernel_panel.h"
#include "ui/panels/controls.h"
#include "ui/window/theme.h"

#include <QComboBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>
#include <QToolButton>

namespace tessera {

QSpinBox *KernelPanel::makeSide(const QString &name, const QString &help, int minimum, int maximum) {
    auto *spin = new WholeField(controls_);
    spin->setRange(minimum, maximum);
    spin->setAlignment(Qt::AlignRight);
    spin->setAccessibleName(name);
    spin->setToolTip(help);
    spin->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    spin->setMinimumWidth(spin->sizeHint().width()); // three digits, whatever the range is later
    return spin;
}

QWidget *KernelPanel::makeGeometry() {
    auto *box = new QWidget(controls_);
    auto *layout = new QGridLayout(box);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setHorizontalSpacing(4);
    layout->setVerticalSpacing(4);
    width_ = makeSide(tr("Kernel width"), tr("Columns of the kernel"), 1, ConvolutionKernel::maximumSide);
    height_ = makeSide(tr("Kernel height"), tr("Rows of the kernel"), 1, ConvolutionKernel::maximumSide);
    anchorX_ = makeSide(tr("Anchor column"),
                        tr("The tap that lies on the output pixel, outlined in the grid: its column"), 0, 254);
    anchorY_ =
        makeSide(tr("Anchor row"), tr("The tap that lies on the output pixel, outlined in the grid: its row"), 0, 254);
    width_->setObjectName(QStringLiteral("kernel.width"));
    height_->setObjectName(QStringLiteral("kernel.height"));
    const auto caption = [box](const QString &text) {
        auto *label = new QLabel(text, box);
        label->setFont(smallFont());
        setForegroundMuted(label);
        return label;
    };
    layout->addWidget(caption(tr("size")), 0, 0);
    layout->addWidget(width_, 0, 1);
    layout->addWidget(caption(QStringLiteral("×")), 0, 2);
    layout->addWidget(height_, 0, 3);
    layout->addWidget(caption(tr("anchor")), 1, 0);
    layout->addWidget(anchorX_, 1, 1);
    layout->addWidget(caption(QStringLiteral(",")), 1, 2);
    layout->addWidget(anchorY_, 1, 3);
    layout->setColumnStretch(1, 1);
    layout->setColumnStretch(3, 1);
    const auto resize = [this] {
        if (!showing_)
            edit(resized(kernel_, width_->value(), height_->value()),
                 tr("kernel size %1 × %2").arg(width_->value()).arg(height_->value()));
    };
    connect(width_, &QSpinBox::valueChanged, this, resize);
    connect(height_, &QSpinBox::valueChanged, this, resize);
    const auto moveAnchor = [this] {
        if (showing_)
            return;
        ConvolutionKernel moved = kernel_;
        moved.anchorX = anchorX_->value();
        moved.anchorY = anchorY_->value();
        edit(moved, tr("anchor %1, %2").arg(moved.anchorX).arg(moved.anchorY));
    };
    connect(anchorX_, &QSpinBox::valueChanged, this, moveAnchor);
    connect(anchorY_, &QSpinBox::valueChanged, this, moveAnchor);
    return box;
}

QWidget *KernelPanel::makeArithmetic() {
    auto *row = new QWidget(controls_);
    auto *layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    divisor_ = new QLineEdit(row);
    divisor_->setAccessibleName(tr("Divisor"));
    divisor_->setToolTip(
        tr("The sum is divided by this, a number or a fraction such as 1/9; auto: the sum of the taps, "
           "or 1 where that is 0"));
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
    connect(divisor_, &QLineEdit::textChanged, this,
            [this](const QString &text) { showAllowed(*divisor_, divisorTrouble(text.trimmed()).isEmpty()); });
    connect(offset_, &QDoubleSpinBox::valueChanged, this, [this](double value) {
        if (showing_)
            return;
        ConvolutionKernel changed = kernel_;
        changed.offset = value;
        edit(changed, tr("offset %1").arg(value));
    });
    return row;
}

bool KernelPanel::meansAuto(const QString &divisor) {
    return divisor.isEmpty() || divisor.compare(tr("auto"), Qt::CaseInsensitive) == 0 ||
           divisor == QLatin1String("auto");
}

QString KernelPanel::divisorTrouble(const QString &text) {
    if (meansAuto(text))
        return {};
    const std::optional<double> value = readTap(text);
    if (value && *value != 0)
        return {};
    return (isOutOfRange(text) ? tr("“%1” is too large or too small for a divisor")
            : value            ? tr("“%1” cannot be a divisor: nothing is divided by 0")
                               : tr("“%1” cannot be a divisor: it is no number"))
        .arg(text);
}

QString KernelPanel::shownDivisor() const {
    return kernel_.divisor ? QString::number(*kernel_.divisor, 'g', 6) : tr("auto");
}

void KernelPanel::editDivisor() {
    divisor_->setModified(false); // from here on Ctrl+Z is the window's
    const QString text = divisor_->text().trimmed();
    if (text == shownDivisor()) // with fewer digits, perhaps, than it has
        return;
    if (const QString trouble = divisorTrouble(text); !trouble.isEmpty()) {
        showKernel();
        return complain(*divisor_, trouble, tr("type a number other than 0, such as 9 or 1/9, or auto"));
    }
    ConvolutionKernel changed = kernel_;
    changed.divisor = meansAuto(text) ? std::nullopt : readTap(text);
    if (!(changed == kernel_))
        edit(changed, tr("divisor %1").arg(text.isEmpty() ? tr("auto") : text));
}

// At the field, where the eyes are, and where messages stand until they are read.
void KernelPanel::complain(QWidget &field, const QString &what, const QString &remedy) {
    emit problem(what, remedy);
    tellAt(field, tr("%1; %2").arg(what, remedy));
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

// The factor is typed: what is handy is in the menu beside it.
QWidget *KernelPanel::makeScale() {
    auto *row = new QWidget(controls_);
    auto *layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    auto *label = new QLabel(tr("scale by"), row);
    label->setFont(smallFont());
    setForegroundMuted(label);
    scale_ = new QLineEdit(row);
    scale_->setAccessibleName(tr("Scale all taps by"));
    scale_->setToolTip(tr("Type a factor such as 2, -1 or 1/9 and press Enter: every tap is multiplied"));
    scale_->setPlaceholderText(QStringLiteral("1"));
    scale_->setObjectName(QStringLiteral("kernel.scale"));
    scale_->setAlignment(Qt::AlignRight);
    scale_->setMinimumWidth(36);
    symmetry_ = makeSymmetry();
    layout->addWidget(label);
    layout->addWidget(scale_, 1);
    layout->addWidget(symmetry_, 2);
    connect(scale_, &QLineEdit::textChanged, this,
            [this](const QString &text) { showAllowed(*scale_, text.trimmed().isEmpty() || readTap(text)); });
    connect(scale_, &QLineEdit::returnPressed, this, [this] {
        const QString text = scale_->text().trimmed();
        scale_->setText(QString()); // clearing is an edit of its own, which Ctrl+Z would take back
        scaleBy(text);
    });
    return row;
}

void KernelPanel::scaleBy(const QString &text) {
    const std::optional<double> factor = readTap(text);
    if (!factor)
        return complain(
            *scale_,
            (isOutOfRange(text) ? tr("“%1” is too large or too small for a factor") : tr("“%1” is not a factor"))
                .arg(text),
            tr("type a number such as 2, -1 or 1/9"));
    guarded([&] { edit(scaled(kernel_, *factor), tr("scale kernel by %1").arg(*factor)); });
}

QComboBox *KernelPanel::makeSymmetry() {
    auto *box = new QuietComboBox(controls_);
    const std::pair<QString, KernelSymmetry> kinds[] = {
        {tr("each tap alone"), KernelSymmetry::None},    {tr("left = right"), KernelSymmetry::LeftRight},
        {tr("top = bottom"), KernelSymmetry::TopBottom}, {tr("four quarters"), KernelSymmetry::Both},
        {tr("about the middle"), KernelSymmetry::Point}, {tr("opposite sign"), KernelSymmetry::PointSign},
        {tr("eight parts"), KernelSymmetry::Round}};
    for (const auto &[label, kind] : kinds)
        box->addItem(label, int(kind));
    box->setAccessibleName(tr("Symmetry"));
    box->setToolTip(tr("Which other taps change together with the one that is edited"));
    box->setObjectName(QStringLiteral("kernel.symmetry"));
    box->setFont(smallFont());
    box->setMinimumContentsLength(8);
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    return box;
}

KernelSymmetry KernelPanel::symmetry() const { return KernelSymmetry(symmetry_->currentData().toInt()); }

QWidget *KernelPanel::makeTwoPasses() {
    auto *row = new QWidget(controls_);
    auto *layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(6);
    rank_ = new QLabel(row);
    rank_->setFont(smallFont());
    rank_->setWordWrap(true);
    rank_->setObjectName(QStringLiteral("kernel.rank"));
    rank_->setAccessibleName(tr("Separability"));
    setForegroundMuted(rank_);
    twoPasses_ = makeButton(tr("Two passes"), tr("Replace this step by a pass across and a pass down"),
                            [this] { emit twoPassesWanted(); });
    twoPasses_->setObjectName(QStringLiteral("kernel.twoPasses"));
    twoPasses_->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    layout->addWidget(rank_, 1);
    layout->addWidget(twoPasses_);
    return row;
}

} // namespace tessera
