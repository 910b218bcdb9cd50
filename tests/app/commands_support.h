// Starts the real binary and makes small pictures for it.
#pragma once

#include <QByteArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QMap>
#include <QProcess>
#include <QString>
#include <QStringList>

#include <vector>

namespace tessera::test {

struct Run {
    int code = -1; // -1: it did not start, crashed or ran too long
    QByteArray out;
    QByteArray err;

    QJsonObject json() const; // fails the test where standard output is not exactly one JSON object
    QString text() const;     // everything, for messages of failing tests
};

struct RunSettings {
    QString folder;                     // working directory
    QMap<QString, QString> environment; // on top of a clean one; an empty value removes the variable
    QByteArray input;
    int timeoutMs = 120'000;
    bool withoutPrivileges = false; // obey permissions even as root
    unsigned fileSizeLimit = 0;     // in bytes, as by ulimit -f: how a full disk is tried without one
};

// Whether withoutPrivileges can be had: root needs the capability to give capabilities up.
bool canDropPrivileges();

// The program under test: that of this build, or what the variable TESSERA_EXECUTABLE names (an installed one, one with
// a sanitizer).
QString executable();

Run runTessera(const QStringList &arguments, const RunSettings &settings = {});

// Prepared like runTessera(), not yet started.
void prepare(QProcess &process, const QStringList &arguments, const RunSettings &settings);

// Binary PGM and PPM, 8 bit.
void writePgm(const QString &path, int width, int height, const std::vector<int> &values);
void writePpm(const QString &path, int width, int height); // a gradient
std::vector<int> readPgm(const QString &path);             // empty where it is none

void writeFile(const QString &path, const QByteArray &content);
QByteArray readFile(const QString &path);

// Pieces of a PNG, for files that claim anything: a chunk with its check sum, and the beginning. `kind`: depth and
// colour type.
QByteArray pngChunk(const QByteArray &type, const QByteArray &content);
QByteArray pngHeader(unsigned width, unsigned height, const char *kind = "\x08\x02");

// Every file below a folder, relative, sorted, hidden ones too.
QStringList filesIn(const QString &folder);

} // namespace tessera::test

// Compares an exit code and shows what the program said where it differs.
#define EXPECT_CODE(run, expected)                                                                                     \
    QVERIFY2((run).code == (expected), qPrintable(QStringLiteral("exit code %1\n").arg((run).code) + (run).text()))
// The message names all of these words.
#define EXPECT_IN(text, word)                                                                                          \
    QVERIFY2((text).contains(word), qPrintable(QStringLiteral("no '") + QString::fromUtf8(QByteArray(word)) +          \
                                               QStringLiteral("' in: ") + QString::fromUtf8(text)))
