#!/usr/bin/env bash
# The install tried in a clean Debian root, as systemd/README.md has it: made, installed, checked, a game played.
#
#     sudo tests/appliance/install.sh RELEASE DIR
#
# RELEASE is bookworm or trixie, DIR is made anew (1 GB). Needs mmdebstrap and a network; takes some minutes. What it
# prints in the end goes into docs/platforms.md.
set -euo pipefail
release=${1:?usage: install.sh RELEASE DIR}
root=${2:?usage: install.sh RELEASE DIR}
project=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
packages=ca-certificates,python3,python3-venv,python3-numpy,systemd-sysv,dbus,libegl1,libgl1,libgl1-mesa-dri
case $release in
bookworm) packages+=,libmtdev1 constraint='numpy<2' ;;
trixie) packages+=,libmtdev1t64 constraint=numpy ;;
*) echo "install.sh: $release found; expected bookworm or trixie" >&2; exit 2 ;;
esac

mmdebstrap --quiet --mode=root --variant=apt --include="$packages" "$release" "$root"
cp /etc/resolv.conf "$root/etc/"
cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
mkdir "$root/opt/project"
git -C "$project" archive HEAD | tar -x -C "$root/opt/project"

inside() { systemd-nspawn -q -D "$root" --pipe --register=no --keep-unit "$@"; }
inside sh -c "python3 -m venv --system-site-packages /opt/garden-companion &&
    cd /opt/project && /opt/garden-companion/bin/pip install -q '.[eye,screen,panel]' '$constraint'"
companion=/opt/garden-companion/bin/companion
inside "$companion" doctor --camera simulated
inside "$companion" install --dry-run
inside env COMPANION_HOME=/var/tmp/games OMP_NUM_THREADS=1 "$companion" play --game garden-rush --seed 7 --turns 2 \
    --size 640x480 --calm --display none --speed max --confirm auto
inside env COMPANION_HOME=/var/tmp/games SDL_VIDEODRIVER=offscreen "$companion" screens /var/tmp/screens \
    --size 800x480 --theme light --lang hu --only home
test -s "$root/var/tmp/screens/home-hu-800x480-light.png" # look at it
echo "$release, $(uname -m): installed, checked, played, drawn with"
inside env KIVY_NO_CONSOLELOG=1 /opt/garden-companion/bin/python -c 'import cv2, kivy, numpy, PIL, sys
print("Python", sys.version.split()[0], "numpy", numpy.__version__, "OpenCV", cv2.__version__, "Kivy", kivy.__version__)' |
    grep ^Python
