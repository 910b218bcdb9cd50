// Fields that a number is typed into. What is typed stays as it was typed until Enter, a step or leaving the field; a
// number out of range then becomes the nearest end, one that is too fine is rounded, what is no number goes, and a tool
// tip at the field and the status bar say so. Never is a digit or a separator swallowed: "20" would become 2.0,
// "1,5" 15.
#pragma once

#include <QDoubleSpinBox>
#include <QHelpEvent>
#include <QInputMethodEvent>
#include <QKeyEvent>
#include <QLineEdit>
#include <QLocale>
#include <QSpinBox>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <optional>
#include <type_traits>
#include <utility>

namespace tessera {

// With a point before the fraction, whether a point or a comma was typed; trimmed. There are no groups of digits: in
// half of the world one would read a fraction for a group.
QString withPoint(const QString &typed);
std::optional<double> readNumber(const QString &typed); // finite; nullopt: it is no number

struct NumberLimits {
    double minimum = 0, maximum = 0;
    int decimals = 0;
    QString suffix; // with the space before it

    std::optional<double> read(const QString &typed) const; // as typed, with the suffix or without; not limited
    double nearest(double value) const;                     // within the limits, rounded
    QString range() const;                                  // "0.1 to 15.5 px"
    // Why the field will not hold what was typed into the field of this name; empty: it will.
    QString complaint(const QString &name, const QString &typed) const;

private:
    QString withoutSuffix(const QString &typed) const;
};

void showAllowed(QLineEdit &line, bool allowed);  // by the colour of the text
void tellAt(QWidget &field, const QString &what); // and in its window's status bar
void untell();                                    // what was last told at a field holds no more

// What QSpinBox and QDoubleSpinBox have in common here. A wheel steps only where the field has the focus.
template <class Box> class TypedNumber : public Box {
public:
    using Value = decltype(std::declval<Box>().value());

    explicit TypedNumber(QWidget *parent) : Box(parent) {
        this->setLocale(QLocale::c()); // as all other numbers in the window
        this->setFocusPolicy(Qt::StrongFocus);
        this->setKeyboardTracking(false);
        QLineEdit *line = this->lineEdit();
        QObject::connect(line, &QLineEdit::textChanged, this, [this, line] {
            seen_ = line->text();
            mark();
        });
        QObject::connect(line, &QLineEdit::selectionChanged, this, [this] { keepToNumber(); });
    }
    QLineEdit *line() const { return this->lineEdit(); }
    // Why what stands in the field is no value that it takes, while it is being typed; empty: it is one.
    QString obstacle() const {
        const QString said = complaint();
        return said.isEmpty() && !limits().read(this->text())
                   ? QObject::tr("%1: %2").arg(this->accessibleName(), limits().range())
                   : said;
    }
    NumberLimits limits() const {
        int decimals = 0;
        if constexpr (std::is_same_v<Value, double>)
            decimals = this->decimals();
        return {double(this->minimum()), double(this->maximum()), decimals, this->suffix()};
    }
    QValidator::State validate(QString &text, int &) const override {
        return limits().read(text) ? QValidator::Acceptable : QValidator::Intermediate;
    }
    Value valueFromText(const QString &text) const override {
        const std::optional<double> typed = limits().read(text);
        return typed ? Value(limits().nearest(*typed)) : this->value();
    }
    void fixup(QString &text) const override { text = this->textFromValue(this->value()); }
    void stepBy(int steps) override {
        commit([&] { Box::stepBy(steps); });
    }

protected:
    bool event(QEvent *event) override {
        if (event->type() != QEvent::ToolTip)
            return Box::event(event);
        const QString help = this->toolTip();
        QToolTip::showText(static_cast<QHelpEvent *>(event)->globalPos(),
                           help.isEmpty() ? limits().range() : help + QLatin1Char('\n') + limits().range(), this);
        return true;
    }
    void keyPressEvent(QKeyEvent *event) override {
        keepToNumber();
        if (deletesUpToUnit(*event))
            return event->accept();
        if (event->key() != Qt::Key_Return && event->key() != Qt::Key_Enter)
            return Box::keyPressEvent(event);
        // A dialog's button waits until it was seen that the number is another one.
        event->setAccepted(commit([&] { Box::keyPressEvent(event); }) || event->isAccepted());
    }
    void focusOutEvent(QFocusEvent *event) override {
        commit([&] { Box::focusOutEvent(event); });
    }
    void inputMethodEvent(QInputMethodEvent *event) override {
        keepToNumber();
        Box::inputMethodEvent(event);
    }
    // A value that is set is no text that changes: no signal tells of it.
    void paintEvent(QPaintEvent *event) override {
        keepToNumber();
        mark();
        Box::paintEvent(event);
    }
    void wheelEvent(QWheelEvent *event) override {
        if (this->hasFocus())
            Box::wheelEvent(event);
        else
            event->ignore();
    }

private:
    // Not only of what is modified: where a unit is missing, Qt puts it back and takes all of it for unmodified.
    QString complaint() const { return limits().complaint(this->accessibleName(), this->text()); }
    int numberEnd() const {
        const QString text = this->text(), unit = this->suffix();
        return int(text.size() - (text.endsWith(unit) ? unit.size() : 0));
    }
    // The cursor and what is chosen stay within the number: what is typed would take the place of half of the unit.
    // A value that is set leaves as many characters chosen as before, so that "15.4" becomes the "5 px" of "5 px".
    void keepToNumber() {
        QLineEdit &line = *this->lineEdit();
        const bool valueSet = line.text() != seen_;
        seen_ = line.text();
        const int end = numberEnd();
        if (!line.hasSelectedText()) {
            if (line.cursorPosition() > end)
                line.setCursorPosition(end);
        } else if (valueSet && wholeChosen_) {
            this->selectAll();
        } else if (line.selectionEnd() > end) {
            const int start = std::min(line.selectionStart(), end);
            if (start == end)
                line.setCursorPosition(end);
            else if (line.cursorPosition() == start)
                line.setSelection(end, start - end);
            else
                line.setSelection(start, end - start);
        }
        wholeChosen_ = line.hasSelectedText() && line.selectionStart() == 0 && line.selectionEnd() >= end;
    }
    // Keys that would delete the unit, or a part of it, delete what of the number lies before it.
    bool deletesUpToUnit(const QKeyEvent &event) {
        QLineEdit &line = *this->lineEdit();
        const bool one = event.matches(QKeySequence::Delete),
                   rest = event.matches(QKeySequence::DeleteEndOfWord) || event.matches(QKeySequence::DeleteEndOfLine);
        const int left = numberEnd() - line.cursorPosition();
        if (line.hasSelectedText() || !(one || rest) || (one && left > 0))
            return false;
        if (left > 0) {
            line.setSelection(line.cursorPosition(), left);
            line.del();
        }
        return true;
    }
    void mark() { showAllowed(*this->lineEdit(), complaint().isEmpty()); }
    // Whether something else than what was typed became the value.
    template <class Action> bool commit(const Action &action) {
        const QString said = complaint();
        action();
        this->lineEdit()->setModified(false); // from here on Ctrl+Z is the window's
        mark();
        if (!said.isEmpty())
            tellAt(*this, said);
        return !said.isEmpty();
    }

    QString seen_;             // the text as signals and keys have seen it
    bool wholeChosen_ = false; // the whole number, then
};

// A narrow number field; shows no more digits than the value needs.
class NumberField : public TypedNumber<QDoubleSpinBox> {
    Q_OBJECT
public:
    explicit NumberField(QWidget *parent = nullptr);
    QString textFromValue(double value) const override;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }
};

// For whole numbers.
class WholeField : public TypedNumber<QSpinBox> {
    Q_OBJECT
public:
    explicit WholeField(QWidget *parent = nullptr) : TypedNumber(parent) {}
};

} // namespace tessera
