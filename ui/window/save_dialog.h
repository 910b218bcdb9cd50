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

// What is saved, as far as something of it could be lost.
struct SaveSubject {
    std::function<PixelFormat(OutputDepth)> formatFor; // the format the picture has for a chosen depth
    bool metadata = false;                             // it has EXIF or a colour profile
    bool beyondRange = false;                          // it has values that integers cannot hold
    QString openedFrom;                                // empty: it came from no file
    QStringList filesOfOthers;                         // what other open pictures have in files
};

class SaveDialog : public QDialog {
    Q_OBJECT

public:
    SaveDialog(const QString &suggestedPath, SaveSubject subject, QWidget *parent = nullptr);

    QString path() const;
    SaveOptions options() const;
    OutputDepth depth() const;

private:
    void connectFields();
    void browse();
    void takeFormatFromPath();
    void takePathFromFormat();
    void check();                                     // what stands in the way, and what would be lost
    QString obstacle(const FormatInfo *format) const; // empty: none
    bool aDepthHelps(const FormatInfo &format) const;
    QString openPictureLost() const; // a picture that is open and whose file would be replaced; empty: none
    QStringList losses(const FormatInfo &format) const; // of what is saved; not of what lies there
    const FormatInfo *format() const;

    SaveSubject subject_;
    QLineEdit *path_;
    QComboBox *format_, *depth_;
    QSlider *qualitySlider_;
    QSpinBox *quality_;
    QLabel *qualityLabel_, *note_;
    QPushButton *save_;
};

} // namespace tessera
