#include "tests/ui/window_test_support.h"

#include "app/image/image_io.h"
#include "ui/panels/filter_list.h"

#include <QAbstractButton>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QDataStream>
#include <QFile>
#include <QLineEdit>
#include <QMessageBox>
#include <QSettings>
#include <QTest>
#include <QTreeWidget>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <utility>

namespace tessera {

WindowTestFolder::WindowTestFolder() {
    QSettings::setDefaultFormat(QSettings::IniFormat);
    QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, folder_.path());
    qputenv("XDG_DATA_HOME", folder_.filePath(QStringLiteral("data-home")).toLocal8Bit());
    QCoreApplication::setOrganizationName(QStringLiteral("TesseraTest"));
    QCoreApplication::setApplicationName(QStringLiteral("TesseraTest"));
}

WindowTestFolder::~WindowTestFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_.path().toStdString(), ignored);
}

namespace {

double sceneValue(double x, double y, int channel) {
    double value = 0.2 + 0.5 * x * (channel == 0) + 0.4 * y * (channel == 1) + 0.3 * (1 - x) * (channel == 2);
    const double radius = std::hypot(x - 0.65, y - 0.35);
    if (radius < 0.2)
        value = 0.95 - 0.1 * channel;
    if (y > 0.7)
        value = 0.3 + 0.25 * std::sin(x * x * 240) + 0.05 * channel;
    if (channel == 3)
        value = std::clamp(1.4 - 1.2 * std::hypot(x - 0.5, y - 0.5), 0.0, 1.0);
    return std::clamp(value, 0.0, 1.0);
}

} // namespace

Image testScene(int width, int height, PixelFormat format) {
    Image image(width, height, format);
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
            for (int c = 0; c < format.channels; ++c) {
                const int meaning = format.hasAlpha() && c == format.channels - 1 ? 3 : c;
                const double value = sceneValue(double(x) / width, double(y) / height, meaning);
                const int index = x * format.channels + c;
                if (format.depth == Depth::U8)
                    image.view().row<std::uint8_t>(y)[index] = std::uint8_t(std::lround(value * 255));
                else if (format.depth == Depth::U16)
                    image.view().row<std::uint16_t>(y)[index] = std::uint16_t(std::lround(value * 65535));
                else
                    image.view().row<float>(y)[index] = float(value);
            }
    return image;
}

QString writeImage(const WindowTestFolder &folder, const QString &name, const Image &image) {
    const QString path = folder.path(name);
    saveImage(image, path.toStdString(), {.format = {}, .overwrite = true});
    return path;
}

QString writeScene(const WindowTestFolder &folder, const QString &name, int width, int height, PixelFormat format) {
    return writeImage(folder, name, testScene(width, height, format));
}

QString writeWideFloats(const WindowTestFolder &folder, const QString &name) {
    QFile file(folder.path(name));
    if (!file.open(QFile::WriteOnly))
        return {};
    QDataStream out(&file);
    out.setByteOrder(QDataStream::LittleEndian);
    const std::pair<quint16, quint32> entries[] = {{256, 3},   {257, 2}, {258, 64}, {259, 1},  {262, 1},
                                                   {273, 200}, {277, 1}, {278, 2},  {279, 48}, {339, 3}};
    out << quint16(0x4949) << quint16(42) << quint32(8) << quint16(std::size(entries));
    for (const auto &[tag, value] : entries)
        out << tag << quint16(4) << quint32(1) << value; // a long each; all values fit into their entries
    out << quint32(0);
    while (file.pos() < 200)
        out << quint8(0);
    out.setFloatingPointPrecision(QDataStream::DoublePrecision);
    for (int i = 0; i < 6; ++i)
        out << 0.5;
    return file.fileName();
}

bool waitUntilIdle(MainWindow &window, int timeoutMs) {
    return QTest::qWaitFor(
        [&] {
            Session &session = window.session();
            if (session.busyWithFiles() || session.filtering())
                return false;
            const Document *document = session.document();
            if (!document || !document->result() || document->result()->picture.stack.empty())
                return true;
            return document->result()->picture.statistics.has_value();
        },
        timeoutMs);
}

bool openAndWait(MainWindow &window, const QString &path) {
    const int before = window.session().count();
    window.open({path});
    return QTest::qWaitFor([&] { return window.session().count() > before; }, 60000) && waitUntilIdle(window);
}

bool samePixels(const Image &a, const Image &b) {
    if (a.width() != b.width() || a.height() != b.height() || !(a.format() == b.format()))
        return false;
    const std::size_t bytes = std::size_t(a.width()) * std::size_t(a.format().bytesPerPixel());
    for (int y = 0; y < a.height(); ++y)
        if (std::memcmp(a.view().row<char>(y), b.view().row<char>(y), bytes) != 0)
            return false;
    return true;
}

WindowFixture::WindowFixture() { connect(&answering_, &QTimer::timeout, this, &WindowFixture::answer); }

void WindowFixture::makeWindow() {
    answering_.stop(); // a question that did not come is none of this test's
    applyTheme(ThemeChoice::Dark);
    window_ = std::make_unique<MainWindow>();
    window_->setAsksBeforeClosing(false);
    window_->resize(1200, 800);
    window_->show();
    QVERIFY(QTest::qWaitForWindowExposed(window_.get()));
}

void WindowFixture::openFile(const QString &name, const Image &image) {
    QVERIFY(openAndWait(*window_, writeImage(folder_, name, image)));
}

void WindowFixture::open(const QString &name, int width, int height, PixelFormat format) {
    openFile(name, testScene(width, height, format));
}

QString WindowFixture::put(const QString &path, const QByteArray &bytes) {
    QFile file(path);
    const bool written = file.open(QFile::WriteOnly) && file.write(bytes) == bytes.size();
    [&] { QVERIFY2(written, qPrintable(path)); }(); // QVERIFY returns nothing
    return written ? path : QString();
}

QByteArray WindowFixture::content(const QString &path) {
    QFile file(path);
    return file.open(QFile::ReadOnly) ? file.readAll() : QByteArray();
}

void WindowFixture::clickFilter(const QString &title) {
    QTreeWidget *tree = find<FilterList>()->tree();
    const QList<QTreeWidgetItem *> items = tree->findItems(title, Qt::MatchExactly | Qt::MatchRecursive);
    QCOMPARE(items.size(), 1);
    tree->scrollToItem(items.first());
    QTest::mouseClick(tree->viewport(), Qt::LeftButton, {}, tree->visualItemRect(items.first()).center());
    QVERIFY(waitUntilIdle(*window_));
}

void WindowFixture::filter(const std::string &text) {
    window_->session().edit([&](Document &document) { document.setFilter(parseFilter(text)); });
    QVERIFY(waitUntilIdle(*window_));
}

void WindowFixture::type(QWidget *box, const QString &text, bool enter) {
    box->setFocus();
    QTest::keyClick(box, Qt::Key_A, Qt::ControlModifier);
    QTest::keyClicks(box, text);
    if (enter)
        QTest::keyClick(box, Qt::Key_Return);
}

void WindowFixture::answerNext(const QString &button) {
    asked_.clear();
    answer_ = button;
    answering_.start(10);
}

void WindowFixture::answer() {
    QMessageBox *another = nullptr;
    for (QWidget *top : QApplication::topLevelWidgets()) {
        auto *question = qobject_cast<QMessageBox *>(top);
        if (!question || !question->isVisible())
            continue;
        for (QAbstractButton *choice : question->buttons())
            if (QString(choice->text()).remove(QLatin1Char('&')).startsWith(answer_)) {
                answering_.stop();
                asked_ = question->text() + QLatin1Char('\n') + question->informativeText();
                return choice->click();
            }
        another = question;
    }
    if (!another) // none yet
        return;
    answering_.stop();
    another->reject(); // which would wait for ever
    QFAIL("the question has no such answer");
}

QAbstractSpinBox *WindowFixture::sigma() { return find<QAbstractSpinBox>("parameter.sigma"); }

QLineEdit *WindowFixture::line(QWidget *box) { return box->findChild<QLineEdit *>(); }

Image WindowFixture::expected() {
    return runPipeline(document().picture(), document().chain().steps, chooseEngine("auto", "auto"),
                       document().chain().depth);
}

SharedImage WindowFixture::shown() const {
    const PictureStack &after = window_->canvas().content().after;
    return after.empty() ? nullptr : after.picture();
}

} // namespace tessera
