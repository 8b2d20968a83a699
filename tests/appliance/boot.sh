#!/usr/bin/env bash
# The service under a real systemd: boots a Debian root in a container, installs, stops, hangs and kills the companion.
#
#     sudo tests/appliance/boot.sh ROOT
#
# ROOT is a Debian root (as mmdebstrap makes one, with systemd-sysv, dbus, python3-venv and the libraries of Mesa), with
# the companion installed into ROOT/opt/garden-companion. It is not changed: the boot is on an overlay. Needs
# systemd-nspawn; a screen is drawn off screen, for there is no /dev/tty1 in a container. Takes three minutes.
set -euo pipefail

root=$(realpath "${1:?usage: boot.sh ROOT}")
log=$(mktemp)
failed=0

SYSTEMD_NSPAWN_UNIFIED_HIERARCHY=1 systemd-nspawn -q -D "$root" --volatile=overlay --boot --register=no --keep-unit \
    --console=pipe --kill-signal=SIGRTMIN+3 --private-network >"$log" 2>&1 &
container=$!
trap 'kill $container 2>/dev/null || true; wait $container 2>/dev/null || true; rm -f "$log"' EXIT

inside() { nsenter -t "$init" -a "$@"; }
shown() { inside systemctl show -P "$1" "${2:-companion}"; }
check() { # NAME FOUND EXPECTED
    if [[ $2 == "$3" ]]; then echo "ok    $1"; else echo "FAIL  $1: $2 found; expected $3"; failed=1; fi
}
until_shown() { # PROPERTY VALUE SECONDS [UNIT]
    for ((i = 0; i < $3; i++)); do
        [[ $(shown "$1" "${4:-companion}") == "$2" ]] && return
        sleep 1
    done
}

for ((i = 0; i < 60; i++)); do
    init=$(pgrep -P $container | head -n 1 || true)
    [[ -n $init ]] && inside systemctl is-system-running --quiet 2>/dev/null && break
    sleep 1
done

for unit in companion companion-safe; do
    inside mkdir -p "/run/systemd/system/$unit.service.d"
    inside sh -c "printf '[Service]\nTTYPath=\nStandardInput=null\nStandardOutput=journal\nTTYReset=no\nTTYVHangup=no\nEnvironment=SDL_VIDEODRIVER=offscreen\n' >/run/systemd/system/$unit.service.d/container.conf"
done

inside /opt/garden-companion/bin/companion install
check "installing again does nothing" "$(inside /opt/garden-companion/bin/companion install)" \
    "Everything is as it should be; there is nothing to do."
inside systemctl start companion
check "it starts, sandboxed, and says that it is ready" "$(shown ActiveState)" active

begun=$(date +%s%N)
inside systemctl stop companion
took=$((($(date +%s%N) - begun) / 1000000))
check "it stops within 2 s" "$((took < 2000))" 1
echo "      $took ms"
check "stopping is no failure" "$(shown Result) $(shown ActiveState) $(shown ActiveState companion-safe)" \
    "success inactive inactive"

inside systemctl start companion
inside systemctl kill -s STOP companion
until_shown NRestarts 1 60
check "one that hangs is begun again by the watchdog" "$(shown NRestarts)" 1
until_shown SubState running 60

for ((kills = 0; kills < 10; kills++)); do
    inside systemctl kill -s KILL companion 2>/dev/null || true
    sleep 5
    [[ $(shown ActiveState) == failed ]] && break
done
until_shown ActiveState active 60 companion-safe
check "killed again and again it ends in the safe mode" "$(shown ActiveState) $(shown ActiveState companion-safe)" \
    "failed active"
restarts=$(shown NRestarts)
sleep 10
check "and is not begun any more" "$(shown NRestarts)" "$restarts"
inside systemctl reset-failed companion
inside systemctl start companion
check "it can be begun again by hand" "$(shown ActiveState)" active
inside systemctl poweroff
wait $container || true
exit $failed
