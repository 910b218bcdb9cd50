// Where the result is taken hold of, to be dragged into another program. The file is made while the mouse is held; the
// keyboard's way is to copy.
#pragma once

#include <QToolButton>

class QMimeData;

namespace tessera {

class DragHandle : public QToolButton {
    Q_OBJECT

public:
    explicit DragHandle(QWidget *parent = nullptr);

    // The file that was wanted is there: the drag begins, unless the mouse was let go meanwhile.
    void setFile(const QString &path);
    bool held() const { return held_; }
    static QMimeData *dataFor(const QString &path);

signals:
    void fileWanted();

protected:
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;

private:
    void begin();

    QPoint start_;
    QString file_; // empty: not there yet
    bool held_ = false, moved_ = false;
};

} // namespace tessera
