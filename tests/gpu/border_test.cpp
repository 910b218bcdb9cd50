#include "gpu/image/border.h"

#include <QtTest>

#include <string>

using namespace tessera;

class BorderTest : public QObject {
    Q_OBJECT

private slots:
    // The definition by folding one step at a time: slow, and obviously what the diagrams say.
    void agreesWithFoldingStepByStep() {
        for (int size = 1; size <= 7; ++size)
            for (int index = -40; index <= 40; ++index) {
                QCOMPARE(borderIndex(BorderMode::Replicate, index, size), std::min(std::max(index, 0), size - 1));
                QCOMPARE(borderIndex(BorderMode::Wrap, index, size), ((index % size) + size) % size);
                QCOMPARE(borderIndex(BorderMode::Reflect, index, size), fold(index, size, false));
                QCOMPARE(borderIndex(BorderMode::Reflect101, index, size), fold(index, size, true));
                const int outside = index >= 0 && index < size ? index : -1;
                QCOMPARE(borderIndex(BorderMode::Zero, index, size), outside);
                QCOMPARE(borderIndex(BorderMode::Constant, index, size), outside);
            }
    }

    // What the command line's help shows must be what happens.
    void diagramsAreTrue() {
        const std::string inside = "abcd";
        for (const BorderName &entry : borderNames) {
            std::string drawn;
            for (int index = -3; index < 7; ++index) {
                const int from = borderIndex(entry.mode, index, 4);
                drawn += from >= 0 ? inside[std::size_t(from)] : entry.mode == BorderMode::Zero ? '0' : 'v';
                if (index == -1 || index == 3)
                    drawn += '|';
            }
            QCOMPARE(drawn, std::string(entry.diagram));
        }
    }

    void namesRoundTrip() {
        for (const BorderName &entry : borderNames) {
            QCOMPARE(borderName(entry.mode), entry.name);
            QVERIFY(borderFromName(entry.name) == entry.mode);
        }
        QVERIFY(!borderFromName("mirror"));
        QVERIFY(!borderFromName(""));
    }

private:
    static int fold(int index, int size, bool once) {
        if (once && size == 1)
            return 0;
        while (index < 0 || index >= size) {
            if (index < 0)
                index = once ? -index : -index - 1;
            if (index >= size)
                index = once ? 2 * size - 2 - index : 2 * size - 1 - index;
        }
        return index;
    }
};

QTEST_APPLESS_MAIN(BorderTest)
#include "border_test.moc"
