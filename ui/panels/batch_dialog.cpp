#include "ui/panels/batch_dialog.h"

#include "app/image/format_limits.h"
#include "app/image/image_io.h"
#include "ui/bridge/file_name.h"
#include "ui/panels/controls.h"
#include "ui/panels/mnemonics.h"
#include "ui/window/theme.h"

#include <QCheckBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QProgressBar>
#include <QPushButton>
#include <QSettings>
#include <QSpinBox>
#include <QStandardPaths>
#include <QVBoxLayout>

namespace tessera {

namespace {

// "filtered" in the input's folder; where that cannot be written to, among the user's pictures. Empty: nowhere.
QString outputBeside(const QString &input) {
    const QFileInfo file(input);
    std::error_code ignored;
    const bool isFolder = std::filesystem::is_directory(pathFrom(input), ignored);
    for (const QString &folder : {isFolder ? file.absoluteFilePath() : file.absolutePath(),
                                  QStandardPaths::writableLocation(QStandardPaths::PicturesLocation), QDir::homePath()})
        if (const QString output = folder + QStringLiteral("/filtered");
            !folder.isEmpty() && folder.isValidUtf16() && canHoldFiles(output))
            return output;
    return {};
}

} // namespace

BatchDialog::BatchDialog(const BatchRequest &base, const QString &describe, QWidget *parent)
    : QDialog(parent), request_(base) {
    setWindowTitle(tr("Batch"));
    setAttribute(Qt::WA_DeleteOnClose);
    setAcceptDrops(true);
    resize(620, 560);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(16, 14, 16, 12);
    layout->setSpacing(8);
    what_ = new QLabel(this);
    what_->setWordWrap(true);
    what_->setTextFormat(Qt::PlainText);
    what_->setObjectName(QStringLiteral("batch.what"));
    setForegroundMuted(what_);
    layout->addWidget(what_);
    describeChain(describe);
    layout->addWidget(makeInputs(), 2);
    layout->addWidget(makeOutput());
    progress_ = new QProgressBar(this);
    progress_->setTextVisible(false);
    progress_->setFixedHeight(10);
    progress_->setAccessibleName(tr("Progress of the batch"));
    progress_->setObjectName(QStringLiteral("batch.progress"));
    state_ = new ElidedLabel(this);
    state_->setObjectName(QStringLiteral("batch.state"));
    note_ = new QLabel(this);
    note_->setWordWrap(true);
    note_->setTextFormat(Qt::PlainText);
    note_->setObjectName(QStringLiteral("batch.note"));
    note_->hide();
    layout->addWidget(progress_);
    layout->addWidget(state_);
    layout->addWidget(note_);
    layout->addWidget(makeFailures(), 1);
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    start_ = buttons->addButton(tr("&Start"), QDialogButtonBox::ActionRole);
    start_->setObjectName(QStringLiteral("batch.start"));
    start_->setDefault(true);
    buttons->button(QDialogButtonBox::Close)->setAutoDefault(false); // Enter starts
    layout->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::rejected, this, &BatchDialog::reject);
    connect(start_, &QPushButton::clicked, this, &BatchDialog::startOrCancel);
    connectRunner();
    updateQuality();
}

void BatchDialog::describeChain(const QString &chain) {
    what_->setText(tr("Runs the current chain over files and folders: %1").arg(chain));
}

void BatchDialog::setChain(const BatchRequest &base, const QString &describe) {
    ofOtherChain_ = ofOtherChain_ || !(request_.chain == base.chain);
    request_.chain = base.chain;
    request_.variant = base.variant;
    request_.device = base.device;
    describeChain(describe);
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
    inputs_->setItemDelegate(new RoomyRows(inputs_));
    auto *files = new QPushButton(tr("Add &files…"), box);
    auto *folder = new QPushButton(tr("Add f&older…"), box);
    auto *remove = new QPushButton(tr("&Remove"), box);
    for (QPushButton *button : {files, folder, remove})
        button->setAutoDefault(false); // Enter starts
    remove->setEnabled(false);
    recursive_ = new QCheckBox(tr("Folders &within folders too"), box);
    layout->addWidget(inputs_, 0, 0, 4, 1);
    layout->addWidget(files, 0, 1);
    layout->addWidget(folder, 1, 1);
    layout->addWidget(remove, 2, 1);
    layout->addWidget(recursive_, 4, 0, 1, 2);
    layout->setRowStretch(3, 1);
    connect(files, &QPushButton::clicked, this, &BatchDialog::addFiles);
    connect(folder, &QPushButton::clicked, this, &BatchDialog::addFolder);
    connect(inputs_, &QListWidget::itemSelectionChanged, remove,
            [this, remove] { remove->setEnabled(!inputs_->selectedItems().isEmpty()); });
    connect(remove, &QPushButton::clicked, this, [this] {
        qDeleteAll(inputs_->selectedItems());
        onInputs();
    });
    return box;
}

QLabel *BatchDialog::addRow(QGridLayout &grid, int index, const QString &text, QWidget *widget) {
    auto *label = new QLabel(text, grid.parentWidget());
    label->setBuddy(widget);
    widget->setAccessibleName(withoutMnemonic(text));
    grid.addWidget(label, index, 0);
    grid.addWidget(widget, index, 1);
    return label;
}

QWidget *BatchDialog::makeOutput() {
    const QSettings settings;
    unfinished_ = settings.value(unfinishedKey).toString();
    auto *box = new QWidget(this);
    auto *grid = new QGridLayout(box);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setColumnStretch(1, 1);
    folder_ = new QLineEdit(box);
    folder_->setObjectName(QStringLiteral("batch.folder"));
    name_ = new QLineEdit(settings.value(QStringLiteral("batch/names"), request_.nameTemplate).toString(), box);
    name_->setObjectName(QStringLiteral("batch.names"));
    name_->setToolTip(tr("What stands in braces is filled in: {stem} {filter} {ext} {parent} {folder} {index}"));
    name_->setAccessibleDescription(name_->toolTip());
    format_ = new QComboBox(box);
    format_->addItem(tr("as each input"), QString());
    for (const FormatInfo &format : imageFormats())
        if (format.canWrite)
            format_->addItem(QString::fromStdString(format.name).toUpper(), QString::fromStdString(format.name));
    format_->setCurrentIndex(std::max(0, format_->findData(settings.value(QStringLiteral("batch/format")).toString())));
    quality_ = new WholeField(box);
    quality_->setRange(1, 100);
    quality_->setValue(settings.value(QStringLiteral("batch/quality"), request_.quality).toInt());
    quality_->setToolTip(tr("For JPEG and WebP; 100 makes WebP lossless"));
    quality_->setObjectName(QStringLiteral("batch.quality"));
    addSwitches(*grid, 4);
    auto *browse = new QPushButton(tr("&Browse…"), box);
    browse->setAutoDefault(false);
    addRow(*grid, 0, tr("Output fol&der"), folder_);
    grid->addWidget(browse, 0, 2);
    addRow(*grid, 1, tr("&Names"), name_);
    addRow(*grid, 2, tr("For&mat"), format_);
    qualityLabel_ = addRow(*grid, 3, tr("&Quality"), quality_);
    connect(browse, &QPushButton::clicked, this, [this] {
        const QString chosen = QFileDialog::getExistingDirectory(this, tr("Output folder"), outputFolder());
        if (!chosen.isEmpty())
            folder_->setText(chosen);
    });
    connect(folder_, &QLineEdit::textChanged, this, &BatchDialog::onFolder);
    connect(format_, &QComboBox::currentIndexChanged, this, &BatchDialog::updateQuality);
    connect(quality_, &QSpinBox::valueChanged, this, &BatchDialog::updateButtons);
    connect(quality_->line(), &QLineEdit::textChanged, this, &BatchDialog::updateButtons); // while it is typed
    return box;
}

// What becomes of files that are there already.
void BatchDialog::addSwitches(QGridLayout &grid, int row) {
    const auto add = [&](const QString &text, const QString &help, const QString &name) {
        auto *box = new QCheckBox(text, grid.parentWidget());
        box->setToolTip(help);
        box->setAccessibleDescription(help);
        box->setObjectName(name);
        grid.addWidget(box, row++, 1);
        return box;
    };
    skip_ = add(tr("S&kip what an earlier run has made"),
                tr("Goes on where a run was stopped: what it made from the same picture in the same way stays"),
                QStringLiteral("batch.skip"));
    overwrite_ =
        add(tr("Re&place files that exist"), tr("Says which before it replaces any, and never one of the inputs"),
            QStringLiteral("batch.overwrite"));
}

QWidget *BatchDialog::makeFailures() {
    failuresBox_ = new QWidget(this);
    auto *layout = new QVBoxLayout(failuresBox_);
    layout->setContentsMargins(0, 0, 0, 0);
    auto *head = new QHBoxLayout;
    failuresTitle_ = new QLabel(failuresBox_);
    auto *copy = new QPushButton(tr("Cop&y the list"), failuresBox_);
    copy->setAutoDefault(false);
    copy->setObjectName(QStringLiteral("batch.copy"));
    failures_ = new QListWidget(failuresBox_);
    failures_->setAccessibleName(tr("Files that failed"));
    failures_->setObjectName(QStringLiteral("batch.failures"));
    failures_->setWordWrap(true);
    failures_->setItemDelegate(new RoomyRows(failures_));
    head->addWidget(failuresTitle_, 1);
    head->addWidget(copy);
    layout->addLayout(head);
    layout->addWidget(failures_);
    failuresBox_->hide();
    connect(copy, &QPushButton::clicked, this, &BatchDialog::copyFailures);
    return failuresBox_;
}

void BatchDialog::connectRunner() {
    connect(&runner_, &BatchRunner::planned, this, [this](int files) {
        planned_ = files;
        progress_->setRange(0, files);
        progress_->setValue(0);
    });
    connect(&runner_, &BatchRunner::fileFinished, this, &BatchDialog::onFile);
    connect(&runner_, &BatchRunner::fileSkipped, this, &BatchDialog::onSkipped);
    connect(&runner_, &BatchRunner::told, this, &BatchDialog::onTold);
    connect(&runner_, &BatchRunner::folderFailed, this, &BatchDialog::addFailure);
    connect(&runner_, &BatchRunner::failed, this, [this](const Message &message) { addFailure(fullTextOf(message)); });
    connect(&runner_, &BatchRunner::finished, this, &BatchDialog::onFinished);
    connect(&runner_, &BatchRunner::replacing, this, &BatchDialog::onReplacing);
}

void BatchDialog::setInputs(const QStringList &inputs) {
    inputs_->clear();
    addInputs(inputs);
}

void BatchDialog::addInputs(const QStringList &paths) {
    for (const QString &path : paths) {
        auto *item = new QListWidgetItem(shownName(path), inputs_);
        item->setData(Qt::UserRole, path);
    }
    onInputs();
}

void BatchDialog::addFiles() { addInputs(QFileDialog::getOpenFileNames(this, tr("Files for the batch"))); }

void BatchDialog::addFolder() {
    const QString folder = QFileDialog::getExistingDirectory(this, tr("Folder for the batch"));
    if (!folder.isEmpty())
        addInputs({folder});
}

void BatchDialog::onInputs() {
    if (folder_->text() == suggested_) { // else it is the user's own
        suggested_ = inputs_->count() ? outputBeside(inputs_->item(0)->data(Qt::UserRole).toString()) : QString();
        folder_->setText(suggested_);
    }
    updateButtons();
}

// A run that was stopped goes on, also in another dialog or after a crash.
void BatchDialog::onFolder() {
    if (!unfinished_.isEmpty() && unfinished_ == outputFolder())
        skip_->setChecked(true);
    updateButtons();
}

QString BatchDialog::outputFolder() const { return typedPath(folder_->text()); }

// Only where the format has a use for it; each input may have one that has.
void BatchDialog::updateQuality() {
    const FormatInfo *format = formatForExtension(format_->currentData().toString().toStdString());
    quality_->setEnabled(!format || usesQuality(*format));
    qualityLabel_->setEnabled(quality_->isEnabled());
    updateButtons();
}

QString BatchDialog::whatIsMissing() const {
    if (inputs_->count() == 0)
        return tr("Add the files or folders to filter, or drop them here.");
    if (outputFolder().isEmpty())
        return tr("Choose the folder that the results go to.");
    return {};
}

QString BatchDialog::whatIsWrong() const {
    const QString quality = quality_->isEnabled() ? quality_->obstacle() : QString();
    return quality.isEmpty() ? QString() : tr("%1.").arg(quality);
}

void BatchDialog::updateButtons() {
    const bool running = runner_.running();
    const QString missing = running ? QString() : whatIsMissing();
    const QString wrong = running || !missing.isEmpty() ? QString() : whatIsWrong(); // one after the other
    start_->setText(running ? tr("&Cancel") : tr("&Start"));
    start_->setEnabled(missing.isEmpty() && wrong.isEmpty());
    if (start_->isEnabled())
        start_->setDefault(true); // while it was disabled, another one may have become the default
    if (running)
        return;
    setForeground(state_, wrong.isEmpty() ? palette().color(QPalette::WindowText) : theme().error);
    state_->setText(!wrong.isEmpty() ? wrong
                    : sum_.isEmpty() ? missing
                    : ofOtherChain_  ? tr("With another chain: %1").arg(sum_)
                                     : sum_); // how it went stays
}

} // namespace tessera
