// The window's side of a batch: the same planning and the same work on each file as `tessera batch`.
#pragma once

#include "app/commands/batch/batch_file.h"
#include "app/commands/batch/batch_notes.h"
#include "app/commands/batch/batch_record.h"
#include "app/session/chain.h"
#include "ui/bridge/job_thread.h"
#include "ui/bridge/message.h"

#include <QObject>
#include <QStringList>

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

struct BatchRequest {
    QStringList inputs; // files and folders
    bool recursive = false;
    QString outputFolder;
    QString nameTemplate = QStringLiteral("{stem}-{filter}.{ext}");
    QString format; // empty: the input's
    int quality = 92;
    bool overwrite = false;
    bool skipExisting = false; // what an earlier run made from the same input in the same way
    Chain chain;
    std::string variant = "auto", device = "auto";
};

// Files that a run would replace, named below the output folder. Made: by an earlier batch, and as it left them.
// Foreign: no batch has made them, or they were changed since.
struct ExistingFiles {
    QStringList made, foreign;
};

enum class Replacing { All, MadeOnly };

class BatchRunner : public QObject {
    Q_OBJECT

public:
    explicit BatchRunner(QObject *parent = nullptr) : QObject(parent) {}

    void start(const BatchRequest &request);
    void cancel() { thread_.cancel(); }
    bool running() const { return running_; }
    void answer(Replacing what); // to replacing(); cancel() is the other answer

signals:
    void planned(int files);
    // All that should be told so far besides failures, a line each: what was left out, what is odd about files. Mostly
    // nothing.
    void told(const QStringList &lines);
    // Asked once, before anything is written, where request.overwrite meets files. Nothing goes on before the answer.
    void replacing(const tessera::ExistingFiles &existing);
    void folderFailed(const QString &failure);                      // what is in it is not among the files
    void fileFinished(const QString &name, const QString &failure); // `failure` is empty where all went well
    void fileSkipped(const QString &name);                          // its output is there already
    void written(const QString &path);
    void finished(bool cancelled);
    void failed(const tessera::Message &message); // nothing was started; finished() follows

private:
    void run(const BatchRequest &request, const RunControl &control);
    // What earlier batches wrote, and what this one would state as its parameters.
    struct Recorded {
        BatchRecords records;
        std::string parameters;
    };
    void tellOf(const InputList &list);
    void finishFile(const FileOutcome &outcome);
    void tellSkipped(const PlannedFile &file);
    void refuse(const PlannedFile &file, const QString &why, const QString &remedy);
    // What stands where the outputs go, and what may be replaced of it, asked where there is something. One for each
    // file; all Free where nothing may be replaced. Kept: Foreign, and by the answer it stays.
    enum class Standing { Free, UpToDate, Made, Foreign, Kept, NoFile };
    std::vector<Standing> settleReplacing(const std::vector<PlannedFile> &files, const BatchRequest &request,
                                          const Recorded &recorded, const RunControl &control);
    static Standing standingOf(const PlannedFile &file, const BatchRequest &request, const Recorded &recorded);
    bool mayReplace(const PlannedFile &file, Standing standing);
    // Whether the file's output is up to date, which is told, or must not be replaced, which is its failure.
    bool settleExisting(const PlannedFile &file, const BatchRequest &request, const Recorded &recorded);

    bool running_ = false;
    std::mutex answerMutex_;
    std::condition_variable_any answered_;
    std::optional<Replacing> answer_;
    BatchNotes leftOut_, notes_; // in the window's thread alone
    JobThread thread_{JobThread::Policy::NewestWins};
};

} // namespace tessera
