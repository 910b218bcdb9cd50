// Keeps what is open on disk while it is open, so that a killed program comes back with it.
#pragma once

#include "app/session/session_file.h"
#include "ui/bridge/job_thread.h"
#include "ui/bridge/message.h"

#include <QLockFile>
#include <QObject>
#include <QTimer>

#include <map>
#include <memory>

namespace tessera {

class Session;

// A folder with session.json, the pictures that came from no file, and a lock that dies with the process. Several
// programs at once take one folder each.
//
// While a session is being opened again its file is called restoring-N.json, N being the number of the attempt: a
// picture that brings the program down brings it down twice at most, and then the session is put aside with a word.
// What could not be opened is put aside too: nothing is lost because a disk was not plugged in.
class Autosave : public QObject {
    Q_OBJECT

public:
    // `root` holds the folders; empty: the user's data folder.
    Autosave(Session &session, const QString &root = {}, QObject *parent = nullptr);
    ~Autosave() override;

    // Opens what a program that did not end by itself had open. False where there is nothing, or where it was put
    // aside: notice() says so.
    bool restore();
    // A clean end: nothing is left to restore.
    void discard();
    QString file() const;

signals:
    void notice(const tessera::Message &message);

private:
    bool takeFolder(const QString &folder);
    QString restoringFile(int attempt) const;
    QString fileToRestore(int &attempt);
    void putAside(const QString &kept, const QString &why);
    void onRestored(int failures);
    void schedule();
    void save();
    std::vector<std::pair<SharedImage, std::filesystem::path>> placePictures(SessionState &state);

    Session &session_;
    QString folder_; // empty where none could be had: then nothing is kept
    QString from_;   // the file that is being opened again
    std::unique_ptr<QLockFile> lock_;
    QTimer timer_;
    std::map<SharedImage, std::filesystem::path> kept_; // pictures without a file, and where they lie
    int nextPicture_ = 1;
    bool complained_ = false;
    bool ended_ = false;
    JobThread writer_{JobThread::Policy::InOrder};
};

} // namespace tessera
