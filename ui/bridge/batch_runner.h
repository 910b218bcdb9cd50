// The window's side of a batch: the same planning and the same work on each file as `tessera batch`.
#pragma once

#include "app/commands/batch/batch_file.h"
#include "app/session/chain.h"
#include "ui/bridge/job_thread.h"
#include "ui/bridge/message.h"

#include <QObject>
#include <QStringList>

#include <string>

namespace tessera {

struct BatchRequest {
    QStringList inputs; // files and folders
    bool recursive = false;
    QString outputFolder;
    QString nameTemplate = QStringLiteral("{stem}-{filter}.{ext}");
    QString format; // empty: the input's
    int quality = 92;
    bool overwrite = false;
    Chain chain;
    std::string variant = "auto", device = "auto";
};

class BatchRunner : public QObject {
    Q_OBJECT

public:
    explicit BatchRunner(QObject *parent = nullptr) : QObject(parent) {}

    void start(const BatchRequest &request);
    void cancel() { thread_.cancel(); }
    bool running() const { return running_; }

signals:
    void planned(int files);
    // `failure` is empty where all went well; `note` is what else should be told, mostly nothing.
    void fileFinished(const QString &name, const QString &failure, const QString &note);
    void written(const QString &path);
    void finished(bool cancelled);
    void failed(const tessera::Message &message); // nothing was started; finished(true) follows

private:
    void run(const BatchRequest &request, const RunControl &control);

    bool running_ = false;
    JobThread thread_{JobThread::Policy::NewestWins};
};

} // namespace tessera
