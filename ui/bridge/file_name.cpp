#include "ui/bridge/file_name.h"

#include "app/image/display_name.h"

#include <QByteArray>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QMimeData>
#include <QStringDecoder>
#include <QUrl>

#include <algorithm>
#include <sys/statvfs.h>

namespace tessera {

namespace {

constexpr char16_t surrogateOfByte = 0xdc00;

bool standsForByte(const QString &text, qsizetype i) {
    const bool low = text[i].unicode() >= surrogateOfByte + 0x80 && text[i].unicode() <= surrogateOfByte + 0xff;
    return low && (i == 0 || !text[i - 1].isHighSurrogate());
}

QByteArray bytesOf(const QString &name) {
    QByteArray bytes;
    qsizetype begin = 0;
    for (qsizetype i = 0; i < name.size(); ++i)
        if (standsForByte(name, i)) {
            bytes += QStringView(name).mid(begin, i - begin).toUtf8();
            bytes += char(name[i].unicode() - surrogateOfByte);
            begin = i + 1;
        }
    return bytes + QStringView(name).mid(begin).toUtf8();
}

QString textOf(std::string_view bytes) {
    QString text;
    while (!bytes.empty()) {
        std::size_t good = 0;
        while (const std::size_t length = utf8Length(bytes.substr(good)))
            good += length;
        QStringDecoder decode(QStringDecoder::Utf8, QStringDecoder::Flag::ConvertInitialBom); // a name is no text file
        text += decode(QByteArrayView(bytes.data(), qsizetype(good)));
        bytes.remove_prefix(good);
        if (!bytes.empty()) {
            text += QChar(char16_t(surrogateOfByte + static_cast<unsigned char>(bytes.front())));
            bytes.remove_prefix(1);
        }
    }
    return text;
}

} // namespace

std::filesystem::path pathFrom(const QString &name) { return bytesOf(name).toStdString(); }

QString textFrom(const std::filesystem::path &path) { return textOf(path.native()); }

QString typedPath(const QString &typed) {
    const QString path = typed.trimmed();
    return path == QLatin1String("~") || path.startsWith(QLatin1String("~/")) ? QDir::homePath() + path.mid(1) : path;
}

bool canHoldFiles(const QString &folder) {
    QFileInfo there(folder);
    while (!there.exists() && there.absolutePath() != there.absoluteFilePath())
        there = QFileInfo(there.absolutePath());
    if (!there.isDir() || !there.isWritable())
        return false;
    struct statvfs room {};
    return ::statvfs(QFile::encodeName(there.absoluteFilePath()).constData(), &room) != 0 || room.f_blocks > 0;
}

QString absoluteName(const QString &name) {
    std::error_code ignored;
    const std::filesystem::path whole = std::filesystem::absolute(pathFrom(name), ignored);
    return textFrom(whole.lexically_normal());
}

QStringList localFiles(const QMimeData &data) {
    QStringList paths;
    for (const QUrl &url : data.urls())
        if (url.isLocalFile()) // toLocalFile() would lose what is no UTF-8
            paths << textOf(QByteArray::fromPercentEncoding(url.path(QUrl::FullyEncoded).toLatin1()).toStdString());
    return paths;
}

QVariant settingFrom(const QStringList &names) {
    const auto isText = [](const QString &name) { return name.isValidUtf16(); };
    if (std::all_of(names.begin(), names.end(), isText))
        return names;
    QVariantList list;
    for (const QString &name : names)
        list << (isText(name) ? QVariant(name) : QVariant(bytesOf(name)));
    return list;
}

QStringList namesFrom(const QVariant &setting) {
    const bool several = setting.canConvert<QVariantList>() && setting.typeId() != QMetaType::QString;
    QStringList names;
    for (const QVariant &one : several ? setting.toList() : QVariantList{setting})
        if (one.isValid())
            names << (one.typeId() == QMetaType::QByteArray ? textOf(one.toByteArray().toStdString()) : one.toString());
    return names;
}

QString shownName(const QString &name) { return shownName(pathFrom(name)); }

QString shownName(const std::filesystem::path &path) { return QString::fromStdString(displayName(path)); }

QString shownFileName(const QString &path) { return shownName(QFileInfo(path).fileName()); }

} // namespace tessera
