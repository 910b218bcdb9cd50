// What a format cannot hold of the picture, and what saving would lose.
#include "app/session/display.h"
#include "ui/bridge/file_name.h"
#include "ui/bridge/listing.h"
#include "ui/panels/controls.h"
#include "ui/window/save_dialog.h"

#include <QComboBox>
#include <QFileInfo>
#include <QLineEdit>

namespace tessera {

std::optional<FloatValues> SaveDialog::values() const { return subject_.unheld ? subject_.unheld() : FloatValues(); }

// Without a loss of their own.
QStringList SaveDialog::formatsThatHold(PixelFormat picture, const FloatValues &values) const {
    QStringList names;
    for (const FormatInfo &info : imageFormats())
        if (!info.lossy && holds(info, picture, subject_.width, subject_.height, values))
            names << QString::fromStdString(upperCaseName(info));
    return names;
}

// Integers round what they cannot hold, and the note says so; a format of floats that has no code for it refuses.
QString SaveDialog::valueObstacle(const FormatInfo &info) const {
    const PixelFormat saved = subject_.formatFor(depth());
    const FloatValues values = this->values().value_or(FloatValues());
    const std::string notHeld = saved.depth == Depth::F32 ? valuesNotHeld(info, values) : std::string();
    if (notHeld.empty())
        return {};
    return tr("This picture has %1, which %2 cannot hold. Choose %3.")
        .arg(QString::fromStdString(notHeld), QString::fromStdString(upperCaseName(info)),
             listed(formatsThatHold(saved, values), Joined::Or));
}

QStringList SaveDialog::losses(const FormatInfo &info) const {
    const Depth kept = subject_.formatFor(OutputDepth::Keep).depth, saved = subject_.formatFor(depth()).depth;
    const bool losslessWebp = info.name == "webp" && quality_->value() == 100;
    QStringList lost;
    if (info.lossy && !losslessWebp)
        lost << (saved == Depth::F32 ? tr("This format changes pixels slightly; %1 keep them as they are.")
                                           .arg(listed(formatsThatHold(subject_.formatFor(depth()), FloatValues())))
                                     : tr("This format changes pixels slightly; PNG and TIFF keep them as they are."));
    if (saved < kept)
        lost << tr("Finer steps than this depth has are rounded.");
    if (saved != Depth::F32)
        lost << unheldValues(saved);
    else if (limitsValues(info) && !values())
        lost << tr("%1 holds no negative values, no infinities and no NaN. Whether there are some is known once the "
                   "filter has run.")
                    .arg(QString::fromStdString(upperCaseName(info)));
    if (const QString curve = otherCurve(info, saved); !curve.isEmpty())
        lost << curve;
    if (subject_.metadata && !info.metadata)
        lost << tr("The camera's data and the colour profile are left out; PNG, JPEG, TIFF and WebP keep them.");
    return lost;
}

QStringList SaveDialog::unheldValues(Depth saved) const {
    const FloatValues unheld = values().value_or(FloatValues());
    QStringList lost;
    if (unheld.negative || unheld.largest > 1)
        lost << tr("Values below 0 or above 1 are cut off.");
    if (unheld.notNumbers == 1)
        lost << tr("1 value is no number (NaN) and becomes 0.");
    else if (unheld.notNumbers)
        lost << tr("%1 values are no numbers (NaN) and become 0.").arg(unheld.notNumbers);
    const int most = saved == Depth::U8 ? 255 : 65535;
    if (unheld.infinite == 1)
        lost << tr("1 value is infinite and becomes 0 or %1.").arg(most);
    else if (unheld.infinite)
        lost << tr("%1 values are infinite and become 0 or %2.").arg(unheld.infinite).arg(most);
    return lost;
}

// The values are written as they are; by the file's kind they are then taken for light, or for stored sRGB.
QString SaveDialog::otherCurve(const FormatInfo &info, Depth saved) const {
    const bool linear = holdsLinearLight(info.name, saved);
    if (linear == subject_.linearLight)
        return {};
    return linear ? tr("Such a file is taken for linear light: it will look paler than here.")
                  : tr("Shown here as linear light; such a file is not, and will look darker.");
}

QString SaveDialog::openPictureLost() const {
    const QFileInfo file(path());
    if (!file.exists())
        return {};
    const QString own = subject_.openedFrom ? subject_.openedFrom() : QString();
    if (!own.isEmpty() && file == QFileInfo(own))
        return tr("%1 is the picture that is open: its file will be replaced by the result, and the picture as it was "
                  "is then in this window alone.")
            .arg(shownName(file.fileName()));
    for (const QString &other : subject_.filesOfOthers ? subject_.filesOfOthers() : QStringList())
        if (file == QFileInfo(other))
            return tr("%1 belongs to another picture that is open: the file will be replaced, and what it held is then "
                      "in this window alone.")
                .arg(shownName(file.fileName()));
    return {};
}

} // namespace tessera
