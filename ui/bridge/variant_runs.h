// What single variants make of the picture, for panes that show one: each its visible part first, then the whole, one
// variant after another, and only once the picture itself is filtered.
#pragma once

#include "ui/bridge/filter_runner.h"

#include <QObject>
#include <QStringList>

#include <set>

namespace tessera {

// A variant is named "variant@device", as in "tiled@sim".
QString variantKey(const std::string &variant, const std::string &device);

class VariantRuns : public QObject {
    Q_OBJECT

public:
    explicit VariantRuns(QObject *parent = nullptr);

    // The variants that are shown somewhere. New ones are run as soon as they may; of others all is dropped.
    void want(const QStringList &keys);
    const QStringList &wanted() const { return wanted_; }
    // Another picture or chain: what was made is outdated. Nothing runs until start().
    void stop();
    // Makes what is wanted of this; `request` names neither variant nor device.
    void start(FilterRequest request);
    void cancel() { runner_.cancel(); } // what runs; the others follow with the next start()
    void look(const Rectangle &visible, double zoom);
    bool running() const { return runner_.running(); }
    double progress() const { return runner_.progress(); }
    qint64 elapsedMs() const { return runner_.elapsedMs(); }
    const QString &current() const { return current_; }

signals:
    void previewReady(const QString &key, const tessera::FilterPreview &preview);
    void resultReady(const QString &key, std::shared_ptr<tessera::FilterResult> result);
    void failed(const QString &key, const tessera::Message &message);
    void outdated(); // whatever was sent so far is of an older chain
    void changed();  // another one runs, or none any more

private:
    void next();

    QStringList wanted_;
    std::set<QString> made_; // of this request, failures included
    std::optional<FilterRequest> request_;
    QString current_;
    FilterRunner runner_;
};

} // namespace tessera
