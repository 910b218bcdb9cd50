#include "ui/histogram/analysis_panels.h"

#include "ui/panels/controls.h"
#include "ui/window/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QToolButton>
#include <QVBoxLayout>

namespace tessera {

namespace {

QLabel *sectionLabel(const QString &text, QWidget *parent) {
    auto *label = new QLabel(text, parent);
    label->setFont(headingFont());
    setForegroundMuted(label);
    return label;
}

} // namespace

HistogramPanel::HistogramPanel(QWidget *parent)
    : Card(tr("Histogram"), parent), resultLabel_(sectionLabel(tr("result"), this)),
      originalLabel_(sectionLabel(tr("original"), this)), result_(new HistogramView(this)),
      original_(new HistogramView(this)) {
    const QString names[] = {tr("R"), tr("G"), tr("B"), tr("Y")};
    const QString helps[] = {tr("Show red, or grey"), tr("Show green"), tr("Show blue"), tr("Show luminance")};
    auto *row = new QHBoxLayout;
    row->setSpacing(3);
    for (int i = 0; i < 4; ++i) {
        toggles_[i] = new QToolButton(this);
        toggles_[i]->setText(names[i]);
        toggles_[i]->setToolTip(helps[i]);
        toggles_[i]->setAccessibleName(helps[i]);
        toggles_[i]->setCheckable(true);
        toggles_[i]->setChecked(i < 3);
        toggles_[i]->setFocusPolicy(Qt::StrongFocus);
        row->addWidget(toggles_[i]);
        connect(toggles_[i], &QToolButton::toggled, this, &HistogramPanel::apply);
    }
    row->addStretch();
    scale_ = new QuietComboBox(this); // behind the buttons, as Tab goes in the order of making
    scale_->addItems({tr("linear"), tr("√ scale"), tr("log")});
    scale_->setMinimumContentsLength(4);
    scale_->setCurrentIndex(1);
    scale_->setAccessibleName(tr("Scale of the histogram"));
    scale_->setToolTip(tr("How counts become heights"));
    scale_->setObjectName(QStringLiteral("histogram.scale"));
    row->addWidget(scale_);
    connect(scale_, &QComboBox::currentIndexChanged, this, &HistogramPanel::apply);
    body()->addLayout(row);
    body()->addWidget(resultLabel_);
    body()->addWidget(result_);
    body()->addWidget(originalLabel_);
    body()->addWidget(original_);
    result_->setFixedHeight(112);
    original_->setFixedHeight(72);
    result_->setAccessibleName(tr("Histogram of the result"));
    original_->setAccessibleName(tr("Histogram of the original"));
    setStatistics(nullptr, nullptr);
}

void HistogramPanel::setStatistics(const ImageStatistics *before, const ImageStatistics *after) {
    result_->setStatistics(after ? after : before);
    original_->setStatistics(before);
    const bool both = after != nullptr;
    resultLabel_->setText(both ? tr("result") : tr("original"));
    resultLabel_->setVisible(before || after);
    original_->setVisible(both);
    originalLabel_->setVisible(both);
}

HistogramScale HistogramPanel::scale() const { return HistogramScale(scale_->currentIndex()); }

void HistogramPanel::setScale(HistogramScale scale) { scale_->setCurrentIndex(int(scale)); }

unsigned HistogramPanel::channels() const {
    unsigned mask = 0;
    for (unsigned i = 0; i < 4; ++i)
        mask |= toggles_[i]->isChecked() ? 1u << i : 0u;
    return mask;
}

void HistogramPanel::setChannels(unsigned mask) {
    for (unsigned i = 0; i < 4; ++i)
        toggles_[i]->setChecked(mask >> i & 1u);
}

void HistogramPanel::apply() {
    for (HistogramView *view : {result_, original_}) {
        view->setScale(scale());
        view->setChannels(channels());
    }
    emit optionsChanged();
}

StatisticsPanel::StatisticsPanel(QWidget *parent)
    : Card(tr("Statistics"), parent), hint_(new QLabel(tr("No picture is open."), this)),
      result_(new StatisticsTable(tr("result"), tr("Statistics of the result"), this)),
      original_(new StatisticsTable(tr("original"), tr("Statistics of the original"), this)) {
    hint_->setFont(smallFont());
    setForegroundMuted(hint_);
    body()->addWidget(hint_);
    body()->addWidget(result_);
    body()->addWidget(original_);
    setStatistics(nullptr, Depth::U8, nullptr, Depth::U8);
}

void StatisticsPanel::setStatistics(const ImageStatistics *before, Depth depthBefore, const ImageStatistics *after,
                                    Depth depthAfter) {
    hint_->setVisible(!before);
    result_->setStatistics(after, depthAfter);
    result_->setVisible(after);
    original_->setStatistics(before, depthBefore);
    original_->setVisible(before);
}

} // namespace tessera
