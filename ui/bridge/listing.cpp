#include "ui/bridge/listing.h"

#include <QCoreApplication>

#include <algorithm>

namespace tessera {

namespace {

constexpr qsizetype namedInBrief = 3;

struct Listing {
    Q_DECLARE_TR_FUNCTIONS(Listing)
};

QString inARow(const QStringList &names) { return names.join(Listing::tr(", ")); }

} // namespace

QString listed(const QStringList &names, Joined how) {
    if (names.size() < 2)
        return names.join(QString());
    return (how == Joined::And ? Listing::tr("%1 and %2") : Listing::tr("%1 or %2"))
        .arg(inARow(names.first(names.size() - 1)), names.last());
}

QString listedInBrief(const QStringList &names, qsizetype unnamed) {
    const qsizetype named = std::min(names.size(), namedInBrief), more = names.size() - named + unnamed;
    return more ? Listing::tr("%1 and %2 more").arg(inARow(names.first(named)), QString::number(more)) : listed(names);
}

} // namespace tessera
