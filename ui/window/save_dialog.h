// Where and how to save: file, format, depth, quality, with a word on what would be lost.
#pragma once

#include "app/image/image_io.h"
#include "app/session/pipeline.h"

#include <QDialog>

#include <functional>

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QSlider;
class QSpinBox;

namespace tessera {

class SaveDialog : public QDialog {
    Q_OBJECT

public:
    // `formatFor`: the format the picture has for a chosen depth.
    SaveDialog(const QString &suggestedPath, std::function<PixelFormat(OutputDepth)> formatFor,
               QWidget *parent = nullptr);

    QString path() const;
    SaveOptions options() const;
    OutputDepth depth() const;

private:
    void connectFields();
    void browse();
    void takeFormatFromPath();
    void takePathFromFormat();
    void check(); // what stands in the way, and what would be lost
    const FormatInfo *format() const;

    std::function<PixelFormat(OutputDepth)> formatFor_;
    QLineEdit *path_;
    QComboBox *format_, *depth_;
    QSlider *qualitySlider_;
    QSpinBox *quality_;
    QLabel *qualityLabel_, *note_;
    QPushButton *save_;
};

} // namespace tessera
