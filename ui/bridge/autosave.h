// Keeps what is open on disk while it is open, so that a killed program comes back with it.
#pragma once

#include "app/session/session_file.h"
#include "ui/bridge/job_thread.h"

#include <QLockFile>
#include <QObject>
#include <QTimer>

#include <map>
#include <memory>

namespace tessera {

class Document;
class Session;

// A folder with session.json, the pictures that came from no file, and a lock that dies with the process. Several
// programs at once take one folder each.
class Autosave : public QObject {
    Q_OBJECT

public:
    // `root` holds the folders; empty: the user's data folder.
    Autosave(Session &session, const QString &root = {}, QObject *parent = nullptr);
    ~Autosave() override;

    // Opens what a program that did not end by itself had open. False where there is nothing.
    bool restore();
    // A clean end: nothing is left to restore.
    void discard();
    QString file() const;

signals:
    void problem(const QString &what); // once, not at every try

private:
    bool takeFolder(const QString &folder);
    void schedule();
    void save();

    Session &session_;
    QString folder_; // empty where none could be had: then nothing is kept
    std::unique_ptr<QLockFile> lock_;
    QTimer timer_;
    std::map<const Document *, std::filesystem::path> kept_; // pictures without a file, and where they lie
    int nextPicture_ = 1;
    bool complained_ = false;
    bool ended_ = false;
    JobThread writer_{JobThread::Policy::InOrder};
};

} // namespace tessera
