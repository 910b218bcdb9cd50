// The desktop program, as the command line loads it.
#include "app/commands/window_hook.h"
#include "ui/window/main_window.h"

#include <QApplication>
#include <QSettings>

int tessera::runWindow(int argc, char **argv) {
    QCoreApplication::setOrganizationName(QStringLiteral("Tessera"));
    QCoreApplication::setApplicationName(QStringLiteral("Tessera"));
    QCoreApplication::setApplicationVersion(QStringLiteral(TESSERA_VERSION));
    QGuiApplication::setDesktopFileName(QStringLiteral("tessera"));
    QSettings::setDefaultFormat(QSettings::IniFormat);
    QApplication application(argc, argv);
    tessera::applyTheme(tessera::ThemeChoice::System);
    tessera::MainWindow window;
    window.show();
    window.startAutosave();
    QStringList pictures = QCoreApplication::arguments().mid(1); // Qt has taken its own options out
    pictures.removeOne(QStringLiteral("--"));
    if (!pictures.isEmpty())
        window.open(pictures);
    return QApplication::exec();
}
