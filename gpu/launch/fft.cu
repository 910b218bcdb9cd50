#include "gpu/kernels/fourier_columns.h"
#include "gpu/launch/cuda_launcher.cuh"
#include "gpu/launch/cuda_variants.h"
#include "gpu/launch/fft.h"

#include <algorithm>
#include <array>

namespace tessera::cuda {

namespace {

// Two halves of the workspace, and the tables behind the spectrum.
struct Memory {
    Complex *work = nullptr;
    Complex *result = nullptr;
    const Complex *spectrum = nullptr;
    ImageView<const Complex> twiddles;
};

ImageView<Complex> tileRowsView(Complex *data, int rows) {
    return {data, fourierSide, rows, std::ptrdiff_t(sizeof(Complex)) * fourierSide};
}
ImageView<const Complex> readOnly(const ImageView<Complex> &view) {
    return {view.data, view.width, view.height, view.pitch};
}
ImageView<const Complex> twiddleView(const Complex *table) {
    return {table, fourierRadix, fourierRadix, std::ptrdiff_t(sizeof(Complex)) * fourierRadix};
}

LaunchPlan rowsPlan(int rows, int columns) {
    LaunchPlan plan;
    plan.block = {fourier::warpsPerBlock * warpSize_, 1};
    plan.grid = {ceilDivide(rows, fourier::warpsPerBlock), columns};
    plan.sharedBytes = fourier::rowSharedBytes;
    return plan;
}
LaunchPlan spectrumPlan() {
    LaunchPlan plan = fourierColumnsPlan();
    plan.sharedBytes = fourier::spectrumSharedBytes;
    return plan;
}

// Calls `function` with a value of the pixel type that a view holds.
template <class Function> void withPixel(ScalarType type, int channels, Function function) {
    const auto withScalar = [&]<class T>(T) {
        if (channels == 1)
            function(Pixel<T, 1>{});
        else
            function(Pixel<T, 4>{});
    };
    switch (type) {
    case ScalarType::U8:
        return withScalar(std::uint8_t{});
    case ScalarType::U16:
        return withScalar(std::uint16_t{});
    case ScalarType::F16:
        return withScalar(Half{});
    case ScalarType::F32:
        return withScalar(float{});
    }
}

// The outputs of rows [first, first + rows) of the target.
class Band {
public:
    Band(const CudaLauncher &launcher, const ConvolutionRequest &request, const FourierPlan &plan, int first, int rows)
        : launcher_(launcher), request_(request), plan_(plan), first_(first), rows_(rows) {
        const FourierOperands &fourier = *request.fourier;
        geometry_.tapsWidth = fourier.tapsWidth;
        geometry_.tapsHeight = fourier.tapsHeight;
        geometry_.firstX = request.originX - fourier.anchorX;
        geometry_.firstY = request.originY + first - fourier.anchorY;
        geometry_.planes = plan.planes;
        geometry_.half = plan.half(rows);
        const int columns = plan.tileColumns * plan.planes;
        memory_.work = static_cast<Complex *>(fourier.workspace);
        memory_.result = memory_.work + std::ptrdiff_t(columns) * geometry_.rows() * fourierSide;
        memory_.spectrum = static_cast<const Complex *>(fourier.spectrum);
        memory_.twiddles = twiddleView(memory_.spectrum + fourierSide * fourierSide);
    }

    void forward() const {
        withPixel(request_.source.type, request_.source.channels, [&]<class P>(P) {
            FourierRowsForward<P> kernel;
            kernel.source = borderedSource<P>(request_);
            kernel.geometry = geometry_;
            kernel.tiles = plan_.tileColumns;
            kernel.work = tileRowsView(memory_.work, geometry_.rows() * columns());
            kernel.twiddles = memory_.twiddles;
            launcher_.launch(rowsPlan(geometry_.rows(), columns()), kernel);
        });
    }
    void columnsThere() const {
        FourierColumns kernel;
        kernel.work = memory_.work;
        kernel.result = memory_.result;
        kernel.spectrum = memory_.spectrum;
        kernel.twiddles = memory_.twiddles.data;
        kernel.geometry = geometry_;
        kernel.tileColumns = columns();
        kernel.tileRows = ceilDivide(geometry_.half, geometry_.validY());
        launcher_.launch(fourierColumnsPlan(), kernel);
    }
    void inverse() const {
        withPixel(request_.target.type, request_.target.channels, [&]<class P>(P) {
            FourierRowsInverse<P> kernel;
            kernel.work = readOnly(tileRowsView(memory_.result, geometry_.half * columns()));
            kernel.twiddles = memory_.twiddles;
            kernel.geometry = geometry_;
            kernel.tiles = plan_.tileColumns;
            kernel.finish = request_.finish;
            kernel.factor = 1.0f / request_.finish.divisor;
            kernel.target = request_.target.as<P>();
            kernel.target.data = kernel.target.address(0, first_);
            kernel.target.height = rows_;
            launcher_.launch(rowsPlan(geometry_.half, columns()), kernel);
        });
    }

private:
    int columns() const { return plan_.tileColumns * plan_.planes; }

    const CudaLauncher &launcher_;
    const ConvolutionRequest &request_;
    const FourierPlan &plan_;
    int first_, rows_;
    FourierGeometry geometry_;
    Memory memory_;
};

} // namespace

void launchFourierSpectrum(const FourierTaps &taps, void *spectrum, void *workspace, StreamView stream) {
    auto *const values = static_cast<Complex *>(spectrum);
    Complex *const twiddles = values + fourierSide * fourierSide;
    auto *const rows = static_cast<Complex *>(workspace);
    auto *const deviceTaps = reinterpret_cast<float *>(rows + std::ptrdiff_t(taps.height) * fourierSide);
    // Pageable memory: the call returns once the bytes have left it.
    std::array<Complex, fourierSide> table;
    fillTwiddles(table.data());
    TESSERA_CUDA_CHECK(cudaMemcpyAsync(twiddles, table.data(), sizeof(table), cudaMemcpyHostToDevice, stream));
    TESSERA_CUDA_CHECK(cudaMemcpyAsync(deviceTaps, taps.value,
                                       sizeof(float) * std::size_t(taps.width) * std::size_t(taps.height),
                                       cudaMemcpyHostToDevice, stream));
    const LaunchTarget target(stream);
    const CudaLauncher launcher(target);
    using Tap = Pixel<float, 1>;
    FourierRowsForward<Tap> forward;
    forward.source = {{reinterpret_cast<const Tap *>(deviceTaps), taps.width, taps.height,
                       std::ptrdiff_t(sizeof(float)) * taps.width},
                      BorderMode::Zero,
                      Tap{}};
    // Rows of the taps as the real parts; the imaginary ones lie below all taps and read zeros.
    forward.geometry.half = taps.height;
    forward.work = tileRowsView(rows, taps.height);
    forward.twiddles = twiddleView(twiddles);
    launcher.launch(rowsPlan(taps.height, 1), forward);
    launcher.launch(spectrumPlan(), FourierSpectrum{rows, taps.height, twiddles, values});
}

void launchFft(const ConvolutionRequest &request, const LaunchTarget &target) {
    const CudaLauncher launcher(target);
    if (!request.fourier && !target.attributes)
        throw CudaError(cudaErrorInvalidValue, "the fft variant without a spectrum");
    if (target.attributes) { // of the pass in the middle
        launcher.launch(fourierColumnsPlan(), FourierColumns{});
        return;
    }
    const FourierPlan plan = planFourier(shapeOf(request), request.fourier->workspaceLimit);
    for (int first = 0; first < request.target.height; first += plan.bandRows) {
        const Band band(launcher, request, plan, first, std::min(plan.bandRows, request.target.height - first));
        band.forward();
        band.columnsThere();
        band.inverse();
    }
    restoreChannels(request, target);
}

} // namespace tessera::cuda
