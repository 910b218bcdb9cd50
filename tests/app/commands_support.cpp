#include "tests/app/commands_support.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QTest>

#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace tessera::test {

QJsonObject Run::json() const {
    QJsonParseError error;
    const QJsonDocument document = QJsonDocument::fromJson(out, &error);
    if (error.error != QJsonParseError::NoError || !document.isObject())
        QTest::qFail(qPrintable("standard output is not one JSON object: " + error.errorString() + "\n" + text()),
                     __FILE__, __LINE__);
    return document.object();
}

QString Run::text() const { return "stdout: " + QString::fromUtf8(out) + "\nstderr: " + QString::fromUtf8(err); }

QString executable() { return qEnvironmentVariable("TESSERA_EXECUTABLE", TESSERA_EXECUTABLE); }

bool canDropPrivileges() { return ::geteuid() != 0 || ::prctl(PR_CAPBSET_READ, CAP_SETPCAP) == 1; }

void prepare(QProcess &process, const QStringList &arguments, const RunSettings &settings) {
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    // What the machine's own scheduler or desktop says must not decide a test.
    for (const QString &name : environment.keys())
        if (name.startsWith("SLURM_") || name.startsWith("JOB_COMPLETION") || name.startsWith("TESSERA_"))
            environment.remove(name);
    for (auto it = settings.environment.begin(); it != settings.environment.end(); ++it) {
        if (it.value().isEmpty())
            environment.remove(it.key());
        else
            environment.insert(it.key(), it.value());
    }
    process.setProcessEnvironment(environment);
    if (!settings.folder.isEmpty())
        process.setWorkingDirectory(settings.folder);
    process.setChildProcessModifier(
        [drop = settings.withoutPrivileges && ::geteuid() == 0, limit = settings.fileSizeLimit] {
            if (drop) { // what the bounding set lacks, root does not get at exec
                ::prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE);
                ::prctl(PR_CAPBSET_DROP, CAP_DAC_READ_SEARCH);
            }
            const rlimit size{limit, limit};
            if (limit > 0)
                ::setrlimit(RLIMIT_FSIZE, &size);
        });
    process.setProgram(executable());
    process.setArguments(arguments);
}

Run runTessera(const QStringList &arguments, const RunSettings &settings) {
    QProcess process;
    prepare(process, arguments, settings);
    process.start();
    Run run;
    if (!process.waitForStarted())
        return run;
    process.write(settings.input);
    process.closeWriteChannel();
    const bool finished = process.waitForFinished(settings.timeoutMs);
    if (!finished)
        process.kill();
    run.out = process.readAllStandardOutput();
    run.err = process.readAllStandardError();
    if (finished && process.exitStatus() == QProcess::NormalExit)
        run.code = process.exitCode();
    return run;
}

void writeFile(const QString &path, const QByteArray &content) {
    QFile file(path);
    QVERIFY2(file.open(QIODevice::WriteOnly) && file.write(content) == content.size(), qPrintable(path));
}

QByteArray readFile(const QString &path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

void writePgm(const QString &path, int width, int height, const std::vector<int> &values) {
    QByteArray content = "P5\n" + QByteArray::number(width) + " " + QByteArray::number(height) + "\n255\n";
    for (const int value : values)
        content += static_cast<char>(value);
    writeFile(path, content);
}

void writePpm(const QString &path, int width, int height) {
    QByteArray content = "P6\n" + QByteArray::number(width) + " " + QByteArray::number(height) + "\n255\n";
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
            content += QByteArray().append(char(x * 7 + y)).append(char(x + y * 5)).append(char(x * y));
    writeFile(path, content);
}

std::vector<int> readPgm(const QString &path) {
    const QByteArray content = readFile(path);
    const QList<QByteArray> header = content.left(32).simplified().split(' ');
    if (header.size() < 4 || header[0] != "P5")
        return {};
    const int count = header[1].toInt() * header[2].toInt();
    std::vector<int> values;
    for (const char value : content.right(count))
        values.push_back(static_cast<unsigned char>(value));
    return values;
}

namespace {

QByteArray bigEndian(unsigned value) {
    QByteArray bytes;
    for (int shift = 24; shift >= 0; shift -= 8)
        bytes += char(value >> shift & 0xff);
    return bytes;
}

} // namespace

QByteArray pngChunk(const QByteArray &type, const QByteArray &content) {
    unsigned sum = 0xffffffffu;
    for (const char byte : type + content) {
        sum ^= static_cast<unsigned char>(byte);
        for (int bit = 0; bit < 8; ++bit)
            sum = sum & 1 ? 0xedb88320u ^ (sum >> 1) : sum >> 1;
    }
    return bigEndian(unsigned(content.size())) + type + content + bigEndian(~sum);
}

QByteArray pngHeader(unsigned width, unsigned height, const char *kind) {
    return QByteArray("\x89PNG\r\n\x1a\n", 8) +
           pngChunk("IHDR", bigEndian(width) + bigEndian(height) + QByteArray(kind, 2) + QByteArray(3, '\0'));
}

QStringList filesIn(const QString &folder) {
    QStringList files;
    QDirIterator entries(folder, QDir::Files | QDir::Hidden | QDir::System, QDirIterator::Subdirectories);
    while (entries.hasNext())
        files << QDir(folder).relativeFilePath(entries.next());
    files.sort();
    return files;
}

} // namespace tessera::test
