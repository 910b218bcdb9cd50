// What a race is of, in the window's words.
#pragma once

#include "app/race/race_subject.h"

#include <QString>
#include <QStringList>

namespace tessera {

struct SubjectWords {
    QString name;    // of the picture
    QString picture; // "512 × 512 8-bit RGB"
    QString filter;  // "Gaussian blur"
    QString values;  // "sigma 1.1 px"; empty: it has no parameters
    QString kernel;  // "9 × 9 kernel"
    QString border;  // "replicate border"
    QString options; // what else is not as by default; empty: nothing

    // For titles: all but name and options, then with ever fewer parts, the filter alone at last.
    QStringList fromLongToShort() const;
    QString all() const; // of them
};

SubjectWords subjectWords(const RaceSubject &subject);

} // namespace tessera
