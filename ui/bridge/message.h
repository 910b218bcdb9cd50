// What the window tells its user: what happened, why, and what to do about it.
#pragma once

#include "app/core/error.h"

#include <QString>

namespace tessera {

struct Message {
    enum class Kind { Information, Warning, Error } kind = Kind::Information;
    QString what;
    QString remedy;
    QString topic = {};    // a newer message on the same topic replaces this one; empty: none does
    bool standing = false; // it holds until it is closed or settled; others go when the next picture is opened
};

// What an Error says, in terms of the window: the rooms below advise the options of the command line, and the window
// has none of them. Every Error that is shown goes through this.
Message messageFrom(const Error &error, const QString &topic = {});
QString fullTextOf(const Message &message); // "what (remedy)", on one line

} // namespace tessera
