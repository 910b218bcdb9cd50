// Fields that a number is typed into. What is typed stays as it was typed until Enter, a step or leaving the field; a
// number out of range then becomes the nearest end, one that is too fine is rounded, what is no number goes, and a tool
// tip at the field and the status bar say so. Never is a digit or a separator swallowed: "20" would become 2.0,
// "1,5" 15.
#pragma once

#include <QDoubleSpinBox>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QLineEdit>
#include <QLocale>
#include <QSpinBox>
#include <QToolTip>
#include <QWheelEvent>

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

// What QSpinBox and QDoubleSpinBox have in common here. A wheel steps only where the field has the focus.
template <class Box> class TypedNumber : public Box {
public:
    using Value = decltype(std::declval<Box>().value());

    explicit TypedNumber(QWidget *parent) : Box(parent) {
        this->setLocale(QLocale::c()); // as all other numbers in the window
        this->setFocusPolicy(Qt::StrongFocus);
        this->setKeyboardTracking(false);
        QObject::connect(this->lineEdit(), &QLineEdit::textChanged, this, [this] { mark(); });
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
        if (event->key() != Qt::Key_Return && event->key() != Qt::Key_Enter)
            return Box::keyPressEvent(event);
        // A dialog's button waits until it was seen that the number is another one.
        event->setAccepted(commit([&] { Box::keyPressEvent(event); }) || event->isAccepted());
    }
    void focusOutEvent(QFocusEvent *event) override {
        commit([&] { Box::focusOutEvent(event); });
    }
    // A value that is set is no text that changes: no signal tells of it.
    void paintEvent(QPaintEvent *event) override {
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
    QString complaint() const {
        const QLineEdit &line = *this->lineEdit();
        return line.isModified() ? limits().complaint(this->accessibleName(), line.text()) : QString();
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
