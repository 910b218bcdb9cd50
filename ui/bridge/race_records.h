// The newest race of every open picture, while it runs and after, whichever picture is shown meanwhile.
#pragma once

#include "app/race/race_subject.h"

#include <QObject>
#include <QString>

#include <map>

namespace tessera {

class Document;
class RaceRunner;

class RaceRecords : public QObject {
    Q_OBJECT

public:
    explicit RaceRecords(RaceRunner &runner, QObject *parent = nullptr);

    // From here on the runner's rows are this one's. A race that runs still has no more to say.
    void begin(const Document *document, const RaceSubject &subject);
    const RaceRecord *of(const Document *document) const; // nullptr: none was run
    // Whose race runs, or is held; nullptr: none does.
    const Document *racing() const { return racing_; }
    const QString &working() const { return working_; } // RaceRunner::workingOn
    void forget(const Document *document);              // it is closed; its race must not run any more

private:
    void settle();

    std::map<const Document *, RaceRecord> records_;
    const Document *racing_ = nullptr;
    QString working_;
};

} // namespace tessera
