#include "ui/race/subject_words.h"

#include "app/session/display.h"
#include "ui/race/race_model.h"

namespace tessera {

namespace {

// What there is of them.
QString joined(QStringList parts, const QString &separator) {
    parts.removeAll(QString());
    return parts.join(separator);
}

QString listed(const QStringList &parts) { return joined(parts, QStringLiteral(", ")); }
QString apart(const QStringList &parts) { return joined(parts, QStringLiteral(" · ")); }

QString sized(const QString &pattern, int width, int height) { return pattern.arg(width).arg(height); }

} // namespace

QStringList SubjectWords::fromLongToShort() const {
    const QString full = listed({filter, values, kernel});
    return {apart({picture, full, border}), apart({picture, full}), full, listed({filter, values}), filter};
}

QString SubjectWords::all() const {
    return apart({listed({name, picture}), listed({filter, values, kernel}), border, options});
}

SubjectWords subjectWords(const RaceSubject &subject) {
    QStringList values;
    for (const std::string &value : filterParameters(subject))
        values << QString::fromStdString(value);
    return {QString::fromStdString(subject.picture),
            sized(QStringLiteral("%1 × %2 "), subject.width, subject.height) +
                QString::fromStdString(describeFormat(subject.format)),
            QString::fromStdString(filterTitle(subject)),
            listed(values),
            subject.kernelWidth ? sized(RaceModel::tr("%1 × %2 kernel"), subject.kernelWidth, subject.kernelHeight)
                                : QString(),
            RaceModel::tr("%1 border").arg(QString::fromStdString(borderOption(subject))),
            QString::fromStdString(otherOptions(subject))};
}

} // namespace tessera
