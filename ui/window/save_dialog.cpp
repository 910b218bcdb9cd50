#include "ui/window/save_dialog.h"

#include "ui/bridge/file_name.h"
#include "ui/panels/controls.h"
#include "ui/window/theme.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSettings>
#include <QSlider>
#include <QSpinBox>

namespace tessera {

SaveDialog::SaveDialog(const QString &suggestedPath, SaveSubject subject, QWidget *parent)
    : QDialog(parent), subject_(std::move(subject)), path_(new QLineEdit(suggestedPath, this)),
      format_(new QComboBox(this)), depth_(new QComboBox(this)), qualitySlider_(new QSlider(Qt::Horizontal, this)),
      quality_(new WholeField(this)), qualityLabel_(new QLabel(tr("&Quality"), this)), note_(new QLabel(this)) {
    setWindowTitle(tr("Save as"));
    setMinimumWidth(480);
    auto *grid = new QGridLayout(this);
    grid->setContentsMargins(16, 16, 16, 12);
    grid->setHorizontalSpacing(10);
    grid->setVerticalSpacing(8);
    grid->setColumnStretch(1, 1);
    const auto label = [this](const QString &text, QWidget *buddy) {
        auto *made = new QLabel(text, this);
        made->setBuddy(buddy);
        buddy->setAccessibleName(QString(text).remove(QLatin1Char('&')));
        return made;
    };
    auto *browse = new QPushButton(tr("&Browse…"), this);
    browse->setAutoDefault(false);
    browse->setObjectName(QStringLiteral("save.browse"));
    path_->setObjectName(QStringLiteral("save.path"));
    grid->addWidget(label(tr("&File"), path_), 0, 0);
    grid->addWidget(path_, 0, 1);
    grid->addWidget(browse, 0, 2);
    for (const FormatInfo &info : imageFormats())
        if (info.canWrite && !info.extensions.empty())
            format_->addItem(
                QStringLiteral("%1  (.%2)")
                    .arg(QString::fromStdString(upperCaseName(info)), QString::fromStdString(info.extensions.front())),
                QString::fromStdString(info.name));
    format_->setObjectName(QStringLiteral("save.format"));
    grid->addWidget(label(tr("F&ormat"), format_), 1, 0);
    grid->addWidget(format_, 1, 1, 1, 2);
    depth_->addItems({tr("as the result"), tr("8 bit"), tr("16 bit"), tr("32-bit float")});
    depth_->setObjectName(QStringLiteral("save.depth"));
    grid->addWidget(label(tr("&Depth"), depth_), 2, 0);
    grid->addWidget(depth_, 2, 1, 1, 2);
    qualitySlider_->setRange(1, 100);
    quality_->setRange(1, 100);
    quality_->setObjectName(QStringLiteral("save.quality"));
    qualityLabel_->setBuddy(quality_);
    quality_->setAccessibleName(tr("Quality"));
    qualitySlider_->setAccessibleName(tr("Quality, slider"));
    grid->addWidget(qualityLabel_, 3, 0);
    grid->addWidget(qualitySlider_, 3, 1);
    grid->addWidget(quality_, 3, 2);
    note_->setWordWrap(true);
    note_->setTextFormat(Qt::PlainText);
    note_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    note_->setObjectName(QStringLiteral("save.note"));
    grid->addWidget(note_, 4, 0, 1, 3);
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Save | QDialogButtonBox::Cancel, this);
    save_ = buttons->button(QDialogButtonBox::Save);
    save_->setObjectName(QStringLiteral("save.accept"));
    grid->addWidget(buttons, 5, 0, 1, 3);
    connect(browse, &QPushButton::clicked, this, &SaveDialog::browse);
    connect(buttons, &QDialogButtonBox::accepted, this, &SaveDialog::acceptIfSaid);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connectFields();
    quality_->setValue(QSettings().value(QStringLiteral("save/quality"), SaveOptions{}.quality).toInt());
    takeFormatFromPath();
    const qsizetype dot = suggestedPath.lastIndexOf(QLatin1Char('.')),
                    slash = suggestedPath.lastIndexOf(QLatin1Char('/'));
    path_->setSelection(int(slash + 1), int((dot > slash ? dot : suggestedPath.size()) - slash - 1));
}

void SaveDialog::connectFields() {
    connect(path_, &QLineEdit::textChanged, this, &SaveDialog::takeFormatFromPath);
    connect(format_, &QComboBox::activated, this, &SaveDialog::takePathFromFormat);
    connect(depth_, &QComboBox::currentIndexChanged, this, &SaveDialog::check);
    connect(qualitySlider_, &QSlider::valueChanged, quality_, &QSpinBox::setValue);
    connect(quality_, &QSpinBox::valueChanged, qualitySlider_, &QSlider::setValue);
    connect(quality_, &QSpinBox::valueChanged, this, &SaveDialog::check);
    connect(quality_->line(), &QLineEdit::textChanged, this, &SaveDialog::check); // while it is typed
}

const FormatInfo *SaveDialog::format() const {
    for (const FormatInfo &info : imageFormats())
        if (QString::fromStdString(info.name) == format_->currentData().toString())
            return &info;
    return nullptr;
}

QString SaveDialog::path() const { return QFileInfo(typedPath(path_->text())).absoluteFilePath(); }

OutputDepth SaveDialog::depth() const { return OutputDepth(depth_->currentIndex()); }

void SaveDialog::setDepth(OutputDepth depth) { depth_->setCurrentIndex(int(depth)); }

SaveOptions SaveDialog::options() const {
    SaveOptions options;
    options.format = format_->currentData().toString().toStdString();
    quality_->interpretText(); // a key may press the button while the number is still being typed
    options.quality = quality_->value();
    options.overwrite = replaces_; // what comes there after the button was pressed, nobody has agreed to
    return options;
}

// A file that has come since the dialog looked is told first, and so is a picture that was opened from it.
void SaveDialog::acceptIfSaid() {
    const bool newFile = QFileInfo::exists(path()) && !replaces_, newOwner = openPictureLost() != openLost_;
    if (newFile || newOwner) {
        if (newFile)
            cameMeanwhile_ = path();
        return check();
    }
    QSettings().setValue(QStringLiteral("save/quality"), options().quality);
    accept();
}

// Not by a call that waits: this dialog may go meanwhile, with its picture.
void SaveDialog::browse() {
    auto *browser = new QFileDialog(this, tr("Save as"));
    browser->setAttribute(Qt::WA_DeleteOnClose);
    browser->setAcceptMode(QFileDialog::AcceptSave);
    browser->setOption(QFileDialog::DontConfirmOverwrite);
    browser->selectFile(path());
    connect(browser, &QFileDialog::fileSelected, path_, &QLineEdit::setText);
    browser->open();
}

void SaveDialog::takeFormatFromPath() {
    const FormatInfo *info = formatForExtension(QFileInfo(path_->text().trimmed()).suffix().toLower().toStdString());
    if (info && info->canWrite)
        format_->setCurrentIndex(std::max(0, format_->findData(QString::fromStdString(info->name))));
    check();
}

void SaveDialog::takePathFromFormat() {
    const FormatInfo *info = format();
    const QFileInfo file(path_->text().trimmed());
    if (info && formatForExtension(file.suffix().toLower().toStdString()) != info)
        path_->setText(
            file.path() == QLatin1String(".") && !path_->text().startsWith(QLatin1Char('.'))
                ? QStringLiteral("%1.%2").arg(file.completeBaseName(), QString::fromStdString(info->extensions.front()))
                : QStringLiteral("%1/%2.%3")
                      .arg(file.path(), file.completeBaseName(), QString::fromStdString(info->extensions.front())));
    check();
}

bool SaveDialog::aDepthHelps(const FormatInfo &info) const {
    for (int i = 0; i < depth_->count(); ++i)
        if (cannotHold(info, subject_.formatFor(OutputDepth(i))).empty())
            return true;
    return false;
}

QString SaveDialog::badPlace(const FormatInfo *info) const {
    const QString typed = typedPath(path_->text());
    const QFileInfo file(typed);
    if (typed.isEmpty() || file.fileName().isEmpty())
        return tr("Type a file name.");
    if (file.isDir())
        return tr("That is a folder. Add a file name.");
    if (!file.absoluteDir().exists())
        return tr("The folder %1 does not exist.").arg(shownName(file.absolutePath()));
    if (!QFileInfo(file.absolutePath()).isWritable())
        return tr("The folder %1 cannot be written to.").arg(shownName(file.absolutePath()));
    if (info && formatForExtension(file.suffix().toLower().toStdString()) != info)
        return tr("The name does not end as a file of this format should: .%1")
            .arg(QString::fromStdString(info->extensions.front()));
    return {};
}

QString SaveDialog::obstacle(const FormatInfo *info) const {
    if (const QString bad = badPlace(info); !bad.isEmpty() || !info)
        return bad;
    const PixelFormat saved = subject_.formatFor(depth());
    if (const std::string reason = cannotHold(*info, saved); !reason.empty())
        return (aDepthHelps(*info) ? tr("%1. Choose another depth or format.") : tr("%1. Choose another format."))
            .arg(QString::fromStdString(reason));
    if (const std::string reason = cannotHoldSize(*info, saved, subject_.width, subject_.height); !reason.empty())
        return tr("%1. Choose another format, such as PNG or TIFF.").arg(QString::fromStdString(reason));
    if (const QString values = valueObstacle(*info); !values.isEmpty())
        return values;
    if (const QString quality = usesQuality(*info) ? quality_->obstacle() : QString(); !quality.isEmpty())
        return tr("%1.").arg(quality);
    return {};
}

void SaveDialog::check() {
    const FormatInfo *info = format();
    for (QWidget *widget : {static_cast<QWidget *>(qualityLabel_), static_cast<QWidget *>(qualitySlider_),
                            static_cast<QWidget *>(quality_)})
        widget->setVisible(info && usesQuality(*info));
    const QString refused = obstacle(info);
    const QFileInfo file(path());
    replaces_ = refused.isEmpty() && file.exists();
    openLost_ = openPictureLost();
    if (cameMeanwhile_ != path())
        cameMeanwhile_.clear();
    const QString open = refused.isEmpty() ? openLost_ : QString();
    QStringList lost = refused.isEmpty() && info ? losses(*info) : QStringList();
    if (!open.isEmpty())
        lost.prepend(open);
    else if (replaces_ && info)
        lost << (cameMeanwhile_.isEmpty() ? tr("%1 exists and will be replaced.")
                                          : tr("%1 has come meanwhile, and would be replaced."))
                    .arg(shownName(file.fileName()));
    note_->setText(refused.isEmpty() ? lost.join(QLatin1Char('\n')) : refused);
    const QMargins around = layout()->contentsMargins(); // where there is much to say, the dialog grows
    note_->setMinimumHeight(std::max(note_->fontMetrics().lineSpacing() * 3,
                                     note_->heightForWidth(minimumWidth() - around.left() - around.right())));
    const bool warns = !open.isEmpty() || !cameMeanwhile_.isEmpty();
    setForeground(note_, !refused.isEmpty() ? theme().error : warns ? theme().warning : theme().muted);
    save_->setEnabled(refused.isEmpty());
    save_->setText(replaces_ ? tr("&Replace") : tr("&Save"));
}

} // namespace tessera
