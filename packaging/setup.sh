#!/usr/bin/env bash
# Installs what Tessera is built from, on Debian 12, Ubuntu 24.04 and later ones. Packages that are there are left
# alone, so a second run does nothing.
#
# usage: packaging/setup.sh [--headless] [--tests] [--packaging] [--no-install]
#   --headless    for the command line alone (preset server): neither Qt nor OpenCV
#   --tests       also what the tests use
#   --packaging   also what makes and checks packages and bundles
#   --no-install  only say what is missing; exit 1 where something is
#
# The CUDA Toolkit and the NVIDIA driver are not installed here. Where a CUDA compiler is found the GPU engine is
# built; without one, and without a GPU, everything else works.
set -euo pipefail
# shellcheck source=packaging/shell/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/shell/common.sh"

toolPackages=(build-essential cmake ninja-build pkg-config ccache git ca-certificates)
libraryPackages=(nlohmann-json3-dev libcli11-dev libstb-dev libjpeg-dev libpng-dev libdeflate-dev libtiff-dev libwebp-dev
    libexif-dev liblcms2-dev libhwy-dev libxxhash-dev)
windowPackages=(qt6-base-dev qt6-qpa-plugins libgl-dev fonts-dejavu-core)
opencvPackages=(libopencv-dev)
testPackages=(libbenchmark-dev qt6-base-dev fonts-dejavu-core xvfb xauth openbox
    slurmctld slurmd slurm-client munge procps parallel)
packagingPackages=(patchelf zstd xz-utils file desktop-file-utils appstream lintian man-db shellcheck librsvg2-bin
    clang-format clang-tidy)

headless=false tests=false packaging=false install=true
for argument in "$@"; do
    case $argument in
    --headless) headless=true ;;
    --tests) tests=true ;;
    --packaging) packaging=true ;;
    --no-install) install=false ;;
    -h | --help) printUsage "$0"; exit 0 ;;
    *) fail "unknown option '$argument'" "packaging/setup.sh --help lists the options" ;;
    esac
done

wanted=("${toolPackages[@]}" "${libraryPackages[@]}")
$headless || wanted+=("${windowPackages[@]}" "${opencvPackages[@]}")
! $tests || wanted+=("${testPackages[@]}")
! $packaging || wanted+=("${packagingPackages[@]}")
mapfile -t wanted < <(printf '%s\n' "${wanted[@]}" | sort -u)

isInstalled() { [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

# Python's numpy and scipy, by which the tests check results a second time; pip's are as good as apt's. The tests take
# whichever of the two Pythons has them, see tests/CMakeLists.txt.
hasScipy() {
    python3 -c 'import numpy, scipy' >/dev/null 2>&1 || /usr/bin/python3 -c 'import numpy, scipy' >/dev/null 2>&1
}

missingPackages() {
    local package
    for package in "${wanted[@]}"; do
        isInstalled "$package" || echo "$package"
    done
    if $tests && ! hasScipy; then
        printf '%s\n' python3 python3-numpy python3-scipy
    fi
}

# Sets `asRoot` to what must stand before a command that needs root.
findRoot() {
    asRoot=()
    [ "$(id -u)" -ne 0 ] || return 0
    if command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
        asRoot=(sudo)
    else
        fail "installing packages needs root, and sudo is not to be had here" "run as root: apt-get update && apt-get install --no-install-recommends ${missing[*]}"
    fi
}

apt() {
    "${asRoot[@]}" env DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 apt-get -q -y \
        -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 "$@"
}

# A mirror that stumbles is common and passes: three tries, with pauses between.
aptWithPatience() {
    local pause
    for pause in 10 30 0; do
        if apt "$@"; then
            return 0
        fi
        [ "$pause" -eq 0 ] || { echo "apt-get failed; next try in $pause s"; sleep "$pause"; }
    done
    return 1
}

installMissing() {
    local package unknown=()
    findRoot
    quietly "package lists" aptWithPatience update ||
        say "    The lists could not be renewed; going on with those that are there."
    for package in "${missing[@]}"; do
        [ -n "$(apt-cache madison "$package" 2>/dev/null)" ] || unknown+=("$package")
    done
    [ ${#unknown[@]} -eq 0 ] || fail "apt does not know these packages: ${unknown[*]}" \
        "Tessera is set up for Debian 12, Ubuntu 24.04 and later (here: $systemName)." \
        "On Ubuntu, enable the 'universe' component; check the network if all are unknown."
    quietly "${#missing[@]} packages and what they need" aptWithPatience install --no-install-recommends "${missing[@]}" ||
        fail "apt could not install the packages" "The output above says why: often no network, a full disk or a held package." \
            "When that is mended, run this again; what was installed stays."
}

# The versions below are the oldest that the build was tried with.
checkTools() {
    local version
    version=$(cmake --version | awk 'NR == 1 {print $3}')
    printf '3.25\n%s\n' "$version" | sort -C -V || fail "CMake $version is too old: 3.25 is needed"
    version=$(c++ -dumpfullversion -dumpversion)
    printf '12\n%s\n' "$version" | sort -C -V || fail "the C++ compiler (version $version) is too old: GCC 12 or Clang 15 is needed"
}

sayWhatIsThere() {
    local nvcc
    nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null || true)
    if [ -n "$nvcc" ]; then
        say "    CUDA compiler: $nvcc; the GPU engine is built too."
    else
        say "    No CUDA compiler: the CPU engine and the simulator are built."
    fi
}

# With a CUDA compiler the tests read the kernels' machine code. A full toolkit has the tools for that; where they are
# missing, they come as two small packages into a folder of the checkout. Without them that one test is skipped.
installDisassembler() {
    local nvcc tools=$tesseraRoot/.cache/cuda-tools
    nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null || true)
    if [ -z "$nvcc" ] || [ -n "$(ls "$tools"/nvidia/*/bin/nvdisasm 2>/dev/null)" ] || command -v cuobjdump >/dev/null ||
        [ -x "$(dirname "$nvcc")/cuobjdump" ]; then
        return 0
    fi
    quietly "cuobjdump and nvdisasm" python3 -m pip install --quiet --disable-pip-version-check --no-deps \
        --target "$tools" nvidia-cuda-cuobjdump nvidia-cuda-nvdisasm ||
        say "    pip could not install them; the test of the machine code will be skipped."
}

# NPP is a contender of the benchmarks on NVIDIA GPUs. Where the toolkit comes without it, its headers (for the build)
# and libraries (opened when the program runs, see TESSERA_PEER_PATH) come as a package into a folder of the checkout.
# Without them that one contender is left out.
installNpp() {
    local nvcc package folder=$tesseraRoot/.cache/npp
    nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null || true)
    if [ -z "$nvcc" ] || [ -n "$(ls "$folder"/nvidia/*/include/nppi_filtering_functions.h 2>/dev/null)" ] ||
        [ -e "$(dirname "$nvcc")/../include/nppi_filtering_functions.h" ]; then
        return 0
    fi
    case $("$nvcc" --version | sed -n 's/.*release \([0-9]*\)\..*/\1/p') in
    12) package=nvidia-npp-cu12 ;;
    *) package='nvidia-npp>=13,<14' ;;
    esac
    quietly "NPP" python3 -m pip install --quiet --disable-pip-version-check --retries 1 --timeout 30 --no-deps \
        --target "$folder" "$package" ||
        say "    pip could not install it; NPP will be left out of the benchmarks."
}

systemName=$(. /etc/os-release 2>/dev/null && echo "${PRETTY_NAME:-unknown}" || echo unknown)
step "Packages ($systemName)"
if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    fail "this system has no apt, and the script knows no other package manager" "Install what stands for these, then build with 'cmake --preset release':" "${wanted[*]}"
fi
mapfile -t missing < <(missingPackages)
if [ ${#missing[@]} -eq 0 ]; then
    say "    all ${#wanted[@]} are there"
elif ! $install; then
    fail "not installed: ${missing[*]}" "packaging/setup.sh without --no-install installs them"
else
    installMissing
    mapfile -t missing < <(missingPackages)
    [ ${#missing[@]} -eq 0 ] || fail "still not installed: ${missing[*]}"
fi
checkTools
sayWhatIsThere
if $tests && $install; then
    installDisassembler
    installNpp
fi
