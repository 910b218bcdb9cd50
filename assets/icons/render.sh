#!/usr/bin/env bash
# Renders tessera.svg to the PNG sizes that the window and icon themes use. Run it after a change to the drawing;
# the results are committed, so that neither the build nor Qt needs an SVG renderer. Needs rsvg-convert (librsvg2-bin).
set -euo pipefail
cd "$(dirname "$0")"
for size in 16 22 24 32 48 64 128 256; do
    rsvg-convert --width "$size" --height "$size" tessera.svg --output "tessera-$size.png"
done
