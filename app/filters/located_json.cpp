#include "app/filters/located_json.h"

#include "app/filters/number_text.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <iterator>

namespace tessera {

namespace {

// Counts what the parser has taken. The parser keeps its own copies, so the count lies outside.
class CountingIterator {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char *;
    using reference = const char &;

    CountingIterator(const char *at, std::size_t *count) : at_(at), count_(count) {}

    reference operator*() const { return *at_; }
    CountingIterator &operator++() {
        ++at_;
        ++*count_;
        return *this;
    }
    CountingIterator operator++(int) {
        CountingIterator before = *this;
        ++*this;
        return before;
    }
    friend bool operator==(const CountingIterator &a, const CountingIterator &b) { return a.at_ == b.at_; }
    friend bool operator!=(const CountingIterator &a, const CountingIterator &b) { return a.at_ != b.at_; }

private:
    const char *at_;
    std::size_t *count_;
};

class Builder : public nlohmann::json_sax<nlohmann::json> {
public:
    Builder(const LocatedText &text, const std::size_t &consumed) : text_(text), consumed_(consumed) {}

    LocatedJson takeRoot() { return std::move(root_); }

    bool null() override { return add({LocatedJson::Kind::Null, wordBegin(), 0.0, {}, {}, {}}); }
    bool boolean(bool value) override {
        return add({LocatedJson::Kind::Boolean, wordBegin(), value ? 1.0 : 0.0, {}, {}, {}});
    }
    bool number_integer(number_integer_t value) override { return addNumber(double(value)); }
    bool number_unsigned(number_unsigned_t value) override { return addNumber(double(value)); }
    bool number_float(number_float_t value, const string_t &digits) override {
        return addNumber(parseNumber(digits).value_or(value)); // the digits, since strtod depends on the locale
    }
    bool string(string_t &value) override {
        return add({LocatedJson::Kind::String, stringBegin(), 0.0, std::move(value), {}, {}});
    }
    bool binary(binary_t &) override { return false; } // never in text

    bool start_object(std::size_t) override { return open(LocatedJson::Kind::Object); }
    bool start_array(std::size_t) override { return open(LocatedJson::Kind::Array); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }

    bool key(string_t &name) override {
        open_.back()->names.push_back({LocatedJson::Kind::String, stringBegin(), 0.0, std::move(name), {}, {}});
        return true;
    }

    bool parse_error(std::size_t, const std::string &lastToken, const nlohmann::json::exception &error) override {
        constexpr int numberOverflow = 406;
        const std::string_view text = text_.text(), reason = error.what();
        if (error.id == numberOverflow)
            text_.refuse(wordBegin(), LocatedText::shown(lastToken) + " is too large a number");
        if (reason.find("unexpected end of input") != std::string_view::npos ||
            reason.find("missing closing quote") != std::string_view::npos)
            text_.refuse(text.size(), "the JSON text ends too early", "a bracket or a quote is not closed");
        // The parser stops at the first character that does not fit; the word around it says more.
        const std::size_t at = consumed_ - 1;
        const std::size_t begin = inWord(text[at]) ? wordBegin() : at;
        std::size_t end = begin;
        while (end < text.size() && inWord(text[end]))
            ++end;
        text_.refuse(begin,
                     "malformed JSON at " + LocatedText::shown(text.substr(begin, std::max(end, at + 1) - begin)));
    }

private:
    static constexpr std::size_t deepest = 8;         // a kernel preset needs 3
    static constexpr std::size_t mostValues = 70'000; // 255 x 255 taps and what stands around them

    static bool inWord(char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '+' || c == '-' ||
               c == '.';
    }

    // A number or word ends where the parser looked one character further, unless the text ended.
    std::size_t wordBegin() const {
        const std::string_view text = text_.text();
        std::size_t begin = std::min(consumed_, text.size());
        if (begin > 0 && !inWord(text[begin - 1]))
            --begin;
        while (begin > 0 && inWord(text[begin - 1]))
            --begin;
        return begin;
    }

    // The parser has just taken the closing quote.
    std::size_t stringBegin() const {
        const std::string_view text = text_.text();
        std::size_t begin = consumed_ - 1;
        const auto escaped = [&](std::size_t i) {
            std::size_t slashes = 0;
            while (i > slashes && text[i - 1 - slashes] == '\\')
                ++slashes;
            return slashes % 2 == 1;
        };
        do
            --begin;
        while (begin > 0 && (text[begin] != '"' || escaped(begin)));
        return begin;
    }

    bool addNumber(double value) {
        if (!std::isfinite(value))
            text_.refuse(wordBegin(), "this number is too large");
        return add({LocatedJson::Kind::Number, wordBegin(), value, {}, {}, {}});
    }

    LocatedJson &place(LocatedJson value) {
        if (++values_ > mostValues)
            text_.refuse(value.offset, "these are more values than the largest kernel has");
        if (open_.empty())
            return root_ = std::move(value);
        return open_.back()->items.emplace_back(std::move(value));
    }

    bool add(LocatedJson value) {
        place(std::move(value));
        return true;
    }

    // The pointers stay good: a container's siblings come only after it is closed.
    bool open(LocatedJson::Kind kind) {
        const std::size_t offset = consumed_ - 1;
        if (open_.size() == deepest)
            text_.refuse(offset, "the JSON text is nested too deep for a kernel");
        open_.push_back(&place({kind, offset, 0.0, {}, {}, {}}));
        return true;
    }

    bool close() {
        open_.pop_back();
        return true;
    }

    const LocatedText &text_;
    const std::size_t &consumed_;
    LocatedJson root_;
    std::vector<LocatedJson *> open_;
    std::size_t values_ = 0;
};

} // namespace

LocatedJson parseLocatedJson(const LocatedText &text) {
    const std::string_view content = text.text();
    std::size_t consumed = 0;
    Builder builder(text, consumed);
    nlohmann::json::sax_parse(CountingIterator(content.data(), &consumed),
                              CountingIterator(content.data() + content.size(), &consumed), &builder);
    return builder.takeRoot();
}

} // namespace tessera
