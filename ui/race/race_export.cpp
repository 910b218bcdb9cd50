#include "ui/race/race_export.h"

#include "app/race/race_report.h"
#include "ui/race/crossover_view.h"
#include "ui/race/race_panel.h"
#include "ui/race/race_table.h"
#include "ui/race/subject_words.h"
#include "ui/window/theme.h"

#include <QBuffer>
#include <QFontMetrics>
#include <QPainter>

namespace tessera {

namespace {

constexpr QSize chartSize(1000, 560);
constexpr double chartScale = 2; // sharp in print

constexpr int headingMargin = 8;

const CrossoverMap *mapOf(const RacePanel &panel) {
    const auto &map = panel.crossover()->map();
    return map ? &*map : nullptr;
}

// Where the rows ran. The simulator's say nothing of a device's speed.
QStringList devicesOf(const RaceModel &model) {
    QStringList names;
    for (const RaceRow &row : model.rows())
        if (!row.simulated)
            names << QString::fromStdString(row.device);
    names.removeDuplicates();
    return names;
}

// What the picture is of, for who finds it without the window: a line of the subject, one of the devices.
QStringList headingOf(const RacePanel &panel, RaceView view) {
    const CrossoverMap *map = view == RaceView::Crossover ? mapOf(panel) : nullptr;
    QStringList devices = devicesOf(*panel.model()), lines;
    if (map) { // of random pictures
        lines << RacePanel::tr("Crossover map");
        devices.clear();
        for (const std::string &device : map->devices)
            devices << QString::fromStdString(device);
    } else if (panel.measuredSubject()) {
        lines << RacePanel::tr("Race of %1").arg(subjectWords(*panel.measuredSubject()).all());
    }
    if (!devices.isEmpty())
        lines << RacePanel::tr("on %1").arg(devices.join(QStringLiteral(", ")));
    return lines;
}

// The same as text inside the file, for programs and for search.
QImage withHeading(const QImage &body, const QStringList &lines) {
    const double scale = body.devicePixelRatio();
    const QString text = lines.join(QLatin1Char('\n'));
    const int width = int(body.width() / scale);
    const QRect room(headingMargin, headingMargin, width - 2 * headingMargin, 1000);
    const QRect used = QFontMetrics(smallFont()).boundingRect(room, Qt::TextWordWrap, text);
    const int height = used.height() + 2 * headingMargin;
    QImage whole(body.width(), body.height() + int(height * scale), QImage::Format_RGB32);
    whole.setDevicePixelRatio(scale);
    whole.fill(theme().window);
    QPainter painter(&whole);
    painter.setRenderHint(QPainter::TextAntialiasing);
    painter.setFont(smallFont());
    painter.setPen(theme().text);
    painter.drawText(room, Qt::TextWordWrap, text);
    painter.drawImage(QPointF(0, height), body);
    whole.setText(QStringLiteral("Description"), text);
    return whole;
}

QByteArray pngOf(const RacePanel &panel, RaceView view) {
    const RacePlot *plot = panel.plot(view);
    const QImage body = plot ? plot->picture(chartSize, chartScale) : panel.table()->picture(1100).toImage();
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    withHeading(body, headingOf(panel, view)).save(&buffer, "PNG");
    return bytes;
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
        return QByteArray::fromStdString(raceCsv(model.rows(), panel.measuredSubject()));
    case RaceFormat::Json:
        return QByteArray::fromStdString(
            raceJson(panel.measuredSubject(), model.devices(), model.rows(), mapOf(panel)));
    case RaceFormat::Png:
        break;
    }
    return pngOf(panel, panel.view());
}

std::vector<std::pair<QString, QByteArray>> exportWholeRace(const RacePanel &panel) {
    const bool hasRows = panel.model()->rowCount() > 0;
    std::vector<std::pair<QString, QByteArray>> files{
        {QStringLiteral("race.json"), exportRace(panel, RaceFormat::Json)}};
    if (hasRows)
        files.emplace_back(QStringLiteral("race.csv"), exportRace(panel, RaceFormat::Csv));
    const std::pair<RaceView, QString> pictures[] = {{RaceView::Table, QStringLiteral("race-table.png")},
                                                     {RaceView::Times, QStringLiteral("race-times.png")},
                                                     {RaceView::Roofline, QStringLiteral("race-roofline.png")},
                                                     {RaceView::Error, QStringLiteral("race-error.png")},
                                                     {RaceView::Crossover, QStringLiteral("race-crossover.png")}};
    for (const auto &[view, name] : pictures)
        if (const RacePlot *plot = panel.plot(view); plot ? !plot->spots(chartSize).empty() : hasRows)
            files.emplace_back(name, pngOf(panel, view));
    return files;
}

} // namespace tessera
