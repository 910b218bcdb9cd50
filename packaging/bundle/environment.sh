# shellcheck shell=sh disable=SC2154
# Sourced by the starters of a bundle, with $here set: what the bundled libraries need from the environment.

# Where a library of the system lies; nothing where it has none.
systemLibrary() {
    for folder in /usr/lib/x86_64-linux-gnu /lib/x86_64-linux-gnu /usr/lib/aarch64-linux-gnu /lib/aarch64-linux-gnu \
        /usr/lib64 /lib64 /usr/lib /lib; do
        if [ -e "$folder/$1" ]; then
            echo "$folder/$1"
            return
        fi
    done
}

# The bundle's libstdc++ serves where the system has none or an older one: a graphics driver needs the newer of both.
systemCxx=$(systemLibrary libstdc++.so.6)
if [ -z "$systemCxx" ] || ! grep -q "@GLIBCXX@" "$systemCxx"; then
    LD_LIBRARY_PATH=$here/lib/fallback/c++${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
fi
if [ -z "$(systemLibrary libEGL.so.1)" ] || [ -z "$(systemLibrary libOpenGL.so.0)" ] || [ -z "$(systemLibrary libGLX.so.0)" ]; then
    LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$here/lib/fallback/graphics
fi
[ -z "${LD_LIBRARY_PATH:-}" ] || export LD_LIBRARY_PATH

# The bundle's fonts come after the system's.
if [ -z "${FONTCONFIG_FILE:-}" ] && [ -e "$here/etc/fonts.conf" ]; then
    export FONTCONFIG_FILE="$here/etc/fonts.conf"
fi
