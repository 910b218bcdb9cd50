#include "ui/panels/parameter_panel.h"

#include "ui/panels/angle_dial.h"
#include "ui/panels/controls.h"
#include "ui/window/theme.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QGridLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QSlider>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace tessera {

namespace {

QString text(const std::string &value) { return QString::fromStdString(value); }

int decimalsFor(double step) {
    int decimals = 0;
    while (decimals < 6 && std::abs(step - std::round(step)) > 1e-9 * std::max(1.0, std::abs(step))) {
        step *= 10;
        ++decimals;
    }
    return decimals;
}

} // namespace

ParameterPanel::ParameterPanel(QWidget *parent) : Card(tr("Parameters"), parent), hint_(new QLabel(this)) {
    hint_->setWordWrap(true);
    hint_->setFont(smallFont());
    setForegroundMuted(hint_);
    body()->addWidget(hint_);
    reset_ = new QToolButton(this);
    reset_->setText(QStringLiteral("↺"));
    reset_->setAutoRaise(true);
    reset_->setFixedSize(22, 20);
    reset_->setFocusPolicy(Qt::StrongFocus);
    reset_->setToolTip(tr("Back to the filter's own values"));
    reset_->setAccessibleName(tr("Reset the parameters"));
    reset_->setObjectName(QStringLiteral("parameters.reset"));
    addToHeader(reset_);
    connect(reset_, &QToolButton::clicked, this, &ParameterPanel::resetWanted);
    setFilter(nullptr);
}

void ParameterPanel::setFilter(const FilterInstance *filter) {
    const FilterDescription *description = filter ? findFilter(filter->name) : nullptr;
    if (!description) {
        shown_.clear();
        rows_.clear();
        delete content_;
        content_ = nullptr;
        setTitle(tr("Parameters"));
        reset_->hide();
        hint_->setText(tr("Choose a filter above."));
        hint_->show();
        return;
    }
    if (shown_ != description->name)
        build(*description);
    bool changed = false;
    for (const Row &row : rows_) {
        const auto value = filter->values.find(row.name);
        row.show(value == filter->values.end() ? row.defaultValue : value->second);
        changed = changed || (value != filter->values.end() && value->second != row.defaultValue);
    }
    reset_->setVisible(!rows_.empty());
    reset_->setEnabled(changed);
}

void ParameterPanel::build(const FilterDescription &description) {
    shown_ = description.name;
    rows_.clear();
    delete content_;
    content_ = new QWidget(this);
    grid_ = new QGridLayout(content_);
    grid_->setContentsMargins(0, 0, 0, 0);
    grid_->setHorizontalSpacing(6);
    grid_->setVerticalSpacing(4);
    grid_->setColumnStretch(1, 1);
    body()->addWidget(content_);
    setTitle(text(description.title));
    hint_->setText(text(description.description));
    int row = 0;
    for (const ParameterDescription &parameter : description.parameters) {
        switch (parameter.kind) {
        case ParameterKind::Real:
        case ParameterKind::Integer:
            addNumber(parameter, row);
            break;
        case ParameterKind::Angle:
            addAngle(parameter, row);
            break;
        case ParameterKind::Choice:
            addChoice(parameter, row);
            break;
        case ParameterKind::Boolean:
            addBoolean(parameter, row);
            break;
        }
        ++row;
    }
    // New widgets come last in the window's order of Tab; these belong here.
    QWidget *before = reset_;
    for (QWidget *control : content_->findChildren<QWidget *>(Qt::FindDirectChildrenOnly))
        if (control->focusPolicy() & Qt::TabFocus) {
            setTabOrder(before, control);
            before = control;
        }
}

QLabel *ParameterPanel::addLabel(const ParameterDescription &parameter, int row, QWidget *buddy) {
    auto *label = new QLabel(text(parameter.label), content_);
    label->setToolTip(text(parameter.help));
    label->setBuddy(buddy);
    buddy->setAccessibleName(text(parameter.label));
    buddy->setAccessibleDescription(text(parameter.help));
    buddy->setObjectName(QStringLiteral("parameter.") + text(parameter.name));
    grid_->addWidget(label, row, 0);
    return label;
}

void ParameterPanel::remember(const ParameterDescription &parameter, std::function<void(double)> show) {
    rows_.push_back({parameter.name, parameter.defaultValue, std::move(show)});
}

void ParameterPanel::addNumber(const ParameterDescription &parameter, int row) {
    const double step = parameter.step > 0 ? parameter.step : parameter.kind == ParameterKind::Integer ? 1 : 0.1;
    auto *slider = new QuietSlider(Qt::Horizontal, content_);
    auto *spin = new NumberField(content_);
    const int ticks = int(std::lround((parameter.maximum - parameter.minimum) / step));
    slider->setMinimumWidth(40);
    slider->setRange(0, std::max(1, ticks));
    slider->setPageStep(std::max(1, ticks / 10));
    slider->setToolTip(text(parameter.help));
    slider->setAccessibleName(tr("%1, slider").arg(text(parameter.label)));
    slider->setObjectName(QStringLiteral("slider.") + text(parameter.name));
    spin->setDecimals(parameter.kind == ParameterKind::Integer ? 0 : decimalsFor(step));
    spin->setRange(parameter.minimum, parameter.maximum);
    spin->setSingleStep(step);
    if (!parameter.unit.empty())
        spin->setSuffix(QLatin1Char(' ') + text(parameter.unit));
    spin->setToolTip(text(parameter.help));
    addLabel(parameter, row, spin);
    grid_->addWidget(slider, row, 1);
    grid_->addWidget(spin, row, 2);
    const QString name = text(parameter.name);
    const double minimum = parameter.minimum;
    connect(slider, &QSlider::valueChanged, this, [=, this](int tick) {
        const QSignalBlocker blocker(spin);
        spin->setValue(minimum + tick * step);
        emit valueChanged(name, spin->value());
    });
    connect(slider, &QSlider::sliderReleased, this, &ParameterPanel::editingFinished);
    connect(spin, &QDoubleSpinBox::valueChanged, this, [=, this](double value) {
        const QSignalBlocker blocker(slider);
        slider->setValue(int(std::lround((value - minimum) / step)));
        emit valueChanged(name, value);
    });
    connect(spin, &QDoubleSpinBox::editingFinished, this, &ParameterPanel::editingFinished);
    remember(parameter, [=](double value) {
        const QSignalBlocker blockSlider(slider), blockSpin(spin);
        slider->setValue(int(std::lround((value - minimum) / step)));
        spin->setValue(value);
    });
}

void ParameterPanel::addAngle(const ParameterDescription &parameter, int row) {
    auto *dial = new AngleDial(content_);
    auto *spin = new NumberField(content_);
    dial->setRange(parameter.minimum, parameter.maximum);
    dial->setAccessibleName(tr("%1, dial").arg(text(parameter.label)));
    spin->setDecimals(decimalsFor(parameter.step));
    spin->setRange(parameter.minimum, parameter.maximum);
    spin->setSingleStep(parameter.step > 0 ? parameter.step : 1);
    spin->setSuffix(parameter.unit.empty() ? QStringLiteral("°") : text(parameter.unit));
    spin->setToolTip(text(parameter.help));
    addLabel(parameter, row, spin);
    grid_->addWidget(dial, row, 1, Qt::AlignRight | Qt::AlignVCenter);
    grid_->addWidget(spin, row, 2);
    const QString name = text(parameter.name);
    connect(dial, &AngleDial::valueChanged, this, [=, this](double value) {
        const QSignalBlocker blocker(spin);
        spin->setValue(value);
        emit valueChanged(name, value);
    });
    connect(dial, &AngleDial::released, this, &ParameterPanel::editingFinished);
    connect(spin, &QDoubleSpinBox::valueChanged, this, [=, this](double value) {
        dial->setValue(value);
        emit valueChanged(name, value);
    });
    connect(spin, &QDoubleSpinBox::editingFinished, this, &ParameterPanel::editingFinished);
    remember(parameter, [=](double value) {
        const QSignalBlocker blocker(spin);
        dial->setValue(value);
        spin->setValue(value);
    });
}

void ParameterPanel::addChoice(const ParameterDescription &parameter, int row) {
    auto *combo = new QuietComboBox(content_);
    for (const std::string &choice : parameter.choices)
        combo->addItem(text(choice));
    combo->setToolTip(text(parameter.help));
    addLabel(parameter, row, combo);
    grid_->addWidget(combo, row, 1, 1, 2);
    connect(combo, &QComboBox::currentIndexChanged, this, [this, name = text(parameter.name)](int index) {
        emit valueChanged(name, index);
        emit editingFinished();
    });
    remember(parameter, [combo](double value) {
        const QSignalBlocker blocker(combo);
        combo->setCurrentIndex(int(std::lround(value)));
    });
}

void ParameterPanel::addBoolean(const ParameterDescription &parameter, int row) {
    auto *box = new QCheckBox(text(parameter.label), content_);
    box->setToolTip(text(parameter.help));
    box->setAccessibleDescription(text(parameter.help));
    box->setObjectName(QStringLiteral("parameter.") + text(parameter.name));
    grid_->addWidget(box, row, 0, 1, 3);
    connect(box, &QCheckBox::toggled, this, [this, name = text(parameter.name)](bool on) {
        emit valueChanged(name, on ? 1 : 0);
        emit editingFinished();
    });
    remember(parameter, [box](double value) {
        const QSignalBlocker blocker(box);
        box->setChecked(value != 0);
    });
}

} // namespace tessera
