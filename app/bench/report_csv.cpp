#include "app/bench/csv_text.h"
#include "app/bench/report.h"

#include <cmath>
#include <cstdio>

namespace tessera::bench {

namespace {

std::string number(double value) {
    if (!std::isfinite(value))
        return {};
    char text[40];
    std::snprintf(text, sizeof text, "%.9g", value);
    return text;
}

std::string number(const std::optional<double> &value) { return value ? number(*value) : std::string(); }

} // namespace

std::string csvField(const std::string &text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos)
        return text;
    std::string quoted = "\"";
    for (const char character : text)
        quoted += character == '"' ? std::string("\"\"") : std::string(1, character);
    return quoted + "\"";
}

std::string joinedWords(const std::vector<std::string> &words) {
    std::string text;
    for (const std::string &word : words)
        text += (text.empty() ? "" : " ") + word;
    return text;
}

std::string csvReport(const Report &report) {
    std::string text =
        "variant,width,height,kernel_width,kernel_height,pixel,border,cache,scope,median_ms,p5_ms,p95_ms,samples,bytes,"
        "operations,floor_ms,share,max_error,relative_l2,tie_with,device,work,kernel,distribution,median_low_ms,"
        "median_high_ms,unit,share_of,border_max_error,checked_pixels,rank,failure,note,clock_mhz\r\n";
    for (const Row &row : report.rows) {
        const ContestKey &key = row.key;
        const auto time = [&](double value) { return row.ranked() ? number(value) : std::string(); };
        const std::string cells[] = {row.variant,
                                     std::to_string(key.width),
                                     std::to_string(key.height),
                                     std::to_string(key.kernelWidth),
                                     std::to_string(key.kernelHeight),
                                     key.pixel,
                                     key.border,
                                     std::string(cacheStateName(key.cache)),
                                     std::string(scopeName(key.scope)),
                                     time(row.time.median),
                                     time(row.time.p5),
                                     time(row.time.p95),
                                     std::to_string(row.time.samples),
                                     number(row.work.bytes),
                                     number(row.work.operations),
                                     row.floor ? number(row.floor->ms) : std::string(),
                                     number(row.share()),
                                     number(row.check.maxError),
                                     number(row.check.relativeL2),
                                     joinedWords(row.tieWith),
                                     row.device,
                                     key.work,
                                     key.kernel,
                                     key.distribution,
                                     time(row.time.interval.low),
                                     time(row.time.interval.high),
                                     std::string(model::arithmeticUnitName(row.work.unit)),
                                     row.work.dense ? "roofline" : "memory",
                                     number(row.check.borderMaxError),
                                     std::to_string(row.check.pixelsChecked),
                                     row.rank > 0 ? std::to_string(row.rank) : std::string(),
                                     row.failure,
                                     row.note,
                                     row.clockMhz ? std::to_string(std::lround(*row.clockMhz)) : std::string()};
        std::string line;
        for (const std::string &cell : cells)
            line += (line.empty() ? "" : ",") + csvField(cell);
        text += line + "\r\n";
    }
    return text;
}

} // namespace tessera::bench
