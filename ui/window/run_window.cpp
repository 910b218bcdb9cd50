// The desktop program, as the command line loads it.
#include "app/commands/window_hook.h"
#include "ui/bridge/file_name.h"
#include "ui/window/main_window.h"

#include <QApplication>
#include <QIcon>
#include <QSettings>

int tessera::runWindow(int argc, char **argv) {
    QCoreApplication::setOrganizationName(QStringLiteral("Tessera"));
    QCoreApplication::setApplicationName(QStringLiteral("Tessera"));
    QCoreApplication::setApplicationVersion(QStringLiteral(TESSERA_VERSION));
    QGuiApplication::setDesktopFileName(QStringLiteral("tessera"));
    QSettings::setDefaultFormat(QSettings::IniFormat);
    QApplication application(argc, argv);
    QIcon icon;
    for (const int size : {16, 24, 32, 48, 64, 128, 256})
        icon.addFile(QStringLiteral(":/icons/tessera-%1.png").arg(size));
    QApplication::setWindowIcon(icon);
    tessera::applyTheme(tessera::ThemeChoice::System);
    tessera::MainWindow window;
    window.show();
    window.startAutosave();
    QStringList pictures;
    for (int i = 1; i < argc; ++i) // Qt has taken its own options out, and its arguments() lose what is no UTF-8
        pictures << tessera::textFrom(argv[i]);
    pictures.removeOne(QStringLiteral("--"));
    if (!pictures.isEmpty())
        window.open(pictures);
    return QApplication::exec();
}
