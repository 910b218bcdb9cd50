// The test chart: twelve panels, each made for something that a filter can do right or wrong.
#pragma once

#include "app/image/image.h"

#include "assets/generator/panel.h"

namespace tessera::samples {

// 1280 x 960, four channels of float: stored values and straight alpha, 0..1.
Image drawChart();

// The panels, in reading order.
void drawRamps(const Panel &panel);
void drawZonePlate(const Panel &panel);
void drawSlantedEdges(const Panel &panel);
void drawStar(const Panel &panel);
void drawText(const Panel &panel);
void drawLinePairs(const Panel &panel);
void drawImpulses(const Panel &panel);
void drawBlobs(const Panel &panel);
void drawTexture(const Panel &panel);
void drawNoise(const Panel &panel);
void drawColours(const Panel &panel);
void drawAlpha(const Panel &panel);

} // namespace tessera::samples
