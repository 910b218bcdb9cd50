// Buttons of the kernel panel: turning, presets, files.
#include "app/core/error.h"
#include "app/image/image_io.h"
#include "ui/bridge/file_name.h"
#include "ui/kernel_editor/kernel_panel.h"

#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QFileInfo>
#include <QGridLayout>
#include <QMenu>
#include <QToolButton>

#include <tuple>

namespace tessera {

QWidget *KernelPanel::makeButtons() {
    auto *box = new QWidget(controls_);
    auto *layout = new QGridLayout(box);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    int place = 0;
    const auto add = [&](QToolButton *button, const char *name) {
        button->setObjectName(QLatin1String(name));
        layout->addWidget(button, place / 3, place % 3);
        ++place;
        return button;
    };
    const auto turn = [this](ConvolutionKernel (*change)(const ConvolutionKernel &), const QString &text) {
        return [this, change, text] { edit(change(kernel_), text); };
    };
    add(makeButton(tr("Rotate"), tr("Turn by 90° clockwise"), turn(rotated90, tr("rotate kernel"))), "kernel.rotate");
    add(makeButton(tr("Flip"), tr("Turn by 180°: correlation becomes true convolution"),
                   [this] { edit(kernel_.rotated180(), tr("flip kernel")); }),
        "kernel.flip");
    add(makeButton(tr("Normalise"), tr("Divide by the sum of the taps, so that brightness stays"),
                   [this] {
                       if (kernel_.sum() == 0)
                           throw Error(ErrorKind::Usage,
                                       tr("the taps add up to 0, so that there is nothing to divide by").toStdString(),
                                       tr("an edge filter is meant to be like that").toStdString());
                       edit(kernel_.normalized(), tr("normalise kernel"));
                   }),
        "kernel.normalise");
    add(makeButton(tr("Mirror ↔"), tr("Change left and right"), turn(mirroredHorizontally, tr("mirror kernel"))),
        "kernel.mirror");
    add(makeButton(tr("Mirror ↕"), tr("Change top and bottom"), turn(mirroredVertically, tr("mirror kernel"))),
        "kernel.mirrorDown");
    QToolButton *scale = add(makeButton(tr("Scale"), tr("Multiply every tap"), {}), "kernel.scaleMenu");
    scale->setMenu(makeScaleMenu(scale));
    QToolButton *presets = add(makeButton(tr("Preset"), tr("Start from a known kernel"), {}), "kernel.presets");
    auto *presetMenu = new QMenu(presets);
    connect(presetMenu, &QMenu::aboutToShow, this, [this, presetMenu] { fillPresets(presetMenu); });
    presets->setMenu(presetMenu);
    QToolButton *file = add(makeButton(tr("File"), tr("Import, export, copy"), {}), "kernel.file");
    file->setMenu(makeFileMenu(file));
    for (QToolButton *button : {scale, presets, file})
        button->setPopupMode(QToolButton::InstantPopup);
    responses_ =
        makeButton(tr("Response"), tr("What the kernel makes of a single pixel, and of coarse and fine detail"), {});
    responses_->setCheckable(true);
    if (form_ == Form::Card)
        add(responses_, "kernel.frequency");
    else
        responses_->hide(); // a window always shows them
    connect(responses_, &QToolButton::toggled, this, [this](bool on) { showResponses(on && filter_); });
    return box;
}

QMenu *KernelPanel::makeScaleMenu(QToolButton *button) {
    auto *menu = new QMenu(button);
    for (const auto &[label, factor] : {std::pair{tr("× 2"), 2.0},
                                        {tr("÷ 2"), 0.5},
                                        {tr("× 10"), 10.0},
                                        {tr("÷ 10"), 0.1},
                                        {tr("Change signs"), -1.0}})
        menu->addAction(label, this, [this, factor = factor] {
            edit(scaled(kernel_, factor), tr("scale kernel by %1").arg(factor));
        });
    return menu;
}

QMenu *KernelPanel::makeFileMenu(QToolButton *button) {
    auto *menu = new QMenu(button);
    menu->addAction(tr("&Import…"), this, [this] { guarded([this] { importDialog(); }); });
    menu->addAction(tr("&Export…"), this, [this] { guarded([this] { exportDialog(); }); });
    menu->addSeparator();
    menu->addAction(tr("Paste kernel"), this, [this] {
        guarded([this] {
            replace(parseKernel(QApplication::clipboard()->text().toStdString(), "clipboard"), tr("paste kernel"));
        });
    });
    const std::pair<QString, KernelNotation> notations[] = {
        {tr("Copy as rows"), KernelNotation::Plain},
        {tr("Copy as libvips matrix"), KernelNotation::Vips},
        {tr("Copy as ImageMagick kernel"), KernelNotation::ImageMagick},
        {tr("Copy as JSON"), KernelNotation::Json}};
    for (const auto &[label, notation] : notations)
        menu->addAction(label, this, [this, notation = notation] {
            guarded([this, notation] {
                QApplication::clipboard()->setText(QString::fromStdString(formatKernel(kernel_, notation)));
                emit copied(tr("The kernel is on the clipboard"));
            });
        });
    menu->addSeparator();
    const std::pair<QString, CodeTarget> codes[] = {{tr("Copy as Python for OpenCV"), CodeTarget::OpenCv},
                                                    {tr("Copy as Python for SciPy"), CodeTarget::SciPy},
                                                    {tr("Copy as ImageMagick command"), CodeTarget::ImageMagick}};
    for (const auto &[label, code] : codes)
        menu->addAction(label, this, [this, code = code] { emit codeWanted(code); });
    return menu;
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
                            this, [this, kernel, title = QString::fromStdString(description.title)] {
                                replace(kernel, tr("kernel preset %1").arg(title));
                            });
        } catch (const Error &) {
            continue; // a filter that needs parameters to make sense is no preset
        }
    }
}

void KernelPanel::importDialog() {
    const QString path = QFileDialog::getOpenFileName(this, tr("Import kernel"), {},
                                                      tr("Kernels (*.txt *.csv *.mat *.kernel *.json);;All files (*)"));
    if (!path.isEmpty())
        importKernel(path);
}

void KernelPanel::importKernel(const QString &path) {
    guarded([&] { replace(loadKernelFile(pathFrom(path)), tr("import kernel %1").arg(shownFileName(path))); });
}

void KernelPanel::exportDialog() {
    const std::tuple<QString, QString, KernelNotation> kinds[] = {
        {tr("Tessera preset (*.json)"), QStringLiteral(".json"), KernelNotation::Json},
        {tr("Rows of numbers (*.txt)"), QStringLiteral(".txt"), KernelNotation::Plain},
        {tr("libvips matrix (*.mat)"), QStringLiteral(".mat"), KernelNotation::Vips},
        {tr("ImageMagick kernel (*.kernel)"), QStringLiteral(".kernel"), KernelNotation::ImageMagick}};
    QStringList filters;
    for (const auto &[filter, ending, notation] : kinds)
        filters << filter;
    QString chosen = filters.front();
    for (const auto &[filter, ending, notation] : kinds)
        if (lastExport_.endsWith(ending))
            chosen = filter;
    QString path = QFileDialog::getSaveFileName(this, tr("Export kernel"), lastExport_,
                                                filters.join(QStringLiteral(";;")), &chosen);
    if (path.isEmpty())
        return;
    for (const auto &[filter, ending, notation] : kinds)
        if (filter == chosen) {
            if (QFileInfo(path).suffix().isEmpty())
                path += ending;
            lastExport_ = path;
            return exportKernel(path, notation); // the dialog has asked before replacing a file
        }
}

void KernelPanel::exportKernel(const QString &path, KernelNotation notation) {
    guarded([&] {
        const std::string text = formatKernel(kernel_, notation);
        writeFileAtomically(pathFrom(path), std::as_bytes(std::span(text.data(), text.size())), true);
    });
}

} // namespace tessera
