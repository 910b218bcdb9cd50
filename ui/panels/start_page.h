// What the window shows while no picture is open: how to get one.
#pragma once

#include <QImage>
#include <QStringList>
#include <QWidget>

#include <utility>
#include <vector>

class QGridLayout;
class QLabel;
class QScrollArea;
class QToolButton;
class QVBoxLayout;

namespace tessera {

class StartPage : public QWidget {
    Q_OBJECT

public:
    explicit StartPage(QWidget *parent = nullptr);

    void setRecent(const QStringList &paths);
    void setSamples(const QStringList &paths);
    void setThumbnail(const QString &path, const QImage &picture); // of a sample
    void setDropHighlight(bool on);
    QSize minimumSizeHint() const override { return {320, 240}; }

signals:
    void openWanted();
    void fileWanted(const QString &path);

protected:
    void resizeEvent(QResizeEvent *event) override;
    void paintEvent(QPaintEvent *event) override;

private:
    QLabel *makeHead(const QString &text);

    void layOut();

    QScrollArea *scroll_; // what has no room is reached so, by the keys too
    QWidget *page_, *samplesBox_, *recentBox_;
    QGridLayout *samples_;
    QVBoxLayout *recent_;
    std::vector<std::pair<QString, QToolButton *>> tiles_; // of the samples, by path
    bool highlight_ = false;
};

} // namespace tessera
