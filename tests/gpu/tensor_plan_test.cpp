// The host's side of the tensor variant: how taps become whole numbers, and how a request finds its instance.
#include "gpu/launch/tensor_plan.h"
#include "gpu/launch/tensor_shapes.h"
#include "gpu/launch/tensor_taps.h"
#include "tests/gpu/large_device.h"

#include <QtTest>

#include <memory>
#include <random>
#include <set>

using namespace tessera;
using test::largeDevice;

namespace {

std::unique_ptr<Taps> randomTaps(int width, int height) {
    auto taps = std::make_unique<Taps>();
    taps->width = width;
    taps->height = height;
    taps->anchorX = width / 2;
    taps->anchorY = height / 2;
    std::mt19937 random(5);
    for (int i = 0; i < taps->count(); ++i)
        taps->value[i] = (float(random() % 2001) - 700.0f) / 1000.0f / float(taps->count());
    return taps;
}

ConvolutionRequest requestOf(const Taps &taps, ScalarType source, ScalarType target, int channels) {
    ConvolutionRequest request;
    request.source = {nullptr, 500, 400, 2048 * channels, source, channels};
    request.target = {nullptr, 500, 400, 2048 * channels, target, channels};
    request.taps = &taps;
    return request;
}

} // namespace

class TensorPlanTest : public QObject {
    Q_OBJECT

private slots:
    void multiplesAreExactWhereTheyCanBe() {
        const WholeTaps typed = wholeTaps(std::vector<float>{1, -2, 1, 4, 127}, 0);
        QVERIFY(typed.exact && typed.terms == 1 && typed.step == 1.0 && typed.error == 0.0);
        QCOMPARE(typed.multiples, (std::vector<int>{1, -2, 1, 4, 127}));
        const WholeTaps large = wholeTaps(std::vector<float>{1, 128, -3000}, 0);
        QVERIFY(large.exact && large.terms == 2);
        // The binomial kernel, divided by its sum: multiples of the smallest.
        const WholeTaps divided =
            wholeTaps(std::vector<float>{1 / 16.0f, 4 / 16.0f, 6 / 16.0f, 4 / 16.0f, 1 / 16.0f}, 0);
        QVERIFY(divided.exact && divided.terms == 1);
        QCOMPARE(divided.multiples, (std::vector<int>{1, 4, 6, 4, 1}));
        const WholeTaps box = wholeTaps(std::vector<float>(81, 1.0f / 81.0f), 0);
        QVERIFY(box.exact && box.terms == 1 && box.error == 0.0);
        const WholeTaps nothing = wholeTaps(std::vector<float>(9, 0.0f), 0);
        QVERIFY(nothing.exact && nothing.terms == 1);
    }

    void multiplesFitTheirBytesAndTheirSums() {
        for (const int side : {3, 15, 31, 63})
            for (const int terms : {0, 1, 2}) {
                const auto taps = randomTaps(side, side);
                const WholeTaps whole = wholeTaps({taps->value, std::size_t(taps->count())}, terms);
                QCOMPARE(whole.terms, terms == 1 ? 1 : 2);
                std::int64_t sum = 0;
                double error = 0;
                for (std::size_t i = 0; i < whole.multiples.size(); ++i) {
                    const int multiple = whole.multiples[i];
                    QVERIFY(std::abs(multiple) <= (whole.terms == 1 ? 127 : 32639));
                    sum += std::abs(multiple);
                    error += std::abs(multiple * whole.step - double(taps->value[i]));
                }
                QVERIFY(sum * 255 <= 2147483647);
                QVERIFY(std::abs(error - whole.error) <= 1e-12);
                // One level of 255 at most by one term, a fraction of one by two.
                QVERIFY(whole.error * 255 < (whole.terms == 1 ? 1.5 : 0.03));
            }
    }

    void everyRequestFindsAnInstance() {
        for (const auto &[source, target] : {std::pair{ScalarType::U8, ScalarType::U8},
                                             {ScalarType::F16, ScalarType::F16},
                                             {ScalarType::F32, ScalarType::F32},
                                             {ScalarType::U16, ScalarType::U16}})
            for (const int channels : {1, 4})
                for (int side = 1; side <= maximumTapsSide; ++side)
                    for (const int anchor : {0, side / 2, side - 1}) {
                        const auto taps = randomTaps(side, side);
                        taps->anchorX = anchor;
                        const TensorPlan plan =
                            planTensor(requestOf(*taps, source, target, channels), 0, largeDevice());
                        QVERIFY2(plan.refusal.empty(), plan.refusal.c_str());
                        QVERIFY(plan.sharedBytes <= 227 * 1024);
                        QVERIFY(side + plan.shift <= plan.shape.maximumTaps(0));
                        QVERIFY(plan.grid.x >= 1 && plan.shape.threads() <= 1024);
                        const ConvolutionShape shape{
                            500, 400, side, side, scalarBytes(source), channels, 0, source == ScalarType::U8};
                        QVERIFY(planConvolution(KernelVariant::Tensor, shape, largeDevice()).refusal.empty());
                    }
    }

    void shapesAvoidBankConflicts() {
        const auto check = [](const TensorShape &shape) {
            // Eight rows of one piece, as ldmatrix reads them.
            std::set<int> places;
            for (int row = 0; row < 8; ++row)
                places.insert(row * shape.pitch() / 16 % 8);
            QCOMPARE(int(places.size()), 8);
            // The words of one band: two copies, and lanes that go back a word for every one or two columns.
            const int back = shape.leadingWords() == 7 ? 2 : 1;
            std::set<int> words;
            for (int lane = 0; lane < 32; ++lane)
                words.insert((lane / 4 % 2) * shape.copyWords() + lane % 4 - back * (lane / 8));
            std::set<int> banks;
            for (const int word : words)
                banks.insert(((word % 32) + 32) % 32);
            QCOMPARE(banks.size(), words.size());
            QVERIFY(shape.rowWords() * shape.terms * maximumTapsSide <= maximumTensorWords);
            QVERIFY(shape.interleave == 2 && shape.groups % shape.channels == 0);
        };
        for (const TensorShape &shape : tensor_shapes::whole)
            check(shape);
        for (const TensorShape &shape : tensor_shapes::half)
            check(shape);
        for (const TensorShape &shape : tensor_shapes::split)
            check(shape);
    }

    void refusalsNameTheReason() {
        const ConvolutionShape shape{100, 100, 15, 15, 4, 1};
        QVERIFY(planConvolution(KernelVariant::Tensor, shape, {}).refusal.find("compute capability 8.0") !=
                std::string::npos);
        ConvolutionShape large = shape;
        large.tapsHeight = 64;
        QVERIFY(planConvolution(KernelVariant::Tensor, large, largeDevice()).refusal.find("15x64") !=
                std::string::npos);
        DeviceLimits small = largeDevice();
        small.sharedBytesPerBlock = 48 * 1024;
        large.tapsWidth = large.tapsHeight = 63;
        QVERIFY(planConvolution(KernelVariant::Tensor, large, small).refusal.find("shared memory") !=
                std::string::npos);
    }
};

QTEST_APPLESS_MAIN(TensorPlanTest)
#include "tensor_plan_test.moc"
