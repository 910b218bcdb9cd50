// Every lesson on a real GPU against a plain reference: awkward lengths, unaligned starts, poisoned outputs with guards
// around them. Also made for compute-sanitizer's memcheck and racecheck.
#include "gpu/device/properties.h"
#include "gpu/launch/cuda_launcher.h"
#include "gpu/launch/lesson_reference.h"
#include "gpu/launch/lessons.h"
#include "tests/gpu/device_requirement.h"

#include <QtTest>

#include <cstring>
#include <random>
#include <vector>

using namespace tessera;

namespace {

// `count` values on the host and, `offset` values behind a 256-byte boundary, on the device; all bits of the device's
// copy and of the guards around it are set until something is written.
template <class T> class Mirror {
public:
    Mirror(std::int64_t count, int offset)
        : host(std::size_t(count)), begin_((guard + std::size_t(offset))),
          bytes_((begin_ + host.size() + guard) * sizeof(T)) {
        TESSERA_CUDA_CHECK(cudaMemset(device_.reserve(bytes_), 0xff, bytes_));
    }

    std::vector<T> host;

    T *device() { return static_cast<T *>(device_.data()) + begin_; }
    void upload() {
        if (!host.empty())
            TESSERA_CUDA_CHECK(cudaMemcpy(device(), host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
    }
    // Fetches the values; false where a guard was overwritten.
    bool download() {
        std::vector<T> all(begin_ + host.size() + guard);
        TESSERA_CUDA_CHECK(cudaMemcpy(all.data(), device_.data(), bytes_, cudaMemcpyDeviceToHost));
        std::copy_n(all.begin() + std::ptrdiff_t(begin_), host.size(), host.begin());
        for (std::size_t i = 0; i < all.size(); ++i)
            if ((i < begin_ || i >= begin_ + host.size()) && !untouched(all[i]))
                return false;
        return true;
    }
    static bool untouched(const T &value) {
        unsigned char bytes[sizeof(T)];
        std::memcpy(bytes, &value, sizeof(T));
        return std::all_of(std::begin(bytes), std::end(bytes), [](unsigned char byte) { return byte == 0xff; });
    }

private:
    static constexpr std::size_t guard = 256 / sizeof(T);
    std::size_t begin_, bytes_;
    cuda::DeviceBuffer device_;
};

void fill(std::vector<float> &values, bool integers, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> uniform(-2.0f, 1.0f);
    for (float &value : values)
        value = integers ? float(int(random() % 17) - 8) : uniform(random);
}

constexpr std::int64_t counts[] = {0, 1, 31, 32, 33, 255, 256, 257, 1000, 1'000'003};

class Case {
public:
    Case(const cuda::CudaLesson &lesson, std::int64_t count, int firstOffset, int targetOffset, bool integers,
         const DeviceLimits &limits)
        : lesson_(lesson), info_(*lesson.info), integers_(integers),
          first_(lessonFirstFloats(info_.group, count), firstOffset),
          second_(lessonSecondFloats(info_.group, count), firstOffset), target_(targetFloats(count), targetOffset),
          counter_(1, 0), workspace_(std::int64_t(lessonWorkspaceBytes(info_, count, limits) / sizeof(float)), 1) {
        fill(first_.host, integers, 61);
        fill(second_.host, integers, 62);
        first_.upload();
        second_.upload();
        operands_.count = count;
        operands_.parameter = info_.group == LessonGroup::CountAbove ? -0.25f : 1.5f;
        operands_.field = info_.group == LessonGroup::RecordField ? 6 : info_.group == LessonGroup::ChannelGain ? 2 : 0;
        operands_.limits = limits;
    }

    // What is wrong, or nothing.
    QString run() {
        LessonOperands onDevice = operands_;
        onDevice.first = first_.device();
        onDevice.second = second_.device();
        onDevice.target = counts() ? static_cast<void *>(counter_.device()) : target_.device();
        onDevice.workspace = workspace_.device();
        lesson_.launch(onDevice, nullptr);
        TESSERA_CUDA_CHECK(cudaDeviceSynchronize());
        if (!first_.download() || !second_.download() || !target_.download() || !counter_.download() ||
            !workspace_.download())
            return "wrote outside an array";
        return compare();
    }

private:
    bool counts() const { return info_.group == LessonGroup::CountAbove; }
    std::int64_t targetFloats(std::int64_t count) const {
        return counts() ? 0 : std::int64_t(lessonTargetBytes(info_.group, count) / sizeof(float));
    }

    QString compare() {
        LessonOperands onHost = operands_;
        onHost.first = first_.host.data();
        onHost.second = second_.host.data();
        onHost.target = counts() ? static_cast<void *>(counter_.host.data()) : target_.host.data();
        LessonExpectation expected = lessonExpectation(info_, onHost);
        if (integers_ && info_.group == LessonGroup::ArraySum)
            expected.tolerance = 0;
        const double error = lessonError(info_, onHost, expected);
        if (error > expected.tolerance)
            return QStringLiteral("error %1, allowed %2").arg(error).arg(expected.tolerance);
        std::size_t written = 0;
        for (const float value : target_.host)
            written += !Mirror<float>::untouched(value);
        if (!counts() && written != expected.values.size())
            return QStringLiteral("%1 values written instead of %2").arg(written).arg(expected.values.size());
        return {};
    }

    const cuda::CudaLesson &lesson_;
    const LessonInfo &info_;
    bool integers_;
    Mirror<float> first_, second_, target_;
    Mirror<unsigned long long> counter_;
    Mirror<float> workspace_;
    LessonOperands operands_;
};

} // namespace

class LessonsDeviceTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        if (const std::string why = test::whyNoDevice(); !why.empty())
            QSKIP(why.c_str());
        limits_ = cuda::findDevices().devices.front().limits;
    }

    void rightForAnyLengthAndStart_data() {
        QTest::addColumn<int>("lesson");
        for (std::size_t i = 0; i < lessonList().size(); ++i)
            QTest::newRow(lessonList()[i].name.data()) << int(i);
    }
    void rightForAnyLengthAndStart() {
        QFETCH(int, lesson);
        for (const std::int64_t count : counts)
            for (const auto &[firstOffset, targetOffset] : {std::pair{0, 0}, {1, 1}, {2, 3}, {3, 0}})
                for (const bool integers : {true, false}) {
                    Case test(cuda::lessons()[std::size_t(lesson)], count, firstOffset, targetOffset, integers,
                              limits_);
                    const QString wrong = test.run();
                    if (!wrong.isEmpty())
                        QFAIL(qPrintable(QStringLiteral("%1 elements, starts %2 and %3: %4")
                                             .arg(count)
                                             .arg(firstOffset)
                                             .arg(targetOffset)
                                             .arg(wrong)));
                }
    }

    void masks() { // B-5.4.1
        Mirror<float> lanes(32, 0);
        for (std::size_t i = 0; i < 32; ++i)
            lanes.host[i] = float(i);
        QCOMPARE(maskOf(lanes, 10.0f), std::vector<unsigned>{0xFFFFF800u});
        for (const std::int64_t count : counts) {
            Mirror<float> source(count, 1);
            fill(source.host, false, 63);
            const std::vector<unsigned> mask = maskOf(source, -0.3f);
            std::vector<unsigned> expected(mask.size(), 0u);
            for (std::size_t i = 0; i < source.host.size(); ++i)
                expected[i / 32] |= unsigned(source.host[i] > -0.3f) << (i % 32);
            QVERIFY(mask == expected);
        }
    }

    void pairsOfHalves() { // B-5.5.1
        for (const std::int64_t count : {std::int64_t(1), std::int64_t(33), std::int64_t(1000)}) {
            Mirror<Half2> first(count, 0), second(count, 1), target(count, 2);
            for (std::size_t i = 0; i < first.host.size(); ++i) {
                first.host[i] = i == 0 ? Half2(Half(1.5f), Half(2.5f)) : Half2(Half(float(i) / 7), Half(-float(i)));
                second.host[i] = i == 0 ? Half2(Half(10.0f), Half(20.0f)) : Half2(Half(0.125f), Half(float(i) / 3));
            }
            first.upload();
            second.upload();
            cuda::launchAddHalfPairs(first.device(), second.device(), target.device(), count, nullptr);
            QVERIFY(target.download());
            QCOMPARE(float(target.host[0].low), 11.5f);
            QCOMPARE(float(target.host[0].high), 22.5f);
            for (std::size_t i = 0; i < target.host.size(); ++i)
                QVERIFY(target.host[i] == add(first.host[i], second.host[i]));
        }
    }

    // The statistics' fused count, beside those that device_test checks.
    void aboveThreshold() {
        for (const auto &[width, height] : {std::pair{1, 1}, {33, 17}, {1000, 701}}) {
            Mirror<float> picture(std::int64_t(width) * height * 4, 0);
            fill(picture.host, false, 64);
            picture.upload();
            constexpr int blocks = 64;
            const RawView view{picture.device(), width, height, std::ptrdiff_t(16) * width, ScalarType::F32, 4};
            cuda::DeviceBuffer partial;
            partial.reserve(cuda::statisticsBytes(ScalarType::F32, 4, blocks));
            cuda::launchStatistics(view, partial.data(), blocks, nullptr, 0.25f);
            std::vector<ChannelTotals<float>> totals(std::size_t(blocks) * 4);
            TESSERA_CUDA_CHECK(
                cudaMemcpy(totals.data(), partial.data(), totals.size() * sizeof(totals[0]), cudaMemcpyDeviceToHost));
            for (std::size_t c = 0; c < 4; ++c) {
                auto total = ChannelTotals<float>::identity();
                for (std::size_t block = 0; block < blocks; ++block)
                    total.merge(totals[block * 4 + c]);
                unsigned long long expected = 0;
                for (std::size_t i = c; i < picture.host.size(); i += 4)
                    expected += picture.host[i] > 0.25f;
                QCOMPARE(total.above, expected);
                QCOMPARE(total.finite, static_cast<unsigned long long>(width) * static_cast<unsigned>(height));
            }
        }
    }

private:
    std::vector<unsigned> maskOf(Mirror<float> &source, float threshold) {
        source.upload();
        const auto count = std::int64_t(source.host.size());
        Mirror<unsigned> mask((count + 31) / 32, 0);
        cuda::launchMarkAbove(source.device(), count, threshold, mask.device(), nullptr);
        if (!mask.download())
            qFatal("a guard was overwritten");
        return mask.host;
    }

    DeviceLimits limits_;
};

QTEST_APPLESS_MAIN(LessonsDeviceTest)
#include "lessons_device_test.moc"
