// The race as files: rows as CSV and JSON, table and charts as PNG.
#pragma once

#include <QByteArray>
#include <QString>

#include <utility>
#include <vector>

namespace tessera {

class RacePanel;

enum class RaceFormat { Csv, Json, Png };

// By the name's ending: .json, .png, else CSV.
RaceFormat raceFormatOf(const QString &path);

// CSV and JSON hold all rows, PNG the view that is shown. All name what was raced (picture, size, filter with its
// parameters, border) and the devices.
QByteArray exportRace(const RacePanel &panel, RaceFormat format);

// Everything, by file name: race.csv, race.json, race-table.png and a picture of every chart that has something to
// show.
std::vector<std::pair<QString, QByteArray>> exportWholeRace(const RacePanel &panel);

} // namespace tessera
