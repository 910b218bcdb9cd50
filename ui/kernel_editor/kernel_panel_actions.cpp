// Buttons of the kernel panel: turning, presets, files.
#include "app/core/error.h"
#include "app/filters/kernel_file.h"
#include "app/image/image_io.h"
#include "app/session/kernel_edit.h"
#include "ui/kernel_editor/frequency_view.h"
#include "ui/kernel_editor/kernel_panel.h"

#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QGridLayout>
#include <QMenu>
#include <QToolButton>

namespace tessera {

QWidget *KernelPanel::makeButtons() {
    auto *box = new QWidget(controls_);
    auto *layout = new QGridLayout(box);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    const auto add = [&](int row, int column, QToolButton *button) {
        layout->addWidget(button, row, column);
        return button;
    };
    add(0, 0,
        makeButton(tr("Rotate"), tr("Turn by 90° clockwise"),
                   [this] { edit(rotated90(kernel_), tr("rotate kernel")); }))
        ->setObjectName(QStringLiteral("kernel.rotate"));
    add(0, 1, makeButton(tr("Flip"), tr("Turn by 180°: correlation becomes true convolution"), [this] {
            edit(kernel_.rotated180(), tr("flip kernel"));
        }));
    add(0, 2, makeButton(tr("Mirror"), tr("Change left and right"), [this] {
            edit(mirroredHorizontally(kernel_), tr("mirror kernel"));
        }));
    add(1, 0,
        makeButton(tr("Normalise"), tr("Divide by the sum of the taps, so that brightness stays"),
                   [this] {
                       if (kernel_.sum() == 0)
                           throw Error(ErrorKind::Usage,
                                       tr("the taps add up to 0, so that there is nothing to divide by").toStdString(),
                                       tr("an edge filter is meant to be like that").toStdString());
                       edit(kernel_.normalized(), tr("normalise kernel"));
                   }))
        ->setObjectName(QStringLiteral("kernel.normalise"));
    auto *presets = add(1, 1, makeButton(tr("Preset"), tr("Start from a known kernel"), {}));
    auto *presetMenu = new QMenu(presets);
    connect(presetMenu, &QMenu::aboutToShow, this, [this, presetMenu] { fillPresets(presetMenu); });
    presets->setMenu(presetMenu);
    presets->setPopupMode(QToolButton::InstantPopup);
    auto *file = add(1, 2, makeButton(tr("File"), tr("Import, export, copy"), {}));
    auto *fileMenu = new QMenu(file);
    fileMenu->addAction(tr("&Import…"), this, [this] { guarded([this] { importKernel(); }); });
    fileMenu->addAction(tr("&Export…"), this, [this] { guarded([this] { exportKernel(); }); });
    fileMenu->addSeparator();
    fileMenu->addAction(tr("Paste kernel"), this, [this] {
        guarded([this] {
            edit(parseKernel(QApplication::clipboard()->text().toStdString(), "clipboard"), tr("paste kernel"));
        });
    });
    const std::pair<QString, KernelNotation> notations[] = {
        {tr("Copy as rows"), KernelNotation::Plain},
        {tr("Copy as libvips matrix"), KernelNotation::Vips},
        {tr("Copy as ImageMagick kernel"), KernelNotation::ImageMagick},
        {tr("Copy as JSON"), KernelNotation::Json}};
    for (const auto &[label, notation] : notations)
        fileMenu->addAction(label, this, [this, notation = notation] {
            guarded([this, notation] {
                QApplication::clipboard()->setText(QString::fromStdString(formatKernel(kernel_, notation)));
            });
        });
    fileMenu->addSeparator();
    const std::pair<QString, CodeTarget> codes[] = {{tr("Copy as Python for OpenCV"), CodeTarget::OpenCv},
                                                    {tr("Copy as Python for SciPy"), CodeTarget::SciPy},
                                                    {tr("Copy as ImageMagick command"), CodeTarget::ImageMagick}};
    for (const auto &[label, code] : codes)
        fileMenu->addAction(label, this, [this, code = code] { emit codeWanted(code); });
    twoPasses_ = add(2, 0, makeButton(tr("Two passes"), {}, [this] { emit twoPassesWanted(); }));
    twoPasses_->setObjectName(QStringLiteral("kernel.twoPasses"));
    auto *frequency = add(2, 1, makeButton(tr("Frequency"), tr("What the kernel does to coarse and fine detail"), {}));
    frequency->setCheckable(true);
    frequency->setObjectName(QStringLiteral("kernel.frequency"));
    connect(frequency, &QToolButton::toggled, this, [this](bool on) { frequency_->setVisible(on && hasFilter_); });
    file->setMenu(fileMenu);
    file->setPopupMode(QToolButton::InstantPopup);
    return box;
}

// Every filter that comes down to one small kernel is a preset; nothing is listed twice.
void KernelPanel::fillPresets(QMenu *menu) {
    menu->clear();
    for (const FilterDescription &description : allFilters()) {
        if (description.name == "custom")
            continue;
        try {
            const FilterProgram program = buildFilter({description.name, {}, {}});
            const ConvolutionKernel &kernel = program.kernels.front();
            if (program.kernels.size() != 1 || kernel.width > 15)
                continue;
            menu->addAction(QStringLiteral("%1  (%2 × %3)")
                                .arg(QString::fromStdString(description.title))
                                .arg(kernel.width)
                                .arg(kernel.height),
                            this, [this, kernel] { edit(kernel, tr("kernel preset")); });
        } catch (const Error &) {
            continue; // a filter that needs parameters to make sense is no preset
        }
    }
}

void KernelPanel::importKernel() {
    const QString path = QFileDialog::getOpenFileName(this, tr("Import kernel"), {},
                                                      tr("Kernels (*.txt *.csv *.mat *.json);;All files (*)"));
    if (!path.isEmpty())
        edit(loadKernelFile(path.toStdString()), tr("import kernel"));
}

void KernelPanel::exportKernel() {
    const QString json = tr("Tessera preset (*.json)"), plain = tr("Rows of numbers (*.txt)"),
                  vips = tr("libvips matrix (*.mat)"), magick = tr("ImageMagick kernel (*.kernel)");
    QString chosen = json;
    const QString path =
        QFileDialog::getSaveFileName(this, tr("Export kernel"), QStringLiteral("kernel.json"),
                                     QStringList{json, plain, vips, magick}.join(QStringLiteral(";;")), &chosen);
    if (path.isEmpty())
        return;
    const KernelNotation notation = chosen == plain    ? KernelNotation::Plain
                                    : chosen == vips   ? KernelNotation::Vips
                                    : chosen == magick ? KernelNotation::ImageMagick
                                                       : KernelNotation::Json;
    const std::string text = formatKernel(kernel_, notation);
    // The dialog has asked before replacing a file.
    writeFileAtomically(path.toStdString(), std::as_bytes(std::span(text.data(), text.size())), true);
}

} // namespace tessera
