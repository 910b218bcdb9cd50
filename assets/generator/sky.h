// Sky and sun: an evening's colours in linear light, in units where a white wall in the sun is about 1.
#pragma once

#include "assets/generator/vec3.h"

namespace tessera::samples {

struct Sky {
    Vec3 sun;      // direction towards the sun
    Vec3 sunLight; // its light on a surface that faces it

    // What is seen in a direction, clouds and the sun's disc included.
    Vec3 radiance(Vec3 direction) const;
    // The same without clouds and disc: the light of the haze in that direction.
    Vec3 haze(Vec3 direction) const;
    // Light of the whole sky on a surface with this normal.
    Vec3 ambient(Vec3 normal) const;
};

// The sun at `azimuth` degrees right of the view and `elevation` degrees above the horizon.
Sky eveningSky(float azimuth, float elevation);

} // namespace tessera::samples
