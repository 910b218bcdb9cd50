// Several names in a sentence. Names are put in last or all at once, never by one arg() after another: a file may well
// be called "50%2.png".
#pragma once

#include <QStringList>

namespace tessera {

enum class Joined { And, Or };

// "a", "a and b", "a, b and c"; empty for none.
QString listed(const QStringList &names, Joined how = Joined::And);

// The first three and how many more there are: "a, b, c and 4 more". `unnamed` of these are not among the names.
QString listedInBrief(const QStringList &names, qsizetype unnamed = 0);

} // namespace tessera
