#include "ui/window/run_window.h"

#include "ui/window/main_window.h"

#include <QApplication>
#include <QSettings>

namespace tessera {

int runWindow(int argc, char **argv) {
    QCoreApplication::setOrganizationName(QStringLiteral("Tessera"));
    QCoreApplication::setApplicationName(QStringLiteral("Tessera"));
    QCoreApplication::setApplicationVersion(QStringLiteral(TESSERA_VERSION));
    QSettings::setDefaultFormat(QSettings::IniFormat);
    QApplication application(argc, argv);
    applyTheme(ThemeChoice::System);
    MainWindow window;
    window.show();
    QStringList pictures = QCoreApplication::arguments().mid(1);
    pictures.removeAll(QStringLiteral("--"));
    if (!pictures.isEmpty())
        window.open(pictures);
    return QApplication::exec();
}

} // namespace tessera
