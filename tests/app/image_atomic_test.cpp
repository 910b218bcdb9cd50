// writeFileAtomically: whole or not at all, never over another file, nothing left behind.
#include "tests/app/image_test_support.h"

#include <QtTest>

#include <atomic>
#include <sys/resource.h>
#include <sys/stat.h>
#include <thread>

using namespace tessera;
using namespace tessera::test;

namespace fs = std::filesystem;

namespace {

const ByteVector first = bytesOf("the first content"), second = bytesOf("another content");

unsigned modeOf(const fs::path &path) {
    struct stat status {};
    ::stat(path.c_str(), &status);
    return status.st_mode & 07777;
}

class FileSizeLimit {
public:
    explicit FileSizeLimit(rlim_t bytes) {
        ::getrlimit(RLIMIT_FSIZE, &previous_);
        const rlimit limit{bytes, previous_.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~FileSizeLimit() { ::setrlimit(RLIMIT_FSIZE, &previous_); }

private:
    rlimit previous_{};
};

} // namespace

class ImageAtomicTest : public QObject {
    Q_OBJECT

private slots:
    void writesWhatItIsGiven() {
        const TemporaryFolder folder;
        ByteVector large(3'000'001);
        for (std::size_t i = 0; i < large.size(); ++i)
            large[i] = std::byte(i * 31 & 0xff);
        writeFileAtomically(folder / "large", large, false);
        writeFileAtomically(folder / "empty", {}, false);
        QVERIFY(readFile(folder / "large") == large);
        QVERIFY(readFile(folder / "empty").empty());
        QCOMPARE(folder.names(), (std::vector<std::string>{"empty", "large"}));
    }

    void anExistingFileStays() {
        const TemporaryFolder folder;
        writeFileAtomically(folder / "file", first, false);
        const Failure failure = failureOf([&] { writeFileAtomically(folder / "file", second, false); });
        QCOMPARE(failure.kind, ErrorKind::Output);
        QVERIFY2(failure.text.find("exists already") != std::string::npos, failure.text.c_str());
        QVERIFY2(failure.text.find("--overwrite") != std::string::npos, failure.text.c_str());
        QVERIFY(readFile(folder / "file") == first);
        QCOMPARE(folder.names(), std::vector<std::string>{"file"});
    }

    void overwritingReplacesAndKeepsThePermissions() {
        const TemporaryFolder folder;
        writeFileAtomically(folder / "file", first, false);
        ::chmod((folder / "file").c_str(), 0640);
        writeFileAtomically(folder / "file", second, true);
        QVERIFY(readFile(folder / "file") == second);
        QCOMPARE(modeOf(folder / "file"), 0640u);
        writeFileAtomically(folder / "fresh", second, true); // nothing to replace
        QVERIFY(readFile(folder / "fresh") == second);
    }

    void newFilesFollowTheUmask() {
        const TemporaryFolder folder;
        const mode_t before = ::umask(0027);
        writeFileAtomically(folder / "file", first, false);
        ::umask(before);
        QCOMPARE(modeOf(folder / "file"), 0640u);
    }

    void ofManyWritersOneWins() {
        const TemporaryFolder folder;
        constexpr int writers = 8;
        std::atomic<int> winners = 0, refused = 0;
        {
            std::vector<std::jthread> threads;
            for (int i = 0; i < writers; ++i)
                threads.emplace_back([&, i] {
                    const ByteVector content(100'000, std::byte(i));
                    const Failure failure = failureOf([&] { writeFileAtomically(folder / "file", content, false); });
                    ++(failure ? refused : winners);
                });
        }
        QCOMPARE(winners.load(), 1);
        QCOMPARE(refused.load(), writers - 1);
        const ByteVector content = readFile(folder / "file");
        QCOMPARE(content.size(), std::size_t(100'000));
        QVERIFY(std::ranges::all_of(content, [&](std::byte b) { return b == content.front(); }));
        QCOMPARE(folder.names(), std::vector<std::string>{"file"});
    }

    // The limit of file sizes stands in for the full disk: write() fails half-way, and SIGXFSZ would kill the program.
    void aFailedWriteLeavesNothing() {
        const TemporaryFolder folder;
        writeFileAtomically(folder / "old", first, false);
        Failure fresh, replaced;
        {
            const FileSizeLimit limit(64 << 10);
            const ByteVector content(1 << 20);
            fresh = failureOf([&] { writeFileAtomically(folder / "new", content, false); });
            replaced = failureOf([&] { writeFileAtomically(folder / "old", content, true); });
        }
        QCOMPARE(fresh.kind, ErrorKind::Output);
        QVERIFY2(fresh.text.find("File too large") != std::string::npos, fresh.text.c_str());
        QCOMPARE(replaced.kind, ErrorKind::Output);
        QCOMPARE(folder.names(), std::vector<std::string>{"old"});
        QVERIFY(readFile(folder / "old") == first);
    }

    void placesThatCannotBeWritten() {
        const TemporaryFolder folder;
        writeFileAtomically(folder / "file", first, false);
        const auto text = [&](const fs::path &path, bool overwrite) {
            return failureOf([&] { writeFileAtomically(path, second, overwrite); }).text;
        };
        QVERIFY(text(folder / "absent" / "file", false).find("create the folder first") != std::string::npos);
        QVERIFY(text(folder / "file" / "inside", false).find("Not a directory") != std::string::npos);
        QVERIFY(text(folder.path(), true).find("is a folder") != std::string::npos);
        QVERIFY(text("/dev/null", true).find("neither a file") != std::string::npos);
        QVERIFY(text(folder / std::string(300, 'x'), false).find("shorter name") != std::string::npos);
        QCOMPARE(folder.names(), std::vector<std::string>{"file"});
    }

    void longAndForeignNames() {
        const TemporaryFolder folder;
        const std::string longest(255, 'n');            // NAME_MAX: the temporary name must not grow with it
        const std::string bytes = "caf\xe9 \n\x01.png"; // Latin-1, a line break, a control code
        writeFileAtomically(folder / longest, first, false);
        writeFileAtomically(folder / bytes, second, false);
        QVERIFY(readFile(folder / longest) == first);
        QVERIFY(readFile(folder / bytes) == second);
        const Failure failure = failureOf([&] { writeFileAtomically(folder / bytes, first, false); });
        QVERIFY2(failure.text.find("caf\\xe9 \\x0a\\x01.png") != std::string::npos, failure.text.c_str());
    }

    void symbolicLinksStayLinks() {
        const TemporaryFolder folder;
        fs::create_directory(folder / "far");
        writeFileAtomically(folder / "far" / "file", first, false);
        fs::create_symlink("far/file", folder / "link");
        fs::create_symlink("far/later", folder / "dangling");
        fs::create_symlink("loop", folder / "loop");
        QVERIFY(failureOf([&] { writeFileAtomically(folder / "link", second, false); }));
        QVERIFY(failureOf([&] { writeFileAtomically(folder / "dangling", second, false); }));
        QVERIFY(failureOf([&] { writeFileAtomically(folder / "loop", second, true); }));
        QVERIFY(readFile(folder / "far" / "file") == first);
        writeFileAtomically(folder / "link", second, true);
        writeFileAtomically(folder / "dangling", second, true);
        QVERIFY(fs::is_symlink(folder / "link"));
        QVERIFY(readFile(folder / "far" / "file") == second);
        QVERIFY(readFile(folder / "far" / "later") == second);
    }

    void relativeNames() {
        const TemporaryFolder folder;
        const fs::path before = fs::current_path();
        fs::current_path(folder.path());
        writeFileAtomically("here", first, false);
        fs::current_path(before);
        QVERIFY(readFile(folder / "here") == first);
    }

    void savingAPictureIsAtomicToo() {
        const TemporaryFolder folder;
        const Image picture = randomImage(20, 10, {Depth::U8, 3}, 1);
        saveImage(picture, folder / "a.png");
        const ByteVector content = readFile(folder / "a.png");
        QVERIFY(failureOf([&] { saveImage(randomImage(5, 5, {Depth::U8, 3}, 2), folder / "a.png"); }));
        QVERIFY(readFile(folder / "a.png") == content);
        SaveOptions options;
        options.overwrite = true;
        options.format = "bmp";
        saveImage(picture, folder / "a.png", options);
        QCOMPARE(loadImage(folder / "a.png").metadata.sourceFormat, std::string("bmp"));
    }
};

QTEST_APPLESS_MAIN(ImageAtomicTest)
#include "image_atomic_test.moc"
