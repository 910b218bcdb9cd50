#include "ui/panels/batch_dialog.h"

#include "app/image/image_io.h"
#include "ui/panels/controls.h"
#include "ui/window/theme.h"

#include <QCheckBox>
#include <QCloseEvent>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>

namespace tessera {

BatchDialog::BatchDialog(const BatchRequest &base, const QString &describe, QWidget *parent)
    : QDialog(parent), request_(base) {
    setWindowTitle(tr("Batch"));
    setAttribute(Qt::WA_DeleteOnClose);
    resize(620, 560);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(16, 14, 16, 12);
    layout->setSpacing(8);
    auto *what = new QLabel(tr("Runs the current chain over files and folders: %1").arg(describe), this);
    what->setWordWrap(true);
    setForegroundMuted(what);
    layout->addWidget(what);
    layout->addWidget(makeInputs(), 2);
    layout->addWidget(makeOutput());
    progress_ = new QProgressBar(this);
    progress_->setTextVisible(false);
    progress_->setFixedHeight(10);
    progress_->setAccessibleName(tr("Progress of the batch"));
    state_ = new ElidedLabel(this);
    state_->setObjectName(QStringLiteral("batch.state"));
    failures_ = new QListWidget(this);
    failures_->setAccessibleName(tr("Files that failed"));
    failures_->setObjectName(QStringLiteral("batch.failures"));
    failures_->setWordWrap(true);
    failures_->hide();
    layout->addWidget(progress_);
    layout->addWidget(state_);
    layout->addWidget(failures_, 1);
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    start_ = buttons->addButton(tr("&Start"), QDialogButtonBox::ActionRole);
    start_->setObjectName(QStringLiteral("batch.start"));
    layout->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::rejected, this, &BatchDialog::reject);
    connect(start_, &QPushButton::clicked, this, &BatchDialog::startOrCancel);
    connectRunner();
    updateButtons();
}

QWidget *BatchDialog::makeInputs() {
    auto *box = new QWidget(this);
    auto *layout = new QGridLayout(box);
    layout->setContentsMargins(0, 0, 0, 0);
    inputs_ = new QListWidget(box);
    inputs_->setAccessibleName(tr("Files and folders"));
    inputs_->setObjectName(QStringLiteral("batch.inputs"));
    inputs_->setSelectionMode(QAbstractItemView::ExtendedSelection);
    inputs_->setTextElideMode(Qt::ElideMiddle);
    auto *files = new QPushButton(tr("Add &files…"), box);
    auto *folder = new QPushButton(tr("Add f&older…"), box);
    auto *remove = new QPushButton(tr("&Remove"), box);
    recursive_ = new QCheckBox(tr("Folders &within folders too"), box);
    layout->addWidget(inputs_, 0, 0, 4, 1);
    layout->addWidget(files, 0, 1);
    layout->addWidget(folder, 1, 1);
    layout->addWidget(remove, 2, 1);
    layout->addWidget(recursive_, 4, 0, 1, 2);
    layout->setRowStretch(3, 1);
    connect(files, &QPushButton::clicked, this, &BatchDialog::addFiles);
    connect(folder, &QPushButton::clicked, this, &BatchDialog::addFolder);
    connect(remove, &QPushButton::clicked, this, [this] {
        qDeleteAll(inputs_->selectedItems());
        updateButtons();
    });
    return box;
}

QWidget *BatchDialog::makeOutput() {
    auto *box = new QWidget(this);
    auto *grid = new QGridLayout(box);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setColumnStretch(1, 1);
    folder_ = new QLineEdit(request_.outputFolder, box);
    folder_->setObjectName(QStringLiteral("batch.folder"));
    name_ = new QLineEdit(request_.nameTemplate, box);
    name_->setToolTip(tr("{stem} {filter} {ext} {parent} {folder} {index}"));
    format_ = new QComboBox(box);
    format_->addItem(tr("as each input"), QString());
    for (const FormatInfo &format : imageFormats())
        if (format.canWrite)
            format_->addItem(QString::fromStdString(format.name).toUpper(), QString::fromStdString(format.name));
    overwrite_ = new QCheckBox(tr("Re&place files that exist"), box);
    auto *browse = new QPushButton(tr("&Browse…"), box);
    const auto row = [&](int index, const QString &text, QWidget *widget) {
        auto *label = new QLabel(text, box);
        label->setBuddy(widget);
        widget->setAccessibleName(QString(text).remove(QLatin1Char('&')));
        grid->addWidget(label, index, 0);
        grid->addWidget(widget, index, 1);
    };
    row(0, tr("Output fol&der"), folder_);
    grid->addWidget(browse, 0, 2);
    row(1, tr("&Names"), name_);
    row(2, tr("For&mat"), format_);
    grid->addWidget(overwrite_, 3, 1);
    connect(browse, &QPushButton::clicked, this, [this] {
        const QString chosen = QFileDialog::getExistingDirectory(this, tr("Output folder"), folder_->text());
        if (!chosen.isEmpty())
            folder_->setText(chosen);
    });
    connect(folder_, &QLineEdit::textChanged, this, &BatchDialog::updateButtons);
    return box;
}

void BatchDialog::connectRunner() {
    connect(&runner_, &BatchRunner::planned, this, [this](int files) {
        planned_ = files;
        progress_->setRange(0, files);
        progress_->setValue(0);
    });
    connect(&runner_, &BatchRunner::fileFinished, this, [this](const QString &name, const QString &failure) {
        ++done_;
        progress_->setValue(done_);
        state_->setText(tr("%1 of %2: %3").arg(done_).arg(planned_).arg(name));
        if (failure.isEmpty())
            return;
        ++failed_;
        failures_->addItem(failure);
        failures_->show();
    });
    connect(&runner_, &BatchRunner::failed, this, [this](const Message &message) {
        failures_->addItem(message.remedy.isEmpty() ? message.what
                                                    : QStringLiteral("%1 (%2)").arg(message.what, message.remedy));
        failures_->show();
        ++failed_;
    });
    connect(&runner_, &BatchRunner::finished, this, [this](bool cancelled) {
        const QString sum =
            planned_ == 0 ? tr("Nothing was done")
            : failed_ ? tr("%1 of %2 files done, %3 failed: see below").arg(done_ - failed_).arg(planned_).arg(failed_)
                      : tr("%1 of %2 files done").arg(done_).arg(planned_);
        state_->setText(cancelled ? tr("Cancelled. %1").arg(sum) : sum);
        updateButtons();
    });
}

void BatchDialog::setInputs(const QStringList &inputs) {
    inputs_->clear();
    inputs_->addItems(inputs);
    updateButtons();
}

void BatchDialog::addFiles() {
    inputs_->addItems(QFileDialog::getOpenFileNames(this, tr("Files for the batch")));
    updateButtons();
}

void BatchDialog::addFolder() {
    const QString folder = QFileDialog::getExistingDirectory(this, tr("Folder for the batch"));
    if (!folder.isEmpty())
        inputs_->addItem(folder);
    updateButtons();
}

void BatchDialog::updateButtons() {
    start_->setText(runner_.running() ? tr("&Cancel") : tr("&Start"));
    start_->setEnabled(runner_.running() || (inputs_->count() > 0 && !folder_->text().trimmed().isEmpty()));
    if (!runner_.running() && done_ == 0 && failed_ == 0)
        state_->setText(inputs_->count() == 0                 ? tr("Add the files or folders to filter.")
                        : folder_->text().trimmed().isEmpty() ? tr("Choose the folder that the results go to.")
                                                              : QString());
}

void BatchDialog::startOrCancel() {
    if (runner_.running())
        return runner_.cancel();
    request_.inputs.clear();
    for (int i = 0; i < inputs_->count(); ++i)
        request_.inputs << inputs_->item(i)->text();
    request_.recursive = recursive_->isChecked();
    request_.outputFolder = folder_->text().trimmed();
    request_.nameTemplate = name_->text();
    request_.format = format_->currentData().toString();
    request_.overwrite = overwrite_->isChecked();
    planned_ = done_ = failed_ = 0;
    failures_->clear();
    failures_->hide();
    progress_->setRange(0, 0);
    state_->setText(tr("Looking for pictures"));
    runner_.start(request_);
    updateButtons();
}

void BatchDialog::reject() {
    runner_.cancel(); // the file in hand is finished or not written at all
    QDialog::reject();
}

void BatchDialog::closeEvent(QCloseEvent *event) {
    runner_.cancel();
    QDialog::closeEvent(event);
}

} // namespace tessera
