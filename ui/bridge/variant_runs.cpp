#include "ui/bridge/variant_runs.h"

namespace tessera {

QString variantKey(const std::string &variant, const std::string &device) {
    return QString::fromStdString(variant + "@" + device);
}

VariantRuns::VariantRuns(QObject *parent) : QObject(parent) {
    connect(&runner_, &FilterRunner::previewReady, this,
            [this](const FilterPreview &preview) { emit previewReady(current_, preview); });
    connect(&runner_, &FilterRunner::resultReady, this,
            [this](const std::shared_ptr<FilterResult> &result) { emit resultReady(current_, result); });
    connect(&runner_, &FilterRunner::failed, this, [this](const Message &message) { emit failed(current_, message); });
    connect(&runner_, &FilterRunner::finished, this, [this](bool cancelled) {
        if (!cancelled)
            made_.insert(current_);
        current_.clear();
        if (!cancelled)
            next();
        emit changed();
    });
}

void VariantRuns::want(const QStringList &keys) {
    wanted_ = keys;
    wanted_.removeDuplicates();
    std::erase_if(made_, [this](const QString &key) { return !wanted_.contains(key); });
    if (runner_.running() && !wanted_.contains(current_))
        runner_.cancel();
    next();
}

void VariantRuns::stop() {
    request_.reset();
    made_.clear();
    runner_.cancel();
    emit outdated();
}

void VariantRuns::start(FilterRequest request) {
    stop();
    request.statistics = false; // nobody shows them
    request_ = std::move(request);
    next();
}

void VariantRuns::look(const Rectangle &visible, double zoom) {
    if (!request_)
        return;
    request_->visible = visible;
    request_->zoom = zoom;
    runner_.look(visible, zoom);
}

void VariantRuns::next() {
    if (!request_ || runner_.running())
        return;
    for (const QString &key : wanted_) {
        if (made_.contains(key))
            continue;
        FilterRequest request = *request_;
        const qsizetype at = key.indexOf(QLatin1Char('@'));
        request.variant = key.left(at).toStdString();
        request.device = at < 0 ? "auto" : key.mid(at + 1).toStdString();
        current_ = key;
        runner_.start(std::move(request));
        emit changed();
        return;
    }
}

} // namespace tessera
