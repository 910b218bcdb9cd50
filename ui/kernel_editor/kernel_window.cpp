#include "ui/kernel_editor/kernel_window.h"

#include "ui/kernel_editor/kernel_panel.h"
#include "ui/panels/message_bar.h"

#include <QShortcut>
#include <QVBoxLayout>

namespace tessera {

KernelWindow::KernelWindow(QWidget *parent)
    : QDialog(parent), panel_(new KernelPanel(this, KernelPanel::Form::Window)), messages_(new MessageBar(this)) {
    setWindowTitle(tr("Kernel editor"));
    resize(1120, 800);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(10, 10, 10, 10);
    layout->addWidget(panel_, 1);
    layout->addWidget(messages_); // below, in a place of its own: the grid must not move under the mouse
    messages_->reservePlace();
    connect(panel_, &KernelPanel::problem, messages_,
            [messages = messages_](const QString &what, const QString &remedy) {
                messages->clear(); // each is about what was just tried
                messages->show({Message::Kind::Warning, what, remedy});
            });
    connect(panel_, &KernelPanel::kernelEdited, messages_, &MessageBar::clear);
    connect(panel_, &KernelPanel::copied, messages_, [messages = messages_](const QString &what) {
        messages->show({Message::Kind::Information, what, {}});
    });
    // The main window's own keys do not reach a dialog.
    connect(new QShortcut(QKeySequence::Undo, this), &QShortcut::activated, this, &KernelWindow::undoWanted);
    for (const char *keys : {"Ctrl+Shift+Z", "Ctrl+Y"})
        connect(new QShortcut(QKeySequence(QLatin1String(keys)), this), &QShortcut::activated, this,
                &KernelWindow::redoWanted);
}

void KernelWindow::settle() { messages_->clear(); }

} // namespace tessera
