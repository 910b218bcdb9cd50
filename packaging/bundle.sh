#!/usr/bin/env bash
# Makes a folder, and an archive of it, that runs on other Linux systems as it is: the program with its libraries,
# Qt's plugins and a font. A bundle made on Debian 12 runs where the C library is as new (2.36) or newer.
#
# usage: packaging/bundle.sh [--preset NAME] [--output DIR] [--tests] [--with-opencv-codecs] [--no-archive]
#   --preset NAME            which build to take (release)
#   --output DIR             where the bundle goes (build/NAME/bundle)
#   --tests                  the test executables too; run-tests in the bundle starts them
#   --with-opencv-codecs     OpenCV's file formats too (OpenEXR, JPEG 2000): some hundred libraries more, several of
#                            them under the GPL, so such a bundle is for one's own machines and not to be passed on
#   --no-archive             the folder only
#
# The archive is .tar.zst where zstd is installed, else .tar.xz. packaging/check-bundle.sh tries the result.
set -euo pipefail
trap 'echo "error: packaging/bundle.sh stopped at line $LINENO" >&2' ERR
# shellcheck source=packaging/shell/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/shell/common.sh"
cd "$tesseraRoot"

preset=release output='' tests=false codecs=false archive=true
while [ $# -gt 0 ]; do
    case $1 in
    --preset) preset=${2:?--preset needs a name}; shift ;;
    --output) output=${2:?--output needs a folder}; shift ;;
    --tests) tests=true ;;
    --with-opencv-codecs) codecs=true ;;
    --without-opencv-codecs) codecs=false ;;
    --no-archive) archive=false ;;
    -h | --help) printUsage "$0"; exit 0 ;;
    *) fail "unknown option '$1'" "packaging/bundle.sh --help lists the options" ;;
    esac
    shift
done

build=$tesseraRoot/build/$preset
[ -x "$build/bin/tessera" ] || fail "there is no $build/bin/tessera" "build it first: cmake --preset $preset && cmake --build --preset $preset"
command -v patchelf >/dev/null || fail "patchelf is not installed" "packaging/setup.sh --packaging installs it"
version=$(sed -n 's/^project(Tessera VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
name=tessera-$version-linux-$(uname -m)
output=${output:-$build/bundle}
bundle=$output/$name

# Libraries that belong to the system: the C library, which must fit the kernel and the loader, and the GPU driver,
# which must fit the kernel module. Everything else comes along.
systemLibraries='^(ld-linux.*|libc|libm|libdl|libpthread|librt|libresolv|libutil|libanl|libnsl|libcuda|libnvidia-.*)\.so'
# Libraries of which the system's own copy is the better one where it has one: a graphics driver loads them too, and a
# second, older copy in the process would break it. They lie apart and serve only where the system has none.
fallbackCxx='^(libstdc\+\+|libgcc_s)\.so'
fallbackGraphics='^(libGL|libEGL|libGLX|libOpenGL|libGLdispatch|libGLESv2|libdrm|libgbm|libwayland-.*)\.so'

copyInto() { # FOLDER FILE...: follows links, keeps the name
    local folder=$1
    shift
    mkdir -p "$folder"
    cp -L --preserve=mode,timestamps "$@" "$folder/"
    chmod -R u+w "$folder"
}

copyProgram() {
    copyInto "$bundle/bin" "$build/bin/tessera"
    local module
    for module in "$build"/lib/*.so; do
        [ -e "$module" ] || continue
        if ! $codecs && [[ $module == *opencv-codecs* ]]; then
            continue
        fi
        copyInto "$bundle/lib/tessera" "$module"
    done
    mkdir -p "$bundle/share"
    cp -r "$build/share/tessera" "$bundle/share/"
    install -D -m 644 LICENSE "$bundle/LICENSE"
}

copyTests() {
    local program
    for program in $(cd "$build" && ctest --show-only=json-v1 | grep -o "$build/bin/[^\",]*" | sort -u) "$build"/bin/*_bench; do
        [ -x "$program" ] || continue # a benchmark that this build has not
        copyInto "$bundle/bin" "$program"
    done
}

# Qt finds its plugins through bin/qt.conf. xcb is the window on a desktop, offscreen and minimal serve tests.
copyQtPlugins() {
    local core plugins kind
    core=$(librariesOf "$bundle" | grep '/libQt6Core\.' || true)
    [ -n "$core" ] || return 0 # a headless build
    plugins=$(dirname "$core")/qt6/plugins
    [ -d "$plugins" ] || plugins=$(qtpaths6 --plugin-dir)
    for kind in platforms/libqxcb platforms/libqoffscreen platforms/libqminimal imageformats/libqjpeg \
        xcbglintegrations/libqxcb-glx-integration xcbglintegrations/libqxcb-egl-integration \
        platforminputcontexts/libcomposeplatforminputcontextplugin; do
        [ ! -e "$plugins/$kind.so" ] || copyInto "$bundle/plugins/$(dirname "$kind")" "$plugins/$kind.so"
    done
    printf '[Paths]\nPrefix = ..\nPlugins = plugins\n' >"$bundle/bin/qt.conf"
    copyFonts
}

# Without a font, text off the screen is a row of boxes.
copyFonts() {
    local fonts=/usr/share/fonts/truetype/dejavu
    [ -d "$fonts" ] || fail "the font DejaVu is not installed" "packaging/setup.sh installs it"
    copyInto "$bundle/share/fonts" "$fonts/DejaVuSans.ttf" "$fonts/DejaVuSans-Bold.ttf" "$fonts/DejaVuSansMono.ttf"
    install -D -m 644 packaging/bundle/fonts.conf "$bundle/etc/fonts.conf"
}

# Every library that the programs, modules and plugins below a folder need. ldd follows links through all levels, but
# not what is loaded by name: so each of them is asked.
librariesOf() {
    local file
    find "$1" -type f \( -name '*.so*' -o -path '*/bin/*' \) ! -name '*.conf' | while read -r file; do
        ldd "$file" || true
    done | awk '$2 == "=>" && $3 ~ /^\// {print $3} /not found/ {print "missing:" $1}' | sort -u
}

copyLibraries() {
    local library base
    for library in $(librariesOf "$bundle"); do
        [[ $library != missing:* ]] || fail "the library ${library#missing:} is not found on this machine"
        base=$(basename "$library")
        if [[ $base =~ $systemLibraries ]]; then
            continue
        elif [[ $base =~ $fallbackCxx ]]; then
            copyInto "$bundle/lib/fallback/c++" "$library"
        elif [[ $base =~ $fallbackGraphics ]]; then
            copyInto "$bundle/lib/fallback/graphics" "$library"
        else
            copyInto "$bundle/lib" "$library"
        fi
    done
}

# Every file finds its neighbours relative to itself; no path of this machine stays behind.
setRunPaths() {
    local file folder
    find "$bundle" -type f \( -name '*.so*' -o -path '*/bin/*' \) | while read -r file; do
        head -c 4 "$file" | grep -q ELF || continue
        folder=$(realpath --relative-to="$(dirname "$file")" "$bundle/lib")
        strip --strip-unneeded "$file" 2>/dev/null || true
        patchelf --force-rpath --set-rpath "\$ORIGIN/$folder" "$file"
    done
}

# The newest symbol version of libstdc++ that anything in the bundle asks for.
newestCxxSymbol() {
    find "$bundle" -type f \( -name '*.so*' -o -path '*/bin/*' \) ! -path '*/fallback/c++/*' -print0 |
        xargs -0 -r objdump -T 2>/dev/null | grep -o 'GLIBCXX_[0-9.]*' | sort -V | tail -1
}

installStarters() {
    install -m 755 packaging/bundle/tessera.sh "$bundle/tessera"
    ! $tests || install -m 755 packaging/bundle/run-tests.sh "$bundle/run-tests"
    sed "s/@GLIBCXX@/$(newestCxxSymbol)/" packaging/bundle/environment.sh >"$bundle/lib/environment.sh"
}

reportSize() {
    say "    $(find "$bundle" -name '*.so*' | wc -l) libraries and plugins, $(du -sm "$bundle" | cut -f1) MiB; the largest:"
    find "$bundle" -type f -printf '%s %P\n' | sort -rn | head -8 | awk '{printf "      %7.1f MiB  %s\n", $1 / 1048576, $2}'
}

pack() {
    local file
    if command -v zstd >/dev/null; then
        file=$output/$name.tar.zst
        tar -C "$output" --sort=name --owner=0 --group=0 -cf - "$name" | zstd -q -T0 -15 --long=27 -f -o "$file"
    else
        file=$output/$name.tar.xz
        tar -C "$output" --sort=name --owner=0 --group=0 -cJf "$file" "$name"
    fi
    say "    archive: $file, $(du -m "$file" | cut -f1) MiB"
}

step "Bundle of build/$preset"
rm -rf "$bundle"
mkdir -p "$bundle"
copyProgram
! $tests || copyTests
copyQtPlugins
copyLibraries
setRunPaths
installStarters
reportSize
! $archive || pack
say "    start it: $bundle/tessera --version"
