// Draws what lies outside the picture for a border: "cba|abcd|dcb" as cells, the picture's own brighter.
#pragma once

#include "gpu/image/border.h"

#include <QWidget>

namespace tessera {

class BorderDiagram : public QWidget {
    Q_OBJECT

public:
    explicit BorderDiagram(QWidget *parent = nullptr);
    void setMode(BorderMode mode);
    QSize sizeHint() const override { return {150, 16}; }

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    BorderMode mode_ = BorderMode::Replicate;
};

} // namespace tessera
