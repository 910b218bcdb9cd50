// The current chain over many files: what, where to, and how it goes.
#pragma once

#include "ui/bridge/batch_runner.h"

#include <QDialog>

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QListWidget;
class QProgressBar;
class QPushButton;

namespace tessera {

class BatchDialog : public QDialog {
    Q_OBJECT

public:
    // `base` has the chain and the engine; `describe` names the chain ("Unsharp mask → Sobel").
    BatchDialog(const BatchRequest &base, const QString &describe, QWidget *parent = nullptr);

    void setInputs(const QStringList &inputs);
    BatchRunner &runner() { return runner_; }

protected:
    void closeEvent(QCloseEvent *event) override;
    void reject() override;

private:
    QWidget *makeInputs();
    QWidget *makeOutput();
    void connectRunner();
    void addFiles();
    void addFolder();
    void startOrCancel();
    void updateButtons();

    BatchRequest request_;
    BatchRunner runner_;
    QListWidget *inputs_;
    QCheckBox *recursive_, *overwrite_;
    QLineEdit *folder_, *name_;
    QComboBox *format_;
    QProgressBar *progress_;
    QLabel *state_;
    QListWidget *failures_;
    QPushButton *start_;
    int planned_ = 0, done_ = 0, failed_ = 0;
};

} // namespace tessera
