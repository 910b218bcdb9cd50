// One job of a peer, prepared: it runs again for any picture of the same shape. Includes CUDA.
#pragma once

#include "app/engines/engine.h"
#include "app/engines/kernel_variants.h"
#include "gpu/kernels/tiles.h"
#include "gpu/peers/peer.h"

namespace tessera {

class PeerJob {
public:
    explicit PeerJob(const ConvolutionJob &job);

    bool serves(const ConvolutionJob &job) const;
    RunTimes run(const ConvolutionJob &job);
    void prepare(const ConvolutionJob &job); // buffers, plans; before the first run()

private:
    // What must be equal for the same plans to serve; pictures come and go.
    struct Key {
        std::string variant;
        int width, height;
        PixelFormat from, to;
        Rectangle region;
        Border border;
        Finish finish;
        unsigned filtered;
        int tapsWidth, tapsHeight, anchorX, anchorY;

        friend bool operator==(const Key &, const Key &) = default;
    };
    static Key keyOf(const ConvolutionJob &job);

    void upload(const ConvolutionJob &job);
    void download(const ConvolutionJob &job);
    bool prepareNative();
    void preparePlanes();
    void compute();
    int planeCount() const { return key_.from.channels; }

    Key key_;
    std::vector<double> tapValues_;
    Taps taps_;
    std::unique_ptr<cuda::PreparedConvolution> prepared_;
    bool native_ = false;

    cuda::Stream stream_;
    cuda::Event start_, uploaded_, computed_, downloaded_;
    cuda::DeviceBuffer rawMemory_, sourceMemory_, targetMemory_, rawTargetMemory_, planesMemory_, sumsMemory_;
    RawView raw_, source_, target_, rawTarget_; // as stored; with packed channels; the same of the result
    ConvolutionRequest request_;                // source_ to target_
    TileGrid footprints_, sums_;
};

} // namespace tessera
