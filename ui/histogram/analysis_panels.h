// The right-hand side: histograms and statistics of the result and of the original.
#pragma once

#include "app/session/document.h"
#include "ui/histogram/histogram_view.h"
#include "ui/histogram/statistics_table.h"
#include "ui/panels/card.h"

class QComboBox;
class QLabel;
class QToolButton;

namespace tessera {

class HistogramPanel : public Card {
    Q_OBJECT

public:
    explicit HistogramPanel(QWidget *parent = nullptr);

    // `after` may be nullptr: then the original alone is shown, in the large plot.
    void setStatistics(const ImageStatistics *before, const ImageStatistics *after);
    HistogramScale scale() const;
    void setScale(HistogramScale scale);
    unsigned channels() const;
    void setChannels(unsigned mask);

signals:
    void optionsChanged(); // scale or channels

private:
    void apply();

    QComboBox *scale_ = nullptr;
    QToolButton *toggles_[4];
    QLabel *resultLabel_, *originalLabel_;
    HistogramView *result_, *original_;
};

class StatisticsPanel : public Card {
    Q_OBJECT

public:
    explicit StatisticsPanel(QWidget *parent = nullptr);
    void setStatistics(const ImageStatistics *before, Depth depthBefore, const ImageStatistics *after,
                       Depth depthAfter);

private:
    QLabel *hint_;
    StatisticsTable *result_, *original_;
};

} // namespace tessera
