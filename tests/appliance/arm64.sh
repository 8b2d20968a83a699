#!/usr/bin/env bash
# What the companion needs on 64-bit ARM, fetched, laid out and run by an emulated processor: the wheels of every
# dependency, the doctor, a turn of a simulated game.
#
#     sudo tests/appliance/arm64.sh RELEASE DIR
#
# RELEASE is bookworm or trixie, DIR is made anew (1 GB). Needs mmdebstrap, qemu-user-static, pip and a network; takes
# some minutes. Nothing of it says how fast a Raspberry Pi is. What it prints in the end goes into docs/platforms.md.
set -euo pipefail
release=${1:?usage: arm64.sh RELEASE DIR}
root=${2:?usage: arm64.sh RELEASE DIR}
project=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
case $release in
bookworm) python=3.11 numpy='numpy<2' ;;
trixie) python=3.13 numpy=numpy ;;
*) echo "arm64.sh: $release found; expected bookworm or trixie" >&2; exit 2 ;;
esac

# Packages are only unpacked, for their scripts could not be run: what those would have set up is left out.
mmdebstrap --quiet --mode=root --variant=extract --arch=arm64 \
    --include="libc-bin,python$python,python3-gpiozero,libegl1,libgl1,libgl1-mesa-dri" "$release" "$root"
for folder in bin lib sbin; do
    [[ -e $root/$folder ]] || ln -s "usr/$folder" "$root/$folder"
done
mkdir -p "$root/opt/packages" "$root/opt/project" "$root/root" "$root/tmp"
git -C "$project" archive HEAD | tar -x -C "$root/opt/project"
cp "$(command -v qemu-aarch64-static)" "$root/qemu"

wheels=()
for tag in manylinux2014_aarch64 manylinux_2_17_aarch64 manylinux_2_28_aarch64 manylinux_2_34_aarch64; do
    wheels+=(--platform "$tag")
done
python3 -m pip install --quiet --target "$root/opt/packages" --only-binary=:all: "${wheels[@]}" --implementation cp \
    --python-version "$python" "$numpy" 'kivy>=2.3.1,<3' 'pillow>=10.1' 'segno>=1.6' 'gpiozero>=2,<3' \
    'opencv-python-headless>=4.11,<5'

# A model of processor that has no more than it needs is emulated much faster than one that has everything.
inside() {
    chroot "$root" /qemu -cpu cortex-a72 -E HOME=/root -E LANG=C.UTF-8 -E OMP_NUM_THREADS=1 -E OPENBLAS_NUM_THREADS=1 \
        -E COMPANION_HOME=/tmp/games -E PYTHONPATH=/opt/packages:/opt/project "/usr/bin/python$python" "$@"
}
inside -m companion doctor --camera simulated
inside -m companion play --camera simulated --game garden-rush --seed 7 --turns 1 --size 640x480 --calm \
    --display none --speed max --confirm auto
echo "$release: checked and played on"
inside -c 'import platform, sys, cv2, kivy, numpy
print(platform.machine(), "Python", sys.version.split()[0], "numpy", numpy.__version__, "OpenCV", cv2.__version__,
    "Kivy", kivy.__version__)' | grep ^aarch64
