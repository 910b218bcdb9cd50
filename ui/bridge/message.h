// What the window tells its user: what happened, why, and what to do about it.
#pragma once

#include "app/core/error.h"

#include <QString>

namespace tessera {

struct Message {
    enum class Kind { Information, Warning, Error } kind = Kind::Information;
    QString what;
    QString remedy;
    QString topic = {}; // a newer message on the same topic replaces this one; empty: none does
};

inline Message messageFrom(const Error &error, const QString &topic = {}) {
    return {Message::Kind::Error, QString::fromStdString(error.what()), QString::fromStdString(error.remedy()), topic};
}

} // namespace tessera
