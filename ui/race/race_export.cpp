#include "ui/race/race_export.h"

#include "app/race/race_report.h"
#include "ui/race/crossover_view.h"
#include "ui/race/race_panel.h"
#include "ui/race/race_table.h"

#include <QBuffer>

namespace tessera {

namespace {

constexpr QSize chartSize(1000, 560);
constexpr double chartScale = 2; // sharp in print

QByteArray png(const QImage &image) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    image.save(&buffer, "PNG");
    return bytes;
}

QByteArray pngOf(const RacePanel &panel, RaceView view) {
    const RacePlot *plot = panel.plot(view);
    return png(plot ? plot->picture(chartSize, chartScale) : panel.table()->picture(1100).toImage());
}

const CrossoverMap *mapOf(const RacePanel &panel) {
    const auto &map = panel.crossover()->map();
    return map ? &*map : nullptr;
}

} // namespace

RaceFormat raceFormatOf(const QString &path) {
    if (path.endsWith(QStringLiteral(".json"), Qt::CaseInsensitive))
        return RaceFormat::Json;
    return path.endsWith(QStringLiteral(".png"), Qt::CaseInsensitive) ? RaceFormat::Png : RaceFormat::Csv;
}

QByteArray exportRace(const RacePanel &panel, RaceFormat format) {
    const RaceModel &model = *panel.model();
    switch (format) {
    case RaceFormat::Csv:
        return QByteArray::fromStdString(raceCsv(model.rows()));
    case RaceFormat::Json:
        return QByteArray::fromStdString(
            raceJson(panel.measuredSubject().toStdString(), model.devices(), model.rows(), mapOf(panel)));
    case RaceFormat::Png:
        break;
    }
    return pngOf(panel, panel.view());
}

std::vector<std::pair<QString, QByteArray>> exportWholeRace(const RacePanel &panel) {
    std::vector<std::pair<QString, QByteArray>> files{
        {QStringLiteral("race.csv"), exportRace(panel, RaceFormat::Csv)},
        {QStringLiteral("race.json"), exportRace(panel, RaceFormat::Json)}};
    const std::pair<RaceView, QString> pictures[] = {{RaceView::Table, QStringLiteral("race-table.png")},
                                                     {RaceView::Times, QStringLiteral("race-times.png")},
                                                     {RaceView::Roofline, QStringLiteral("race-roofline.png")},
                                                     {RaceView::Error, QStringLiteral("race-error.png")},
                                                     {RaceView::Crossover, QStringLiteral("race-crossover.png")}};
    for (const auto &[view, name] : pictures)
        if (const RacePlot *plot = panel.plot(view); !plot || !plot->spots(chartSize).empty())
            files.emplace_back(name, pngOf(panel, view));
    return files;
}

} // namespace tessera
