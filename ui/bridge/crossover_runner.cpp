#include "ui/bridge/crossover_runner.h"

#include "app/image/image_io.h"
#include "app/race/crossover_file.h"
#include "ui/bridge/file_name.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QStandardPaths>

#include <span>

namespace tessera {

CrossoverRunner::CrossoverRunner(QObject *parent) : QObject(parent) {}
CrossoverRunner::~CrossoverRunner() = default;

QString CrossoverRunner::fileFor(const CrossoverPlan &plan) const {
    const QString folder =
        folder_.isEmpty() ? QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) : folder_;
    QDir().mkpath(folder);
    return QStringLiteral("%1/crossover-%2.json")
        .arg(folder, plan.kind == CrossoverKernels::Dense ? QStringLiteral("dense") : QStringLiteral("separable"));
}

// A map that cannot be read is measured again: nothing is lost but time.
CrossoverMap CrossoverRunner::kept(const CrossoverPlan &plan, const QString &path) const {
    CrossoverMap wanted = emptyCrossover(plan, QCoreApplication::applicationVersion().toStdString());
    QFile file(path);
    if (!file.open(QFile::ReadOnly))
        return wanted;
    try {
        CrossoverMap map = parseCrossover(file.readAll().toStdString(), shownName(path).toStdString());
        return stillHolds(map, wanted) ? map : wanted;
    } catch (const Error &) {
        return wanted;
    }
}

void CrossoverRunner::load(const CrossoverPlan &plan) {
    cancel();
    const std::uint64_t run = ++current_;
    thread_.submit([this, run, plan, path = fileFor(plan)](const RunControl &) {
        report(run, [this, map = kept(plan, path)] { emit changed(map); });
    });
}

void CrossoverRunner::start(const CrossoverPlan &plan, bool afresh) {
    const std::uint64_t run = ++current_;
    running_ = true;
    emit stateChanged();
    thread_.submit([this, run, plan, afresh, path = fileFor(plan)](const RunControl &control) {
        try {
            measure(plan, path, afresh, run, control);
        } catch (const Error &error) {
            if (error.kind() != ErrorKind::Cancelled)
                report(run, [this, message = messageFrom(error)] { emit failed(message); });
        } catch (...) {
            report(run, [this, why = messageOfFailure()] {
                emit failed({Message::Kind::Error, tr("The crossover map was stopped: %1").arg(why.what), why.remedy});
            });
        }
        report(run, [this] { end(); });
    });
}

// Written after every cell: a map that is stopped, or a program that ends, loses nothing.
void CrossoverRunner::measure(const CrossoverPlan &plan, const QString &path, bool afresh, std::uint64_t run,
                              const RunControl &control) {
    CrossoverMap map =
        afresh ? emptyCrossover(plan, QCoreApplication::applicationVersion().toStdString()) : kept(plan, path);
    report(run, [this, map] { emit changed(map); });
    measureCrossover(map, gate_, control, [&](const CrossoverMap &now) {
        const std::string text = formatCrossover(now);
        writeFileAtomically(pathFrom(path), std::as_bytes(std::span(text.data(), text.size())), true);
        report(run, [this, now] { emit changed(now); });
    });
}

void CrossoverRunner::cancel() {
    if (!running_)
        return;
    ++current_;
    thread_.cancel();
    end();
}

void CrossoverRunner::end() {
    running_ = false;
    emit stateChanged();
}

void CrossoverRunner::report(std::uint64_t run, std::function<void()> action) {
    postTo(this, [this, run, action = std::move(action)] {
        if (run == current_)
            action();
    });
}

} // namespace tessera
