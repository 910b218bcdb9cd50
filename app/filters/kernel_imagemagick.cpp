// ImageMagick's notation: WxH+X+Y: a,b,c d,e,f ...
#include "app/filters/kernel_notations.h"

#include <charconv>
#include <optional>

namespace tessera {

namespace {

class ImageMagickReader {
public:
    explicit ImageMagickReader(const LocatedText &located) : located_(located), text_(located.text()) {}

    ConvolutionKernel read() {
        readGeometry();
        readTaps();
        ConvolutionKernel kernel = ConvolutionKernel::centred(width_, height_, std::move(taps_));
        kernel.divisor = 1.0;
        if (originX_) {
            kernel.anchorX = *originX_;
            kernel.anchorY = *originY_;
        }
        return kernel;
    }

private:
    bool atEnd() const { return at_ >= text_.size(); }
    char here() const { return text_[at_]; }

    static bool isSeparator(char c) {
        return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f';
    }

    void skipBlanks() {
        while (!atEnd() && (isSeparator(here()) || here() == '#')) {
            if (here() == '#')
                at_ = std::min(text_.find_first_of("\r\n", at_), text_.size());
            else
                ++at_;
        }
    }

    int readCount(const char *what, int least, int most) {
        const std::size_t begin = at_;
        int value = 0;
        const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
        if (end == text_.data() + begin)
            located_.refuse(at_, std::string("expected the kernel's ") + what + ", a whole number",
                            "for example 3x3: 0,1,0 1,2,1 0,1,0");
        at_ = std::size_t(end - text_.data());
        if (error != std::errc() || value < least || value > most)
            located_.refuse(begin, std::string("the kernel's ") + what + " must be " + std::to_string(least) + " to " +
                                       std::to_string(most) + ", not " +
                                       std::string(text_.substr(begin, std::min<std::size_t>(at_ - begin, 12))));
        return value;
    }

    bool take(char c) {
        if (atEnd() || here() != c)
            return false;
        ++at_;
        return true;
    }

    void readGeometry() {
        skipBlanks();
        if (!atEnd() && ((here() >= 'a' && here() <= 'z') || (here() >= 'A' && here() <= 'Z')))
            located_.refuse(at_, "ImageMagick's named kernels are not known here",
                            "use --filter for these, or write the taps out as WxH: a,b,c,...");
        width_ = readCount("width", 1, ConvolutionKernel::maximumSide);
        height_ = take('x') || take('X') ? readCount("height", 1, ConvolutionKernel::maximumSide) : width_;
        if (take('+')) {
            originX_ = readCount("origin X", 0, width_ - 1);
            if (!take('+'))
                located_.refuse(at_, "expected '+' and the origin's Y", "the origin is written +X+Y");
            originY_ = readCount("origin Y", 0, height_ - 1);
        }
        if (!atEnd() && (here() == '<' || here() == '>' || here() == '@'))
            located_.refuse(at_, "lists of rotated kernels are not known here", "write one kernel");
        skipBlanks();
        if (!take(':'))
            located_.refuse(at_, "expected ':' after the kernel's size", "for example 3x3: 0,1,0 1,2,1 0,1,0");
    }

    // A comma before the first number or a second one in a row stands for a number that was forgotten.
    void refuseEmptyCell(bool separated) const {
        if (here() == ',' && separated)
            located_.refuse(at_, "a number is missing before the comma");
    }

    void readTaps() {
        const std::size_t wanted = std::size_t(width_) * std::size_t(height_);
        bool separated = true;
        for (skipBlanks(); !atEnd(); skipBlanks()) {
            refuseEmptyCell(separated);
            if (here() == ';')
                located_.refuse(at_, "lists of kernels are not known here", "write one kernel");
            if (take(',')) {
                separated = true;
                continue;
            }
            if (taps_.size() == wanted)
                located_.refuse(at_, "there are more than the " + std::to_string(wanted) + " taps of " + size());
            taps_.push_back(readTap());
            separated = false;
        }
        if (taps_.size() < wanted)
            located_.refuse(text_.size(), size() + " needs " + std::to_string(wanted) + " taps, only " +
                                              std::to_string(taps_.size()) + " are here");
    }

    double readTap() {
        const std::size_t begin = at_;
        while (!atEnd() && !isSeparator(here()) && here() != ',' && here() != ';' && here() != '#')
            ++at_;
        const std::string_view token = text_.substr(begin, at_ - begin);
        if (token == "-" || token == "nan" || token == "NaN" || token == "NAN")
            return 0.0;
        return requireNumber(located_, token, begin);
    }

    std::string size() const { return std::to_string(width_) + "x" + std::to_string(height_); }

    const LocatedText &located_;
    std::string_view text_;
    std::size_t at_ = 0;
    int width_ = 0, height_ = 0;
    std::optional<int> originX_, originY_;
    std::vector<double> taps_;
};

} // namespace

ConvolutionKernel parseImageMagick(const LocatedText &text) { return ImageMagickReader(text).read(); }

} // namespace tessera
