// Everything the window can do, found by typing: actions with their keys, and filters.
#pragma once

#include <QDialog>

#include <functional>
#include <optional>
#include <vector>

class QLabel;
class QLineEdit;
class QListWidget;

namespace tessera {

struct PaletteCommand {
    QString text;   // "View: Zoom in"
    QString detail; // its key, or "filter"
    std::function<void()> run;
};

class CommandPalette : public QDialog {
    Q_OBJECT

public:
    CommandPalette(std::vector<PaletteCommand> commands, QWidget *parent);

    QLineEdit *field() const { return field_; }
    QListWidget *list() const { return list_; }

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void narrow(const QString &text);
    void runCurrent();

    std::vector<PaletteCommand> commands_;
    QLineEdit *field_;
    QListWidget *list_;
    QLabel *nothing_;
};

// How well `text` fits what was typed: smaller is better, empty where its letters do not occur in this order. Whole
// words beat scattered letters, early ones beat late ones.
std::optional<int> matchScore(const QString &typed, const QString &text);

} // namespace tessera
