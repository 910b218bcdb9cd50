#include "ui/panels/step_options.h"

#include "ui/panels/border_diagram.h"
#include "ui/panels/controls.h"

#include <QCheckBox>
#include <QGridLayout>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

namespace tessera {

namespace {

// Order of the entries in the channels' box.
const ChannelSelection channelChoices[] = {
    {ChannelSelection::Kind::Rgb, 0},  {ChannelSelection::Kind::Rgba, 0}, {ChannelSelection::Kind::Luma, 0},
    {ChannelSelection::Kind::Mask, 1}, {ChannelSelection::Kind::Mask, 2}, {ChannelSelection::Kind::Mask, 4},
    {ChannelSelection::Kind::Mask, 8},
};

int channelIndex(const ChannelSelection &selection) {
    int index = 0;
    for (const ChannelSelection &choice : channelChoices) {
        if (choice == selection)
            return index;
        ++index;
    }
    return -1; // a combination only the command line can make; shown as empty
}

} // namespace

StepOptions::StepOptions(QWidget *parent)
    : Card(tr("Options"), parent), content_(new QWidget(this)), toggle_(new QToolButton(this)) {
    toggle_->setAutoRaise(true);
    toggle_->setFixedSize(20, 18);
    toggle_->setAccessibleName(tr("Show or hide the options"));
    addToHeader(toggle_);
    connect(toggle_, &QToolButton::clicked, this, [this] { setExpanded(!expanded()); });

    auto *grid = new QGridLayout(content_);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(6);
    grid->setVerticalSpacing(4);
    grid->setColumnStretch(1, 1);
    body()->addWidget(content_);

    makeBorder(*grid);
    makeChoices(*grid);
    makeSwitches(*grid);
    connectControls();
    setExpanded(false);
    setStep(nullptr, OutputDepth::Keep);
}

void StepOptions::makeBorder(QGridLayout &grid) {
    QStringList borders;
    for (const BorderName &entry : borderNames)
        borders << QString::fromLatin1(entry.name.data(), qsizetype(entry.name.size()));
    border_ =
        addCombo(grid, 0, tr("B&order"), borders, QStringLiteral("option.border"), tr("What lies outside the picture"));
    constant_ = new NumberField(content_);
    constant_->setRange(-1e6, 1e6);
    constant_->setDecimals(4);
    constant_->setAccessibleName(tr("Border value"));
    constant_->setToolTip(tr("The value outside, in the picture's own units"));
    constant_->setObjectName(QStringLiteral("option.constant"));
    grid.addWidget(constant_, 0, 2);
    diagram_ = new BorderDiagram(content_);
    grid.addWidget(diagram_, 1, 1, 1, 2);
}

void StepOptions::makeChoices(QGridLayout &grid) {
    channels_ = addCombo(grid, 2, tr("&Channels"),
                         {tr("colours"), tr("colours and alpha"), tr("luminance"), tr("red (or grey)"), tr("green"),
                          tr("blue"), tr("alpha")},
                         QStringLiteral("option.channels"), tr("Which channels are filtered; the others stay"));
    alpha_ = addCombo(grid, 3, tr("&Alpha"), {tr("automatic"), tr("premultiplied"), tr("preserve"), tr("independent")},
                      QStringLiteral("option.alpha"),
                      tr("How alpha takes part; automatic: premultiplied where no tap is negative, else preserve"));
    response_ =
        addCombo(grid, 4, tr("Res&ponse"), {tr("clamp"), tr("absolute"), tr("signed"), tr("range")},
                 QStringLiteral("option.response"),
                 tr("What integer output does with values outside its range: clamp; magnitude; half the range added; "
                    "minimum to maximum stretched"));
    offset_ = new NumberField(content_);
    offset_->setRange(-1e6, 1e6);
    offset_->setDecimals(4);
    offset_->setAccessibleName(tr("Offset"));
    offset_->setToolTip(tr("Added to every value, in the picture's own units; 128 shows negative values at 8 bit"));
    offset_->setObjectName(QStringLiteral("option.offset"));
    auto *offsetLabel = new QLabel(tr("Offse&t"), content_);
    offsetLabel->setBuddy(offset_);
    grid.addWidget(offsetLabel, 5, 0);
    grid.addWidget(offset_, 5, 1, 1, 2, Qt::AlignLeft);
    depth_ = addCombo(grid, 6, tr("&Depth"), {tr("as the picture"), tr("8 bit"), tr("16 bit"), tr("32-bit float")},
                      QStringLiteral("option.depth"), tr("Depth of the result"));
}

void StepOptions::makeSwitches(QGridLayout &grid) {
    flip_ = new QCheckBox(tr("Fl&ip: true convolution"), content_);
    flip_->setToolTip(tr("Rotates the kernel by 180°. Without it the kernel is applied as it is drawn (correlation)"));
    flip_->setObjectName(QStringLiteral("option.flip"));
    linear_ = new QCheckBox(tr("Li&near light"), content_);
    linear_->setToolTip(tr("Filters light instead of the stored values: blurs mix colours as lenses do"));
    linear_->setObjectName(QStringLiteral("option.linear"));
    normalize_ = new QCheckBox(tr("Nor&malise"), content_);
    normalize_->setToolTip(tr("Divides by the sum of the taps, so that brightness stays"));
    normalize_->setObjectName(QStringLiteral("option.normalize"));
    grid.addWidget(flip_, 7, 0, 1, 3);
    grid.addWidget(linear_, 8, 0, 1, 3);
    grid.addWidget(normalize_, 9, 0, 1, 3);
}

void StepOptions::connectControls() {
    connect(border_, &QComboBox::currentIndexChanged, this, [this](int index) {
        change([index](FilterStep &s) { s.border.mode = borderNames[std::size_t(index)].mode; },
               tr("border: %1").arg(border_->itemText(index)));
    });
    connect(constant_, &QDoubleSpinBox::valueChanged, this, [this](double value) {
        change([value](FilterStep &s) { s.border.constant = value; }, tr("border value %1").arg(value),
               QStringLiteral("constant"));
    });
    connect(channels_, &QComboBox::currentIndexChanged, this, [this](int index) {
        if (index >= 0)
            change([index](FilterStep &s) { s.channels = channelChoices[index]; },
                   tr("channels: %1").arg(channels_->itemText(index)));
    });
    connect(alpha_, &QComboBox::currentIndexChanged, this, [this](int index) {
        change([index](FilterStep &s) { s.alpha = AlphaMode(index); }, tr("alpha: %1").arg(alpha_->itemText(index)));
    });
    connect(response_, &QComboBox::currentIndexChanged, this, [this](int index) {
        change([index](FilterStep &s) { s.response = ResponseMode(index); },
               tr("response: %1").arg(response_->itemText(index)));
    });
    connect(offset_, &QDoubleSpinBox::valueChanged, this, [this](double value) {
        change([value](FilterStep &s) { s.offset = value; }, tr("offset %1").arg(value), QStringLiteral("offset"));
    });
    connect(flip_, &QCheckBox::toggled, this,
            [this](bool on) { change([on](FilterStep &s) { s.flip = on; }, on ? tr("flip on") : tr("flip off")); });
    connect(linear_, &QCheckBox::toggled, this, [this](bool on) {
        change([on](FilterStep &s) { s.linear = on; }, on ? tr("linear light on") : tr("linear light off"));
    });
    connect(normalize_, &QCheckBox::toggled, this, [this](bool on) {
        change([on](FilterStep &s) { s.normalize = on; }, on ? tr("normalise on") : tr("normalise off"));
    });
    connect(depth_, &QComboBox::currentIndexChanged, this, [this](int index) {
        if (!showing_)
            emit depthChanged(OutputDepth(index));
    });
}

QComboBox *StepOptions::addCombo(QGridLayout &grid, int row, const QString &label, const QStringList &items,
                                 const QString &name, const QString &help) {
    auto *combo = new QuietComboBox(content_);
    combo->addItems(items);
    combo->setObjectName(name);
    combo->setToolTip(help);
    combo->setAccessibleName(QString(label).remove(QLatin1Char('&')));
    combo->setAccessibleDescription(help);
    auto *caption = new QLabel(label, content_);
    caption->setBuddy(combo);
    caption->setToolTip(help);
    grid.addWidget(caption, row, 0);
    grid.addWidget(combo, row, 1, 1, row == 0 ? 1 : 2);
    return combo;
}

bool StepOptions::expanded() const { return !content_->isHidden(); }

void StepOptions::setExpanded(bool expanded) {
    content_->setVisible(expanded);
    toggle_->setArrowType(expanded ? Qt::DownArrow : Qt::RightArrow);
    toggle_->setToolTip(expanded ? tr("Hide the options") : tr("Show the options"));
    emit expandedChanged(expanded);
}

void StepOptions::change(const std::function<void(FilterStep &)> &edit, const QString &text, const QString &mergeKey) {
    if (showing_)
        return;
    edit(step_);
    showStep();
    emit stepChanged(step_, text, mergeKey);
}

void StepOptions::setStep(const FilterStep *step, OutputDepth depth) {
    content_->setEnabled(step != nullptr);
    step_ = step ? *step : FilterStep{};
    showing_ = true;
    depth_->setCurrentIndex(int(depth));
    showing_ = false;
    showStep();
}

void StepOptions::showStep() {
    showing_ = true;
    int index = 0;
    for (const BorderName &entry : borderNames) {
        if (entry.mode == step_.border.mode)
            border_->setCurrentIndex(index);
        ++index;
    }
    constant_->setVisible(step_.border.mode == BorderMode::Constant);
    constant_->setValue(step_.border.constant);
    diagram_->setMode(step_.border.mode);
    channels_->setCurrentIndex(channelIndex(step_.channels));
    alpha_->setCurrentIndex(int(step_.alpha));
    response_->setCurrentIndex(int(step_.response));
    offset_->setValue(step_.offset.value_or(step_.filter.name == "custom" ? step_.filter.kernel.offset : 0.0));
    flip_->setChecked(step_.flip);
    linear_->setChecked(step_.linear);
    normalize_->setChecked(step_.normalize);
    QStringList differing; // what is not as it is by default, so that folded options hide nothing
    if (step_.border.mode != BorderMode::Replicate)
        differing << border_->currentText();
    if (step_.channels.kind != ChannelSelection::Kind::Rgb)
        differing << channels_->currentText();
    if (step_.response != ResponseMode::Clamp)
        differing << response_->currentText();
    if (step_.flip)
        differing << tr("flip");
    if (step_.linear)
        differing << tr("linear");
    setNote(differing.join(QStringLiteral(", ")));
    showing_ = false;
}

} // namespace tessera
