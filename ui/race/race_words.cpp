// What the race says of a row, in sentences.
#include "ui/bridge/message.h"
#include "ui/race/plot_axis.h"
#include "ui/race/race_model.h"

namespace tessera {

namespace {

QString names(const std::vector<std::string> &words) {
    QStringList list;
    for (const std::string &word : words)
        list << QString::fromStdString(word);
    return list.join(QStringLiteral(", "));
}

} // namespace

QString RaceModel::explanation(int index) const {
    const RaceRow &shown = row(index);
    QString text = QString::fromStdString(shown.title);
    const QString reasons = inWindowTerms(shown.explanation);
    if (!shown.description.empty() && shown.description != shown.explanation)
        text += QStringLiteral(" – ") + QString::fromStdString(shown.description);
    if (!reasons.isEmpty())
        text += QStringLiteral(". ") + reasons;
    text += QStringLiteral(". ");
    if (!shown.tieWith.empty())
        text += tr("A tie with %1: the intervals overlap. ").arg(names(shown.tieWith));
    if (shown.simulated)
        text += tr("Simulated on the CPU: right values and counts, but no time of a GPU. ");
    if (shown.simulated && shown.predictedMs)
        text += tr("The model expects at best %1 ms on %2.")
                    .arg(millisecondsText(*shown.predictedMs), QString::fromStdString(shown.predictedOn));
    return text.trimmed();
}

QString RaceModel::toolTip(const RaceRow &row) const {
    QStringList lines{
        QStringLiteral("%1 — %2").arg(QString::fromStdString(row.title), QString::fromStdString(row.device))};
    if (row.medianMs)
        lines << tr("median %1 ms of %2, from %3 to %4 ms")
                     .arg(millisecondsText(*row.medianMs))
                     .arg(row.samples)
                     .arg(millisecondsText(*row.fastestMs), millisecondsText(*row.slowestMs));
    if (row.medianMs && row.interval)
        lines << tr("the median lies between %1 and %2 ms with 95 % confidence")
                     .arg(millisecondsText(row.interval->low), millisecondsText(row.interval->high));
    if (!row.tieWith.empty())
        lines << tr("a tie with %1").arg(names(row.tieWith));
    if (row.floorMs && row.dense)
        lines << tr("the device allows %1 ms, caches warm").arg(millisecondsText(*row.floorMs));
    else if (row.floorMs)
        lines << tr("it makes fewer operations than the definition and is held against memory alone, which allows "
                    "%1 ms, caches warm")
                     .arg(millisecondsText(*row.floorMs));
    if (row.medianMs && row.samples == 1)
        lines << tr("a single run: nothing is known of its spread");
    if (row.counts)
        lines << state(row)
              << tr("%1 writes, %2 divergent warps, %3 races")
                     .arg(row.counts->globalWrites)
                     .arg(row.counts->divergentWarps)
                     .arg(row.counts->races)
              << (row.counts->simulated
                      ? row.counts->sampled ? tr("one block of each kind ran and stands for its kind") : QString()
                      : tr("counts by the access model: the simulation would take too long"));
    if (row.maximumError)
        lines
            << (row.errorRounded
                    ? tr("largest error %1 of %2, relative L2 %3, of rounded values against float64's, on parts of the "
                         "picture: the variant writes no floats")
                    : tr("largest error %1 of %2, relative L2 %3, against float64 on parts of the picture"))
                   .arg(*row.maximumError, 0, 'g', 3)
                   .arg(row.fullRange)
                   .arg(*row.relativeL2, 0, 'g', 3);
    if (!row.note.empty())
        lines << inWindowTerms(row.note);
    lines.removeAll(QString());
    return lines.join(QLatin1Char('\n'));
}

} // namespace tessera
