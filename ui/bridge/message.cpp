#include "ui/bridge/message.h"

#include "app/image/display_name.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <QStringList>

#include <new>
#include <string>
#include <vector>

namespace tessera {

namespace {

struct Term {
    QRegularExpression option; // and the words around it
    QString inWindow;
};

QString tr(const char *text) { return QCoreApplication::translate("tessera::Message", text); }

// The first that fits wins, so that the longer ones come first.
const std::vector<Term> &terms() {
    static const std::vector<Term> list = {
        {QRegularExpression(QStringLiteral("raise --max-memory( to \\w+)?, or use a machine with more memory")),
         tr("use a machine with more memory, or a smaller picture")},
        {QRegularExpression(QStringLiteral("raise --max-memory( to \\w+)?, or ")), QString()},
        {QRegularExpression(QStringLiteral("larger than --max-memory")), tr("larger than the memory allows")},
        {QRegularExpression(QStringLiteral("raise --max-pixels if the picture is meant to be that large")),
         tr("if the picture is meant to be that large, filter it outside the window: 'tessera batch --max-pixels "
            "N'")},
        {QRegularExpression(QStringLiteral("convert with --depth 32f")), tr("choose 32-bit float as the depth")},
        {QRegularExpression(QStringLiteral("convert with --depth (\\w+)")), tr("choose \\1 bits as the depth")},
        {QRegularExpression(QStringLiteral(" \\(--overwrite\\)")), QString()},
        {QRegularExpression(QStringLiteral("add --overwrite to replace it, or --skip-existing to append to it")),
         tr("allow replacing")},
        {QRegularExpression(QStringLiteral("--skip-existing takes what another batch makes, --overwrite replaces it|"
                                           "--overwrite beside --skip-existing replaces it")),
         tr("run the batch again: it says what is there, and replaces it where you allow that")},
        {QRegularExpression(QStringLiteral("use --filter for these")), tr("choose a filter from the list for these")},
        {QRegularExpression(QStringLiteral("--device auto takes")), tr("the device 'auto' takes")},
        {QRegularExpression(QStringLiteral("or --device cpu")), tr("or choose the CPU as the device")},
        {QRegularExpression(QStringLiteral("use --device cpu")), tr("choose the CPU as the device")},
        {QRegularExpression(QStringLiteral("(use|choose) another --device")), tr("choose another device")},
        {QRegularExpression(QStringLiteral("(use|choose) another --variant")), tr("choose another variant")},
        {QRegularExpression(QStringLiteral("leave the choice to --variant auto")), tr("choose the variant 'auto'")},
        {QRegularExpression(QStringLiteral("^--kernel: ")), QString()},
        {QRegularExpression(QStringLiteral("a folder; --recursive looks into it")),
         tr("a folder; choose “Folders within folders too” to look into it")},
        {QRegularExpression(QStringLiteral("choose (one|a format) with --format")), tr("choose a format")},
        {QRegularExpression(QStringLiteral(" with -o\\b")), QString()},
        {QRegularExpression(QStringLiteral("another --name")), tr("other names")},
        {QRegularExpression(QStringLiteral("another --format or --depth")), tr("another format or depth")},
        {QRegularExpression(QStringLiteral("another --format")), tr("another format")},
        {QRegularExpression(QStringLiteral("(?<![^\\s(])--(name|format|quality)\\b")), tr("the \\1")},
    };
    return list;
}

// "--name" or "-n" that is no option of a command named in the same quotes.
bool namesOption(const QString &text) {
    static const QRegularExpression command(QStringLiteral("'tessera [^']*'")),
        option(QStringLiteral("(?<![^\\s(])-(-[a-z]|[a-z]\\b)"));
    return QString(text).remove(command).contains(option);
}

// Without the alternatives, "a, or b; c", that still name an option of the command line.
QString withoutOptions(const QString &text) {
    if (!namesOption(text))
        return text;
    static const QRegularExpression between(QStringLiteral(", or |; or |; |, "));
    QStringList kept;
    for (const QString &part : text.split(between))
        if (!namesOption(part))
            kept << part;
    return kept.join(QStringLiteral(", or "));
}

} // namespace

QString inWindowTerms(const std::string &text) {
    QString said = QString::fromStdString(displayText(text)); // as on a console: a name in it may hold anything
    if (!namesOption(said))
        return said;
    for (const Term &term : terms())
        said.replace(term.option, term.inWindow);
    return said;
}

Message messageFrom(const Error &error, const QString &topic) {
    return {Message::Kind::Error, inWindowTerms(error.what()), withoutOptions(inWindowTerms(error.remedy())), topic};
}

Message messageOfFailure(const QString &topic) {
    try {
        throw;
    } catch (const Error &error) {
        return messageFrom(error, topic);
    } catch (const std::bad_alloc &) {
        return {Message::Kind::Error, tr("there is not enough memory"), tr("close other pictures or programs"), topic};
    } catch (const std::exception &error) {
        return {Message::Kind::Error, QString::fromUtf8(error.what()), {}, topic};
    }
}

QString fullTextOf(const Message &message) {
    return message.remedy.isEmpty() ? message.what : QStringLiteral("%1 (%2)").arg(message.what, message.remedy);
}

} // namespace tessera
