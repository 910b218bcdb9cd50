// Templates of output names, and the list of inputs.
#include "app/commands/batch/batch_inputs.h"
#include "app/commands/batch/content_hash.h"
#include "app/commands/batch/name_template.h"
#include "app/core/error.h"

#include <QTemporaryDir>
#include <QTest>

#include <filesystem>
#include <fstream>
#include <memory>
#include <sys/stat.h>

using namespace tessera;
namespace fs = std::filesystem;

namespace {

NameParts parts() { return {"photo.1", "gaussian-sobel", "png", "june", "2024/june", 7}; }

std::string applied(const std::string &text) { return NameTemplate(text).apply(parts()).native(); }

QString usageError(const std::string &text) {
    try {
        NameTemplate(text).apply(parts());
    } catch (const Error &error) {
        return error.kind() == ErrorKind::Usage ? QString::fromStdString(error.fullText()) : "another kind of error";
    }
    return "no error";
}

void touch(const fs::path &path) {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << "x";
}

std::vector<std::string> names(const InputList &list, const fs::path &root) {
    std::vector<std::string> result;
    for (const BatchInput &input : list.inputs)
        result.push_back(input.path.lexically_relative(root).native());
    return result;
}

using Names = std::vector<std::string>;

} // namespace

class CommandsNamesTest : public QObject {
    Q_OBJECT
private slots:
    void placeholders();
    void bracesAndFolders();
    void anEmptyFolderIsNoFolder();
    void unknownPlaceholdersAreRefused();
    void namesThatAreNoFilesAreRefused_data();
    void namesThatAreNoFilesAreRefused();
    void listsAreSplit();

    void init();
    void foldersAreSortedAndFiltered();
    void recursionKeepsTheFolder();
    void theOutputFolderIsNotSearched();
    void earlierOutputsAreNotInputs();
    void symbolicLoopsEnd();
    void aFileIsTakenOnce();
    void namedFilesAreTakenWhateverTheyAre();
    void pipesInFoldersAreSkipped();

private:
    std::unique_ptr<QTemporaryDir> temporary_;
    fs::path root_;
};

void CommandsNamesTest::placeholders() {
    QCOMPARE(applied("{stem}-{filter}.{ext}"), std::string("photo.1-gaussian-sobel.png"));
    QCOMPARE(applied("{parent}_{index}.{ext}"), std::string("june_7.png"));
    QCOMPARE(applied("{index:4}.{ext}"), std::string("0007.png"));
    QCOMPARE(applied("{folder}/{stem}.{ext}"), std::string("2024/june/photo.1.png"));
    QCOMPARE(applied("fixed.tif"), std::string("fixed.tif"));
}

void CommandsNamesTest::bracesAndFolders() {
    QCOMPARE(applied("{{{stem}}}.{ext}"), std::string("{photo.1}.png"));
    QCOMPARE(applied("a/./b/../{stem}.{ext}"), std::string("a/photo.1.png"));
}

void CommandsNamesTest::anEmptyFolderIsNoFolder() {
    NameParts atTop = parts();
    atTop.folder.clear();
    QCOMPARE(NameTemplate("{folder}/{stem}.{ext}").apply(atTop).native(), std::string("photo.1.png"));
}

void CommandsNamesTest::unknownPlaceholdersAreRefused() {
    QVERIFY(usageError("{stme}.png").contains("did you mean 'stem'?"));
    QVERIFY(usageError("{}.png").contains("no placeholder"));
    QVERIFY(usageError("{stem.png").contains("without its '}'"));
    QVERIFY(usageError("stem}.png").contains("without its '{'"));
    QVERIFY(usageError("{stem:3}.png").contains("only {index:4} does"));
    QVERIFY(usageError("{index:x}.png").contains("index:DIGITS"));
}

void CommandsNamesTest::namesThatAreNoFilesAreRefused_data() {
    QTest::addColumn<QString>("text");
    for (const char *text : {"", "/tmp/{stem}.png", "../{stem}.png", "a/../../{stem}.png", "{stem}/", ".", ".."})
        QTest::newRow(*text ? text : "empty") << text;
}

void CommandsNamesTest::namesThatAreNoFilesAreRefused() {
    QFETCH(QString, text);
    const QString message = usageError(text.toStdString());
    QVERIFY2(message.startsWith("--name"), qPrintable(message));
}

void CommandsNamesTest::listsAreSplit() {
    using Paths = std::vector<fs::path>;
    QCOMPARE(splitFileList("a.png\nb c.png\r\n\n d.png"), (Paths{"a.png", "b c.png", " d.png"}));
    QCOMPARE(splitFileList(std::string("a\nb.png\0c.png\0", 14)), (Paths{"a\nb.png", "c.png"}));
    QVERIFY(splitFileList("").empty());
}

void CommandsNamesTest::init() {
    temporary_ = std::make_unique<QTemporaryDir>();
    root_ = fs::canonical(temporary_->path().toStdString());
}

void CommandsNamesTest::foldersAreSortedAndFiltered() {
    for (const char *name : {"b.png", "a.JPG", ".hidden.png", "notes.txt", "c", "sub/d.png", "Z.tif"})
        touch(root_ / name);
    const InputList list = collectInputs({{root_}, {}, false, root_ / "out", {}});
    QCOMPARE(names(list, root_), (Names{"Z.tif", "a.JPG", "b.png"}));
    QCOMPARE(list.skipped.size(), std::size_t(4));
}

void CommandsNamesTest::recursionKeepsTheFolder() {
    touch(root_ / "in/x/y/b.png");
    touch(root_ / "in/a.png");
    const InputList list = collectInputs({{root_ / "in"}, {}, true, root_ / "out", {}});
    QCOMPARE(names(list, root_), (Names{"in/a.png", "in/x/y/b.png"}));
    QCOMPARE(list.inputs[0].folder.native(), std::string());
    QCOMPARE(list.inputs[1].folder.native(), std::string("x/y"));
}

void CommandsNamesTest::theOutputFolderIsNotSearched() {
    touch(root_ / "a.png");
    touch(root_ / "out/a-box.png");
    const InputList inside = collectInputs({{root_}, {}, true, root_ / "out", {}});
    QCOMPARE(names(inside, root_), (Names{"a.png"}));
    // Named as an input it is one, output folder or not.
    const InputList itself = collectInputs({{root_ / "out"}, {}, true, root_ / "out", {}});
    QCOMPARE(names(itself, root_), (Names{"out/a-box.png"}));
}

void CommandsNamesTest::earlierOutputsAreNotInputs() {
    touch(root_ / "a.png");
    touch(root_ / "a-box.png");
    const std::string asMade = fileHash(root_ / "a-box.png");
    const auto listWith = [&](const std::string &hash, std::vector<fs::path> paths) {
        return collectInputs({std::move(paths), {}, false, root_, {{root_ / "a-box.png", {"of another", hash}}}});
    };
    const InputList list = listWith(asMade, {root_});
    QCOMPARE(names(list, root_), (Names{"a.png"}));
    QCOMPARE(list.earlierOutputs, std::size_t(1)); // and is told of
    const InputList changed = listWith("other", {root_});
    QCOMPARE(names(changed, root_), (Names{"a-box.png", "a.png"}));
    QVERIFY(changed.earlierOutputs == 0 && changed.inputs[0].changedOutput && !changed.inputs[1].changedOutput);
    QCOMPARE(listWith(asMade, {root_, root_ / "a-box.png"}).inputs.size(), std::size_t(2)); // named itself
    QCOMPARE(listWith(asMade, {root_ / "a-box.png", root_}).inputs.size(), std::size_t(2));
}

void CommandsNamesTest::symbolicLoopsEnd() {
    touch(root_ / "in/sub/a.png");
    fs::create_directory_symlink(root_ / "in", root_ / "in/sub/loop");
    fs::create_directory_symlink(root_ / "in/sub", root_ / "in/again");
    const InputList list = collectInputs({{root_ / "in"}, {}, true, root_ / "out", {}});
    QCOMPARE(list.inputs.size(), std::size_t(1));
}

void CommandsNamesTest::aFileIsTakenOnce() {
    touch(root_ / "a.png");
    const InputList list =
        collectInputs({{root_ / "a.png", root_, root_ / "." / "a.png"}, {}, false, root_ / "out", {}});
    QCOMPARE(names(list, root_), (Names{"a.png"}));
}

void CommandsNamesTest::namedFilesAreTakenWhateverTheyAre() {
    touch(root_ / ".hidden");
    const InputList list = collectInputs({{root_ / ".hidden", root_ / "missing.png"}, {}, false, root_ / "out", {}});
    QCOMPARE(names(list, root_), (Names{".hidden", "missing.png"}));
}

void CommandsNamesTest::pipesInFoldersAreSkipped() {
    QCOMPARE(::mkfifo((root_ / "pipe.png").c_str(), 0600), 0);
    fs::create_symlink("nowhere", root_ / "dangling.png");
    const InputList list = collectInputs({{root_}, {}, false, root_ / "out", {}});
    QCOMPARE(names(list, root_), (Names{"dangling.png"})); // its failure is reported, not passed over
}

QTEST_APPLESS_MAIN(CommandsNamesTest)
#include "commands_names_test.moc"
