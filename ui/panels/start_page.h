// What the window shows while no picture is open: how to get one.
#pragma once

#include <QStringList>
#include <QWidget>

class QVBoxLayout;

namespace tessera {

class StartPage : public QWidget {
    Q_OBJECT

public:
    explicit StartPage(QWidget *parent = nullptr);

    void setRecent(const QStringList &paths);
    void setSamples(const QStringList &paths);
    void setDropHighlight(bool on);

signals:
    void openWanted();
    void fileWanted(const QString &path);

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    void fill(QVBoxLayout *list, const QString &title, const QStringList &paths);

    QVBoxLayout *samples_;
    QVBoxLayout *recent_;
    bool highlight_ = false;
};

} // namespace tessera
