// The folder of compiled kernels: what is sound comes back, anything else is as good as missing, nothing is an error.
#include "gpu/jit/cubin_store.h"

#include <QtTest>

#include <fstream>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace tessera::jit;

namespace fs = std::filesystem;

namespace {

Cubin content(std::size_t bytes, unsigned seed) {
    Cubin cubin(bytes);
    for (std::size_t i = 0; i < bytes; ++i)
        cubin[i] = std::byte((i * 131 + seed * 7919) >> 3);
    return cubin;
}

std::size_t filesIn(const fs::path &folder) {
    return std::size_t(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

void age(const fs::path &file, int seconds) {
    fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::seconds(seconds));
}

const Digest name{0x0123456789abcdef, 42}, other{7, 8};

} // namespace

class JitStoreTest : public QObject {
    Q_OBJECT

private slots:
    void init() { QVERIFY(folder_.isValid()); }

    void digestsTellFieldsApart() {
        QCOMPARE(name.text(), std::string("0123456789abcdef000000000000002a"));
        const std::string_view ab[] = {"ab", "c"}, a[] = {"a", "bc"}, one[] = {"abc"};
        QVERIFY(digestOf(ab) != digestOf(a) && digestOf(a) != digestOf(one));
        const KernelSource source{"text", "entry", {"-a"}, false};
        for (const KernelSource &changed :
             {KernelSource{"texts", "entry", {"-a"}, false}, KernelSource{"text", "entr", {"-a"}, false},
              KernelSource{"text", "entry", {"-b"}, false}, KernelSource{"text", "entry", {"-a"}, true},
              KernelSource{"text", "entry", {}, false}})
            QVERIFY(digestOf(source) != digestOf(changed));
    }

    void keepsAndGives() {
        const CubinStore store(fresh());
        QVERIFY(!store.load(name));
        for (const std::size_t bytes : {0, 1, 1000, 300000}) {
            QVERIFY(store.save(name, content(bytes, 1)));
            QVERIFY(store.load(name) == content(bytes, 1)); // replaced each time
        }
        QVERIFY(!store.load(other));
        QCOMPARE(filesIn(store.folder()), std::size_t(1)); // and nothing beside it
        struct stat status {};
        QVERIFY(stat(store.folder().c_str(), &status) == 0 && (status.st_mode & 0777) == 0700);
        QVERIFY(CubinStore(store.folder()).load(name) == content(300000, 1)); // another process later
    }

    void damagedFilesAreAsMissing_data() {
        QTest::addColumn<int>("offset");
        for (const int offset : {0, 7, 8, 16, 31, 32, 47, 48, 500, 1047})
            QTest::addRow("byte %d", offset) << offset;
    }
    void damagedFilesAreAsMissing() { // every field of the header, and the content
        QFETCH(int, offset);
        const CubinStore store(fresh());
        QVERIFY(store.save(name, content(1000, 2)));
        {
            std::fstream file(store.fileOf(name), std::ios::in | std::ios::out | std::ios::binary);
            file.seekg(offset);
            const int before = file.get();
            file.seekp(offset);
            file.put(char(before ^ 0x10));
        }
        QVERIFY(!store.load(name));
        QVERIFY(store.save(name, content(1000, 2)));
        QVERIFY(store.load(name) == content(1000, 2));
    }

    void otherLengthsAreAsMissing() {
        const CubinStore store(fresh());
        for (const std::uintmax_t bytes : {0, 20, 48, 1047, 1049}) {
            QVERIFY(store.save(name, content(1000, 3)));
            fs::resize_file(store.fileOf(name), bytes);
            QVERIFY(!store.load(name));
        }
    }

    void foreignThingsAreAsMissing() {
        const CubinStore store(fresh());
        QVERIFY(store.save(other, content(1000, 4)));
        fs::copy_file(store.fileOf(other), store.fileOf(name)); // sound, but another kernel
        QVERIFY(!store.load(name));
        fs::remove(store.fileOf(name));
        std::ofstream(store.fileOf(name)) << "not one of ours, and longer than any header is";
        QVERIFY(!store.load(name));
        fs::remove(store.fileOf(name));
        fs::create_symlink(store.fileOf(other), store.fileOf(name));
        QVERIFY(!store.load(name));
        QVERIFY(store.save(name, content(10, 4))); // replaces the link, not what it points to
        QVERIFY(store.load(other) == content(1000, 4));
        fs::remove(store.fileOf(name));
        QCOMPARE(mkfifo(store.fileOf(name).c_str(), 0600), 0);
        QVERIFY(!store.load(name)); // and does not wait for a writer
        fs::remove(store.fileOf(name));
        fs::create_directory(store.fileOf(name));
        QVERIFY(!store.load(name));
        QVERIFY(!store.save(name, content(10, 4))); // a folder of that name stays
        QCOMPARE(filesIn(store.folder()), std::size_t(2));
    }

    void placesThatCannotBeWrittenAreNoError() {
        QVERIFY(!CubinStore({}).save(name, content(10, 5)) && !CubinStore({}).load(name));
        const fs::path file = fs::path(folder_.path().toStdString()) / "in-the-way";
        std::ofstream(file) << "in the way";
        const CubinStore store(file / "kernels");
        QVERIFY(!store.save(name, content(10, 5)) && !store.load(name));
        QVERIFY(!CubinStore("/proc/tessera/kernels").save(name, content(10, 5)));
    }

    void deletedAtAnyTime() {
        const CubinStore store(fresh());
        QVERIFY(store.save(name, content(10, 6)));
        fs::remove_all(store.folder());
        QVERIFY(!store.load(name));
        QVERIFY(store.save(name, content(10, 6)) && store.load(name));
    }

    void leastRecentlyUsedGoFirst() {
        const CubinStore store(fresh(), 3500); // three of 1048 bytes
        for (unsigned i = 0; i < 3; ++i) {
            QVERIFY(store.save({0, i}, content(1000, i)));
            age(store.fileOf({0, i}), 100 - int(i));
        }
        QVERIFY(store.load({0, 0})); // used: now the youngest
        QVERIFY(store.save({0, 3}, content(1000, 3)));
        QVERIFY(store.load({0, 0}) && !store.load({0, 1}) && store.load({0, 2}) && store.load({0, 3}));
        QVERIFY(!store.save({0, 4}, content(3500, 4))); // larger than all the room
        QVERIFY(store.load({0, 0}) && store.load({0, 2}) && store.load({0, 3}));
    }

    void leftoversGoAndForeignFilesStay() {
        const CubinStore store(fresh(), 2000);
        fs::create_directories(store.folder());
        const fs::path old = store.folder() / "x-1-1.unfinished", young = store.folder() / "y-2-2.unfinished",
                       foreign = store.folder() / "notes.txt";
        for (const fs::path &path : {old, young, foreign})
            std::ofstream(path) << std::string(5000, 'x');
        age(old, 7200);
        age(foreign, 720000);
        QVERIFY(store.save(name, content(1000, 8)));
        QVERIFY(!fs::exists(old) && fs::exists(young) && fs::exists(foreign) && store.load(name));
    }

    // Processes and threads that write, read and delete at once: a reader gets the whole content or nothing.
    void manyAtOnce() {
        const CubinStore store(fresh(), 100000);
        std::vector<pid_t> children;
        for (int child = 0; child < 3; ++child) {
            const pid_t pid = fork();
            QVERIFY(pid >= 0);
            if (pid == 0)
                _exit(hammer(store, child) ? 0 : 1);
            children.push_back(pid);
        }
        bool sound[2] = {};
        {
            const std::jthread a([&] { sound[0] = hammer(store, 10); }), b([&] { sound[1] = hammer(store, 11); });
        }
        QVERIFY(sound[0] && sound[1]);
        for (const pid_t pid : children) {
            int status = 0;
            QCOMPARE(waitpid(pid, &status, 0), pid);
            QVERIFY(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        }
        for (const auto &entry : fs::directory_iterator(store.folder()))
            QVERIFY2(entry.path().extension() == ".cubin", entry.path().c_str());
    }

    void folderByEnvironment() {
        const QByteArray cache = qgetenv("XDG_CACHE_HOME"), home = qgetenv("HOME");
        qputenv("XDG_CACHE_HOME", "/some/cache");
        qputenv("HOME", "/some/home");
        QCOMPARE(CubinStore::defaultFolder(), fs::path("/some/cache/tessera/kernels"));
        qputenv("XDG_CACHE_HOME", "relative");
        QCOMPARE(CubinStore::defaultFolder(), fs::path("/some/home/.cache/tessera/kernels"));
        qunsetenv("XDG_CACHE_HOME");
        qunsetenv("HOME");
        QVERIFY(CubinStore::defaultFolder().empty());
        cache.isNull() || qputenv("XDG_CACHE_HOME", cache);
        home.isNull() || qputenv("HOME", home);
    }

private:
    fs::path fresh() { return fs::path(folder_.path().toStdString()) / std::to_string(++number_) / "kernels"; }

    static bool hammer(const CubinStore &store, int seed) {
        for (unsigned i = 0; i < 200; ++i) {
            const unsigned which = (i * 7 + unsigned(seed)) % 5;
            const Digest digest{1, which};
            if (i % 3 == 0)
                store.save(digest, content(20000 + which, which));
            else if (i % 50 == 49)
                std::filesystem::remove(store.fileOf(digest));
            if (const auto cubin = store.load(digest); cubin && *cubin != content(20000 + which, which))
                return false;
        }
        return true;
    }

    QTemporaryDir folder_;
    int number_ = 0;
};

QTEST_APPLESS_MAIN(JitStoreTest)
#include "jit_store_test.moc"
