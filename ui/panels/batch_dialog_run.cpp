// How a batch goes: start, progress, failures, and the way out.
#include "ui/bridge/file_name.h"
#include "ui/bridge/listing.h"
#include "ui/panels/batch_dialog.h"
#include "ui/panels/number_field.h"

#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QCloseEvent>
#include <QComboBox>
#include <QDragEnterEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMessageBox>
#include <QMimeData>
#include <QProgressBar>
#include <QPushButton>
#include <QSettings>
#include <QSpinBox>

namespace tessera {

namespace {

constexpr qint64 estimateAfterMs = 2000; // earlier, the first files say too little
constexpr qsizetype notesShown = 6;      // the failures below need room, too

QString duration(qint64 ms) {
    const qint64 seconds = (ms + 999) / 1000;
    return seconds >= 90 ? BatchDialog::tr("%1 min").arg((seconds + 30) / 60) : BatchDialog::tr("%1 s").arg(seconds);
}

} // namespace

void BatchDialog::startOrCancel() {
    if (runner_.running())
        return runner_.cancel();
    request_.inputs.clear();
    for (int i = 0; i < inputs_->count(); ++i)
        request_.inputs << inputs_->item(i)->data(Qt::UserRole).toString();
    request_.recursive = recursive_->isChecked();
    request_.outputFolder = outputFolder();
    request_.nameTemplate = name_->text();
    request_.format = format_->currentData().toString();
    quality_->interpretText(); // a key may press the button while the number is still being typed
    request_.quality = quality_->value();
    request_.overwrite = overwrite_->isChecked();
    request_.skipExisting = skip_->isChecked();
    remember();
    planned_ = done_ = failed_ = skipped_ = 0;
    sum_.clear();
    ofOtherChain_ = false;
    declined_ = false;
    failures_->clear();
    failuresBox_->hide();
    note_->hide();
    progress_->setRange(0, 0);
    state_->setText(tr("Looking for pictures"));
    clock_.start();
    runner_.start(request_);
    updateButtons();
}

void BatchDialog::showProgressOf(const QString &name) {
    ++done_;
    progress_->setValue(done_);
    QString text = tr("%1 of %2").arg(done_).arg(planned_);
    const qint64 elapsed = clock_.elapsed();
    const int worked = done_ - skipped_; // what is skipped takes next to no time
    if (elapsed > estimateAfterMs && done_ < planned_ && worked > 0)
        text += tr(", about %1 left").arg(duration(elapsed * (planned_ - done_) / worked));
    state_->setText(tr("%1: %2").arg(text, name));
}

void BatchDialog::onSkipped(const QString &name) {
    ++skipped_;
    showProgressOf(name);
}

void BatchDialog::onFile(const QString &name, const QString &failure) {
    showProgressOf(name);
    if (failure.isEmpty())
        return;
    ++failed_;
    addFailure(failure);
}

void BatchDialog::onTold(const QStringList &lines) {
    QStringList shown = lines.mid(0, notesShown);
    if (lines.size() > notesShown)
        shown << tr("And %1 more.").arg(lines.size() - notesShown);
    note_->setText(shown.join(QLatin1Char('\n')));
    note_->setToolTip(lines.join(QLatin1Char('\n')).toHtmlEscaped().replace(QLatin1Char('\n'), QLatin1String("<br>")));
    note_->show();
}

void BatchDialog::addFailure(const QString &text) {
    failures_->addItem(text);
    const int count = failures_->count();
    failuresTitle_->setText(count == 1 ? tr("1 failure") : tr("%1 failures").arg(count));
    failuresBox_->show();
}

void BatchDialog::onFinished(bool cancelled) {
    if (planned_ == 0) {
        progress_->setRange(0, 1);
        progress_->setValue(0);
    }
    QString sum = planned_ == 0 ? tr("Nothing was done") : tr("%1 of %2 files done").arg(done_ - failed_).arg(planned_);
    if (skipped_)
        sum += tr(", %1 of them by an earlier run").arg(skipped_);
    if (planned_ && failed_)
        sum += tr(", %1 failed: see below").arg(failed_);
    if (cancelled && !declined_) {
        skip_->setChecked(true); // Start goes on then
    } else {
        QSettings().remove(unfinishedKey);
        unfinished_.clear();
    }
    sum_ = cancelled ? tr("Cancelled. %1").arg(sum) : sum;
    updateButtons();
}

void BatchDialog::copyFailures() {
    QStringList lines;
    for (int i = 0; i < failures_->count(); ++i)
        lines << failures_->item(i)->text();
    QApplication::clipboard()->setText(lines.join(QLatin1Char('\n')));
}

void BatchDialog::remember() {
    QSettings settings;
    settings.setValue(QStringLiteral("batch/names"), name_->text());
    settings.setValue(QStringLiteral("batch/format"), format_->currentData());
    settings.setValue(QStringLiteral("batch/quality"), quality_->value());
    unfinished_ = request_.outputFolder;
    settings.setValue(unfinishedKey, unfinished_);
}

namespace {

QString whatGoes(const ExistingFiles &existing) {
    const QStringList all = existing.foreign + existing.made;
    return all.size() == 1
               ? BatchDialog::tr("1 file that exists would be replaced: %1.").arg(all.first())
               : BatchDialog::tr("%1 files that exist would be replaced: %2.").arg(all.size()).arg(listedInBrief(all));
}

QString whoseTheyAre(const ExistingFiles &existing) {
    if (existing.foreign.isEmpty())
        return BatchDialog::tr("An earlier batch has made them, and nobody has changed them since.");
    if (existing.made.isEmpty())
        return existing.foreign.size() == 1
                   ? BatchDialog::tr("No batch has made it, or it was changed since. What it holds is lost then.")
                   : BatchDialog::tr(
                         "No batch has made them, or they were changed since. What they hold is lost then.");
    return BatchDialog::tr(
               "%1 of them no batch has made, or they were changed since: %2. What these hold is lost then.")
        .arg(existing.foreign.size())
        .arg(listedInBrief(existing.foreign));
}

} // namespace

// Nothing was written so far. Whatever ends the run takes the question with it.
void BatchDialog::onReplacing(const ExistingFiles &existing) {
    auto *question = new QMessageBox(this);
    question->setAttribute(Qt::WA_DeleteOnClose);
    question->setObjectName(QStringLiteral("batch.replacing"));
    question->setIcon(QMessageBox::Warning);
    question->setWindowTitle(tr("Batch"));
    question->setTextFormat(Qt::PlainText);
    question->setText(whatGoes(existing));
    question->setInformativeText(whoseTheyAre(existing));
    const auto offer = [&](const QString &text, Replacing what) {
        connect(question->addButton(text, QMessageBox::DestructiveRole), &QPushButton::clicked, this,
                [this, what] { runner_.answer(what); });
    };
    offer(existing.made.isEmpty() || existing.foreign.isEmpty() ? tr("&Replace") : tr("Replace &all"), Replacing::All);
    if (!existing.made.isEmpty() && !existing.foreign.isEmpty())
        offer(tr("&Only what a batch has made"), Replacing::MadeOnly);
    QPushButton *keep = question->addButton(QMessageBox::Cancel);
    question->setDefaultButton(keep);
    question->setEscapeButton(keep);
    connect(question, &QMessageBox::rejected, this, [this] {
        declined_ = true;
        runner_.cancel();
    });
    connect(&runner_, &BatchRunner::finished, question, &QObject::deleteLater);
    state_->setText(tr("Nothing is replaced before you say so."));
    question->open();
}

// The file in hand is finished or not written at all; what is done stays. Where the batch ends by itself meanwhile,
// there is nothing to stop any more: how it went is to be read.
bool BatchDialog::mayStop() {
    if (!runner_.running() || !asks_)
        return true;
    QMessageBox question(this);
    question.setWindowTitle(tr("Batch"));
    const auto tell = [this, &question] {
        question.setText(tr("The batch is still running: %1 of %2 files are done.").arg(done_).arg(planned_));
    };
    tell();
    question.setInformativeText(tr("What is done stays. The files that are left can be run again later."));
    const QPushButton *stop = question.addButton(tr("S&top the batch"), QMessageBox::DestructiveRole);
    QPushButton *go = question.addButton(tr("&Go on"), QMessageBox::RejectRole);
    question.setDefaultButton(go);
    question.setEscapeButton(go);
    connect(&runner_, &BatchRunner::fileFinished, &question, tell);
    connect(&runner_, &BatchRunner::fileSkipped, &question, tell);
    connect(&runner_, &BatchRunner::finished, &question, &QDialog::reject);
    question.exec();
    return question.clickedButton() == stop && runner_.running();
}

void BatchDialog::reject() { close(); } // through closeEvent, which asks

void BatchDialog::closeEvent(QCloseEvent *event) {
    if (!mayStop())
        return event->ignore();
    runner_.cancel();
    event->accept();
}

void BatchDialog::dragEnterEvent(QDragEnterEvent *event) {
    if (event->mimeData()->hasUrls() && !runner_.running())
        event->acceptProposedAction();
}

void BatchDialog::dropEvent(QDropEvent *event) {
    addInputs(localFiles(*event->mimeData()));
    event->acceptProposedAction();
}

} // namespace tessera
