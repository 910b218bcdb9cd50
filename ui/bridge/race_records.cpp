#include "ui/bridge/race_records.h"

#include "ui/bridge/race_runner.h"

#include <utility>

namespace tessera {

RaceRecords::RaceRecords(RaceRunner &runner, QObject *parent) : QObject(parent) {
    connect(&runner, &RaceRunner::rowChanged, this, [this](int index, const RaceRow &row) {
        if (const auto record = records_.find(racing_); record != records_.end())
            if (index >= 0 && index < int(record->second.rows.size()))
                record->second.rows[std::size_t(index)] = row;
    });
    connect(&runner, &RaceRunner::workingOn, this, [this](const QString &what) { working_ = what; });
    connect(&runner, &RaceRunner::finished, this, &RaceRecords::settle);
}

void RaceRecords::begin(const Document *document, const RaceSubject &subject) {
    settle();
    racing_ = document;
    records_[document] = {subject, raceRows()};
}

const RaceRecord *RaceRecords::of(const Document *document) const {
    const auto found = records_.find(document);
    return found == records_.end() ? nullptr : &found->second;
}

void RaceRecords::forget(const Document *document) {
    records_.erase(document);
    if (racing_ == document)
        racing_ = nullptr;
}

void RaceRecords::settle() {
    if (const auto record = records_.find(std::exchange(racing_, nullptr)); record != records_.end())
        settleRows(record->second.rows);
    working_.clear();
}

} // namespace tessera
