// The decomposition against NumPy's values and its own definition.
#include "gpu/model/svd.h"

#include <QtTest>

#include <random>

using namespace tessera::model;

namespace {

using Matrix = std::vector<double>; // row-major

bool near(double a, double b, double tolerance) { return std::abs(a - b) <= tolerance; }

Matrix made(int rows, int columns, const std::function<double(int, int)> &entry) {
    Matrix matrix;
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j)
            matrix.push_back(entry(i, j));
    return matrix;
}

// The largest difference between the matrix and the sum of its parts, relative to its largest singular value.
double reconstructionError(const Matrix &matrix, int rows, int columns, const Svd &svd) {
    double worst = 0.0;
    for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < columns; ++j) {
            double sum = 0.0;
            for (std::size_t k = 0; k < svd.values.size(); ++k)
                sum += svd.values[k] * svd.left[k][std::size_t(i)] * svd.right[k][std::size_t(j)];
            worst = std::max(worst, std::abs(sum - matrix[std::size_t(i * columns + j)]));
        }
    }
    return svd.values.front() > 0.0 ? worst / svd.values.front() : worst;
}

// How far the vectors of the values above 0 are from being orthogonal and of length 1.
double orthonormalityError(const std::vector<std::vector<double>> &vectors, int rank) {
    double worst = 0.0;
    for (std::size_t a = 0; a < std::size_t(rank); ++a)
        for (std::size_t b = 0; b <= a; ++b)
            worst = std::max(worst, std::abs(detail::dot(vectors[a], vectors[b]) - (a == b ? 1.0 : 0.0)));
    return worst;
}

} // namespace

class SvdTest : public QObject {
    Q_OBJECT

private slots:
    // numpy.linalg.svd; the Hilbert matrix's values span seven orders of magnitude.
    void agreesWithNumPy() {
        const Svd hilbert = decompose(made(6, 6, [](int i, int j) { return 1.0 / (i + j + 1); }), 6, 6);
        const std::vector<double> expected{1.6188998589243393,     0.24236087057520947,    0.016321521319875812,
                                           6.1574835418263813e-04, 1.2570757122642469e-05, 1.0827994844117582e-07};
        for (std::size_t k = 0; k < 6; ++k)
            QVERIFY(near(hilbert.values[k], expected[k], 1e-15));
        const auto entry = [](int y, int x) { return double((x * 7 + y * 13 + (x * y) % 5) % 11 - 5); };
        const Svd wide = decompose(made(5, 8, entry), 5, 8);
        const std::vector<double> values{11.793687438642138, 9.616340006646926, 8.783652718147694, 6.781242309222821,
                                         6.107138376257682};
        for (std::size_t k = 0; k < 5; ++k)
            QVERIFY(near(wide.values[k], values[k], 1e-13));
    }

    void partsAddUpToTheMatrix() {
        std::mt19937 random(1);
        std::normal_distribution<double> normal;
        for (const auto &[rows, columns] : std::vector<std::pair<int, int>>{
                 {1, 1}, {1, 9}, {9, 1}, {2, 2}, {3, 3}, {5, 8}, {8, 5}, {31, 31}, {63, 63}}) {
            const Matrix matrix = made(rows, columns, [&](int, int) { return normal(random); });
            const Svd svd = decompose(matrix, rows, columns);
            QCOMPARE(svd.values.size(), std::size_t(std::min(rows, columns)));
            QCOMPARE(svd.left.front().size(), std::size_t(rows));
            QCOMPARE(svd.right.front().size(), std::size_t(columns));
            QVERIFY(std::is_sorted(svd.values.rbegin(), svd.values.rend()));
            QVERIFY(reconstructionError(matrix, rows, columns, svd) < 1e-14);
            QVERIFY(orthonormalityError(svd.left, std::min(rows, columns)) < 1e-13);
            QVERIFY(orthonormalityError(svd.right, std::min(rows, columns)) < 1e-13);
        }
    }

    // Rank r by construction: r products of random vectors.
    void ranksAreFound() {
        std::mt19937 random(2);
        std::normal_distribution<double> normal;
        for (int rank : {1, 2, 5}) {
            Matrix matrix(17 * 23, 0.0);
            for (int k = 0; k < rank; ++k) {
                const Matrix column = made(17, 1, [&](int, int) { return normal(random); });
                const Matrix row = made(1, 23, [&](int, int) { return normal(random); });
                for (std::size_t i = 0; i < 17; ++i)
                    for (std::size_t j = 0; j < 23; ++j)
                        matrix[i * 23 + j] += column[i] * row[j];
            }
            const Svd svd = decompose(matrix, 17, 23);
            QCOMPARE(svd.rank(1e-12), rank);
            QVERIFY(reconstructionError(matrix, 17, 23, svd) < 1e-14);
            // A disturbance below the tolerance does not count, one above it does.
            matrix[100] += 1e-8 * svd.values.front();
            QCOMPARE(decompose(matrix, 17, 23).rank(1e-6), rank);
            QCOMPARE(decompose(matrix, 17, 23).rank(1e-12), rank + 1);
        }
    }

    void zerosHaveNoRank() {
        const Svd svd = decompose(Matrix(12, 0.0), 3, 4);
        QCOMPARE(svd.values, (std::vector<double>{0, 0, 0}));
        QCOMPARE(svd.rank(0.0), 0);
        QCOMPARE(svd.left.front(), (std::vector<double>{0, 0, 0}));
    }

    void scaleChangesNothing() {
        const auto entry = [](int i, int j) { return std::sin(3.0 * i + 5.0 * j * j) + (i == j ? 1.0 : 0.0); };
        const Svd usual = decompose(made(5, 5, entry), 5, 5);
        for (double factor : {1e-300, 1e300}) {
            const Svd svd = decompose(made(5, 5, [&](int i, int j) { return factor * entry(i, j); }), 5, 5);
            for (std::size_t k = 0; k < 5; ++k)
                QVERIFY(near(svd.values[k] / factor, usual.values[k], 1e-13));
        }
    }
};

QTEST_APPLESS_MAIN(SvdTest)
#include "svd_test.moc"
