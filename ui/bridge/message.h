// What the window tells its user: what happened, why, and what to do about it.
#pragma once

#include "app/core/error.h"

#include <QString>

namespace tessera {

struct Message {
    enum class Kind { Information, Warning, Error } kind = Kind::Information;
    QString what; // begins with a word or a path, never with a bare name: the first word is capitalised
    QString remedy;
    QString topic = {};    // a newer message on the same topic replaces this one; empty: none does
    bool standing = false; // no other message and no opened picture takes it away; information still has its time
};

// Topics that are settled as the user goes on. What is said of the picture and its chain as they are holds no more once
// another picture is shown or the chain is another one; why the filter failed, once another picture is shown or it
// runs. A note of the run that is shown holds until another run has none, or another picture is shown.
inline const QString pictureTopic = QStringLiteral("picture");
inline const QString filterTopic = QStringLiteral("filter");
inline const QString filterRunTopic = QStringLiteral("filter/run"); // of the picture that is shown, beside savings
inline const QString noteTopic = QStringLiteral("note");

// What an Error says, in terms of the window: the rooms below advise the options of the command line, and the window
// has none of them. Every Error that is shown goes through this.
Message messageFrom(const Error &error, const QString &topic = {});
// Of the exception at hand, whatever it is: for the catch block of a job.
Message messageOfFailure(const QString &topic = {});
// What else the rooms below say, so told.
QString inWindowTerms(const std::string &text);
QString fullTextOf(const Message &message); // "what (remedy)", on one line

} // namespace tessera
