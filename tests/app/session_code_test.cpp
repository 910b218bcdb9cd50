// What the kernel editor copies for OpenCV, SciPy and ImageMagick: its text, and that it gives Tessera's own results.
#include "app/image/image_io.h"
#include "app/session/kernel_code.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <nlohmann/json.hpp>

using namespace tessera;

namespace {

struct Case {
    std::string name;
    FilterStep step;
    PixelFormat format;
};

FilterStep stepOf(const char *filter) {
    FilterStep step;
    step.filter = parseFilter(filter);
    return step;
}

FilterStep lopsided() {
    FilterStep step;
    step.filter = {"custom", {}, ConvolutionKernel::centred(4, 3, {1, -2, 3, 0.5, 0, 4, -1, 2, 0.25, 1, 1, -3})};
    step.filter.kernel.anchorX = 3;
    step.filter.kernel.anchorY = 0;
    step.filter.kernel.divisor = 7;
    step.filter.kernel.offset = 12.5;
    return step;
}

// Every border, response, combination and treatment of channels at least once.
std::vector<Case> cases() {
    std::vector<Case> list;
    const PixelFormat rgb{Depth::U8, 3}, rgba{Depth::U8, 4}, grey{Depth::U8, 1}, deep{Depth::U16, 3},
        floats{Depth::F32, 3};
    const auto add = [&](const std::string &name, const FilterStep &step, PixelFormat format) {
        list.push_back({name, step, format});
    };
    for (const BorderName &border : borderNames)
        for (const bool flip : {false, true}) {
            FilterStep step = lopsided();
            step.border = {border.mode, 40};
            step.flip = flip;
            add("border-" + std::string(border.name) + (flip ? "-flip" : ""), step, rgb);
        }
    const std::pair<const char *, ResponseMode> responses[] = {
        {"absolute", ResponseMode::Absolute}, {"signed", ResponseMode::Signed}, {"range", ResponseMode::Range}};
    for (const auto &[name, response] : responses) {
        FilterStep step = stepOf("sobel-x");
        step.response = response;
        add(std::string("response-") + name, step, rgb);
        add(std::string("response-deep-") + name, step, deep);
    }
    for (const char *filter : {"sobel", "kirsch", "gaussian:sigma=1.5", "emboss", "unsharp:sigma=1"})
        for (const auto &[name, format] : {std::pair{"grey", grey}, {"deep", deep}, {"float", floats}})
            add(std::string("filter-") + std::string(filter).substr(0, 4) + "-" + name, stepOf(filter), format);
    FilterStep step = stepOf("sharpen");
    step.channels = {ChannelSelection::Kind::Mask, 1}; // red alone
    add("channel-red", step, rgb);
    step.channels = {ChannelSelection::Kind::Mask, 4 | 8};
    add("channel-blue-alpha", step, rgba);
    step.channels = {ChannelSelection::Kind::Luma, 0};
    add("channel-luma", step, rgb);
    step.linear = true;
    add("channel-luma-linear", step, rgb);
    step.channels = {};
    add("linear", step, rgb);
    for (const AlphaMode alpha :
         {AlphaMode::Automatic, AlphaMode::Premultiplied, AlphaMode::Preserve, AlphaMode::Independent})
        for (const char *filter : {"gaussian:sigma=1", "sharpen", "sobel-x"})
            for (const BorderMode border : {BorderMode::Replicate, BorderMode::Zero, BorderMode::Constant}) {
                FilterStep weighed = stepOf(filter);
                weighed.alpha = alpha;
                weighed.border = {border, 90};
                add("alpha-" + std::to_string(int(alpha)) + "-" + std::string(filter).substr(0, 6) + "-" +
                        std::to_string(int(border)),
                    weighed, rgba);
            }
    // Alpha that moves, is measured by or answers to nothing.
    for (const auto &[name, response] : responses)
        for (const char *filter : {"identity", "shift:dx=3,dy=-2", "box", "sobel-x"})
            for (const AlphaMode alpha : {AlphaMode::Automatic, AlphaMode::Premultiplied, AlphaMode::Independent}) {
                FilterStep answered = stepOf(filter);
                answered.alpha = alpha;
                answered.response = response;
                answered.border = {BorderMode::Constant, 90};
                add("answer-" + std::to_string(int(alpha)) + "-" + std::string(filter).substr(0, 5) + "-" + name,
                    answered, rgba);
                answered.channels = {ChannelSelection::Kind::Luma, 0};
                add("answer-luma-" + std::to_string(int(alpha)) + "-" + std::string(filter).substr(0, 5) + "-" + name,
                    answered, rgba);
            }
    return list;
}

Image scene(PixelFormat format) {
    Image image(23, 17, format);
    unsigned state = 7;
    for (int y = 0; y < 17; ++y)
        for (int i = 0; i < 23 * format.channels; ++i) {
            state = state * 1664525u + 1013904223u;
            const unsigned value = state >> 16;
            if (format.depth == Depth::U8)
                image.view().row<std::uint8_t>(y)[i] = std::uint8_t(value % 7 == 0 ? 0 : value);
            else if (format.depth == Depth::U16)
                image.view().row<std::uint16_t>(y)[i] = std::uint16_t(value);
            else
                image.view().row<float>(y)[i] = float(value % 1000) / 900;
        }
    return image;
}

void write(const QString &path, const QByteArray &content) {
    QFile file(path);
    QVERIFY(file.open(QFile::WriteOnly));
    QCOMPARE(file.write(content), content.size());
}

QByteArray bytesOf(const Image &image) {
    QByteArray bytes;
    for (int y = 0; y < image.height(); ++y)
        bytes.append(reinterpret_cast<const char *>(image.view().row<std::byte>(y)),
                     qsizetype(image.width()) * image.format().bytesPerPixel());
    return bytes;
}

void writeCase(const QString &folder, const Case &one) {
    const Image image = scene(one.format);
    const Image result = runPipeline(image, std::span(&one.step, 1), chooseEngine("auto", "auto"), OutputDepth::Keep);
    const QString path = folder + QLatin1Char('/') + QString::fromStdString(one.name);
    nlohmann::json shape = nlohmann::json::array({image.height(), image.width()});
    if (one.format.channels > 1)
        shape.push_back(one.format.channels);
    const char *type = one.format.depth == Depth::U8 ? "uint8" : one.format.depth == Depth::U16 ? "uint16" : "float32";
    write(path + QStringLiteral(".json"),
          QByteArray::fromStdString(nlohmann::json{{"shape", shape}, {"dtype", type}}.dump()));
    write(path + QStringLiteral(".in"), bytesOf(image));
    // A name that needs care in Python.
    const QString file =
        path + (one.format.depth == Depth::U8 ? QStringLiteral(" it's.png") : QStringLiteral(" it's.tif"));
    saveImage(image, file.toStdString());
    write(path + QStringLiteral(".out"), bytesOf(result));
    write(path + QStringLiteral(".scipy.py"),
          QByteArray::fromStdString(kernelCode(one.step, CodeTarget::SciPy, one.format, file.toStdString())));
    write(path + QStringLiteral(".cv2.py"),
          QByteArray::fromStdString(kernelCode(one.step, CodeTarget::OpenCv, one.format, file.toStdString())));
}

class SessionCodeTest : public QObject {
    Q_OBJECT

private slots:
    void pythonGivesTheSame_data();
    void pythonGivesTheSame();
    void imageMagickText();
    void imageMagickSaysWhatItCannot();
    void pythonText();
};

void SessionCodeTest::pythonGivesTheSame_data() {
    QTest::addColumn<QString>("library");
    QTest::newRow("SciPy") << QStringLiteral("scipy");
    QTest::newRow("OpenCV") << QStringLiteral("cv2");
}

void SessionCodeTest::pythonGivesTheSame() {
    QFETCH(QString, library);
    QTemporaryDir folder;
    for (const Case &one : cases())
        writeCase(folder.path(), one);
    QProcess python;
    python.setProcessChannelMode(QProcess::MergedChannels);
    python.start(QStringLiteral(TESSERA_TEST_PYTHON), {QStringLiteral(TESSERA_CODE_CHECK), folder.path(), library});
    if (!python.waitForStarted())
        QSKIP("there is no Python here");
    QVERIFY(python.waitForFinished(240000));
    const QByteArray said = python.readAll();
    if (python.exitCode() == 77)
        QSKIP(said.trimmed().constData());
    QVERIFY2(python.exitCode() == 0, said.constData());
}

void SessionCodeTest::imageMagickText() {
    FilterStep step = lopsided();
    step.border = {BorderMode::Constant, 51};
    const QString text = QString::fromStdString(kernelCode(step, CodeTarget::ImageMagick, {Depth::U8, 3}));
    QCOMPARE(text, QStringLiteral("magick in.png -background 'gray(20%)' -virtual-pixel background -channel RGB "
                                  "-define convolve:scale=0.14285714285714285 -define convolve:bias=4.901960784313726% "
                                  "-morphology Correlate '4x3+3+0: 1, -2, 3, 0.5  0, 4, -1, 2  0.25, 1, 1, -3' "
                                  "+channel +dither -posterize 256 -depth 8 out.png\n"));
    step.flip = true; // the kernel is turned, and its anchor with it
    QVERIFY(QString::fromStdString(kernelCode(step, CodeTarget::ImageMagick, {Depth::U8, 3}))
                .contains(QStringLiteral("'4x3+0+2: -3, 1, 1, 0.25  2, -1, 4, 0  0.5, 3, -2, 1'")));
}

void SessionCodeTest::imageMagickSaysWhatItCannot() {
    const PixelFormat rgb{Depth::U8, 3};
    FilterStep reflect = lopsided();
    reflect.border.mode = BorderMode::Reflect101;
    FilterStep linear = lopsided();
    linear.linear = true;
    FilterStep absolute = lopsided();
    absolute.response = ResponseMode::Absolute;
    for (const FilterStep &step : {reflect, linear, absolute, stepOf("sobel")})
        QVERIFY_EXCEPTION_THROWN(kernelCode(step, CodeTarget::ImageMagick, rgb), Error);
    QVERIFY_EXCEPTION_THROWN(kernelCode(stepOf("gaussian:sigma=1"), CodeTarget::ImageMagick, {Depth::U8, 4}), Error);
}

void SessionCodeTest::pythonText() {
    const QString text = QString::fromStdString(kernelCode(stepOf("sharpen"), CodeTarget::OpenCv, {Depth::U8, 3}));
    QVERIFY(text.startsWith(
        QStringLiteral("# Expects in `picture` an array of rows and columns of blue, green, red, uint8")));
    QVERIFY(text.contains(QStringLiteral("\nimport cv2\nimport numpy as np\n\npicture = cv2.imread('picture.png', ")));
    QVERIFY(text.contains(QStringLiteral("cv2.BORDER_REPLICATE")));
    QVERIFY(text.contains(QStringLiteral("kernels = [np.array([[")));
    QVERIFY(text.trimmed().endsWith(QStringLiteral("result = changed.astype(picture.dtype).reshape(picture.shape)")));
}

} // namespace

QTEST_GUILESS_MAIN(SessionCodeTest)
#include "session_code_test.moc"
