// Where and how to save: file, format, depth, quality, with a word on what would be lost.
#pragma once

#include "app/image/format_limits.h"
#include "app/image/image_io.h"
#include "app/session/pipeline.h"

#include <QDialog>

#include <functional>
#include <optional>

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QSlider;

namespace tessera {

class WholeField;

// What is saved, as far as something of it could be lost.
struct SaveSubject {
    std::function<PixelFormat(OutputDepth)> formatFor; // the format the picture has for a chosen depth
    bool metadata = false;                             // it has EXIF or a colour profile
    // Of a float picture; nullopt: it is not known yet. None: every format holds all its values.
    std::function<std::optional<FloatValues>()> unheld;
    bool linearLight = false; // it is shown so, through the sRGB curve
    // Asked whenever it matters, as pictures are opened and saved while the dialog is there.
    std::function<QString()> openedFrom = {};        // empty: it came from no file
    std::function<QStringList()> filesOfOthers = {}; // what other open pictures have in files
    int width = 0, height = 0;
};

class SaveDialog : public QDialog {
    Q_OBJECT

public:
    SaveDialog(const QString &suggestedPath, SaveSubject subject, QWidget *parent = nullptr);

    QString path() const;
    SaveOptions options() const;
    OutputDepth depth() const;
    void setDepth(OutputDepth depth);
    void check(); // what stands in the way, and what would be lost

private:
    void connectFields();
    void browse();
    void acceptIfSaid();
    void takeFormatFromPath();
    void takePathFromFormat();
    QString obstacle(const FormatInfo *format) const; // empty: none
    bool aDepthHelps(const FormatInfo &format) const;
    QString badPlace(const FormatInfo *format) const; // of folder and name; empty: none
    // save_dialog_losses.cpp: what a format cannot hold, and what is lost
    std::optional<FloatValues> values() const; // of what is saved; nullopt: not known yet
    QString valueObstacle(const FormatInfo &format) const;
    QStringList formatsThatHold(PixelFormat picture, const FloatValues &values) const;
    QString openPictureLost() const; // a picture that is open and whose file would be replaced; empty: none
    QStringList losses(const FormatInfo &format) const; // of what is saved; not of what lies there
    QStringList unheldValues(Depth saved) const;
    QString otherCurve(const FormatInfo &format, Depth saved) const; // how it will look; empty: as it does here
    const FormatInfo *format() const;

    SaveSubject subject_;
    bool replaces_ = false; // the dialog has said that the file exists
    QString openLost_;      // and whose it is
    QString cameMeanwhile_; // what was not there when the dialog looked first; empty: nothing
    QLineEdit *path_;
    QComboBox *format_, *depth_;
    QSlider *qualitySlider_;
    WholeField *quality_;
    QLabel *qualityLabel_, *note_;
    QPushButton *save_;
};

} // namespace tessera
