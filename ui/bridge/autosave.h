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
//
// Where several programs were killed, the first that starts takes over what all of them had open.
class Autosave : public QObject {
    Q_OBJECT

public:
    // `root` holds the folders; empty: the user's data folder.
    Autosave(Session &session, const QString &root = {}, QObject *parent = nullptr);
    ~Autosave() override;

    // Opens what the programs that did not end by themselves had open, and returns how many of them there were: 0 where
    // there is nothing, or where it was put aside: notice() says so. Says too where nothing can be kept.
    int restore();
    // A clean end: nothing is left to restore.
    void discard();
    QString file() const;

signals:
    void notice(const tessera::Message &message);
    void settled(const QString &topic); // what a notice said holds no more

private:
    // A session as it was found: its file, and how often it was tried before.
    struct Found {
        QString file;
        int attempt = 0;
        SessionState state;
    };
    bool findFolder(bool withSession);
    bool takeFolder(const QString &folder);
    QString folderOf(int slot) const { return QStringLiteral("%1/%2").arg(root_, QString::number(slot)); }
    Found findSession(const QString &folder);
    int gatherOthers(Found &own);
    void takeOver(Found &own, const Found &other);
    void putAside(const QString &kept, const QString &why);
    void complain(const QString &why);
    void warn(const QString &what, const QString &remedy, const QString &topic = {});
    void onRestored(int failures);
    void schedule();
    void save();
    void placePictures(SessionState &state);

    Session &session_;
    QString root_;
    QString folder_;  // empty where none could be had: then nothing is kept
    QString whyNone_; // why no folder could be had
    QString from_;    // the file that is being opened again
    std::unique_ptr<QLockFile> lock_;
    QTimer timer_;
    std::map<SharedImage, std::filesystem::path> kept_; // pictures without a file, and where they lie
    int nextPicture_ = 1;
    bool complained_ = false;
    bool ended_ = false;
    JobThread writer_{JobThread::Policy::InOrder};
};

} // namespace tessera
