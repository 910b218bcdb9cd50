// The current chain over many files: what, where to, and how it goes.
#pragma once

#include "ui/bridge/batch_runner.h"

#include <QDialog>
#include <QElapsedTimer>

class QCheckBox;
class QComboBox;
class QGridLayout;
class QLabel;
class QLineEdit;
class QListWidget;
class QProgressBar;
class QPushButton;

namespace tessera {

class WholeField;

class BatchDialog : public QDialog {
    Q_OBJECT

public:
    // `base` has the chain and the engine; `describe` names the chain ("Unsharp mask → Sobel").
    BatchDialog(const BatchRequest &base, const QString &describe, QWidget *parent = nullptr);

    // Another chain for the runs to come; how the last one went stays until then.
    void setChain(const BatchRequest &base, const QString &describe);
    void setInputs(const QStringList &inputs);
    void reject() override;
    BatchRunner &runner() { return runner_; }
    // Ask before a batch under way is given up; off in tests that close windows.
    void setAsksBeforeClosing(bool asks) { asks_ = asks; }

protected:
    void closeEvent(QCloseEvent *event) override;
    void dragEnterEvent(QDragEnterEvent *event) override;
    void dropEvent(QDropEvent *event) override;

private:
    QWidget *makeInputs();
    QWidget *makeOutput();
    void addSwitches(QGridLayout &grid, int row);
    QWidget *makeFailures();
    QLabel *addRow(QGridLayout &grid, int index, const QString &text, QWidget *widget);
    void connectRunner();
    void addFiles();
    void addFolder();
    void copyFailures();
    void addFailure(const QString &text);
    void startOrCancel();
    void addInputs(const QStringList &paths);
    void onFile(const QString &name, const QString &failure);
    void onSkipped(const QString &name);
    void showProgressOf(const QString &name);
    void onTold(const QStringList &lines);
    void onFinished(bool cancelled);
    void onReplacing(const ExistingFiles &existing); // asks
    void describeChain(const QString &chain);
    QString outputFolder() const;
    QString whatIsMissing() const; // before it can start; empty: nothing
    QString whatIsWrong() const;   // of what is there; empty: nothing
    void onInputs();
    void onFolder();
    void updateButtons();
    void updateQuality();
    bool mayStop();
    void remember();

    static inline const QString unfinishedKey = QStringLiteral("batch/unfinished"); // the folder of a run that is

    BatchRequest request_;
    BatchRunner runner_;
    QLabel *what_;
    QListWidget *inputs_;
    QCheckBox *recursive_, *skip_, *overwrite_;
    QLineEdit *folder_, *name_;
    QString unfinished_; // the folder of a run that was stopped; empty: there is none
    QString suggested_;  // the output folder that follows the inputs, until another one is typed
    QComboBox *format_;
    WholeField *quality_;
    QLabel *qualityLabel_;
    QProgressBar *progress_;
    QLabel *state_, *note_;
    QWidget *failuresBox_;
    QLabel *failuresTitle_;
    QListWidget *failures_;
    QPushButton *start_;
    QElapsedTimer clock_;
    int planned_ = 0, done_ = 0, failed_ = 0, skipped_ = 0; // skipped and failed ones are done, too
    QString sum_;                                           // how it went, once it has run
    bool ofOtherChain_ = false;                             // it ran with one that is not the present one
    bool declined_ = false;                                 // nothing may be replaced
    bool asks_ = true;
};

} // namespace tessera
