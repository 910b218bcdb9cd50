// The peers one by one: what peers.cpp lists. Each is built where its headers were found; peers.cpp names the others as
// missing.
#pragma once

#include "gpu/peers/peer.h"

namespace tessera::cuda {

const ConvolutionPeer &nppPeer();
const ConvolutionPeer &cudnnPeer();
const ConvolutionPeer &cufftPeer();
const HistogramPeer &cubHistogramPeer();
const HistogramPeer &nppHistogramPeer();

} // namespace tessera::cuda
