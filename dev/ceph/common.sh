# Sourced by up and down: paths, ports, and functions that manage processes.
STATE=${CEPH_DIR:-/var/tmp/mainstay-ceph}
ADDRESS=127.0.0.1
RGW_PORT=${CEPH_RGW_PORT:-8480}
MON_PORT=${CEPH_MON_PORT:-13390}
OSD_PORTS=${CEPH_OSD_PORTS:-16890-16990}
OSD_SIZE=${CEPH_OSD_SIZE:-6G}
MANAGER=${CEPH_MANAGER:-}
STORE=${CEPH_STORE:-bluestore}
CONF=$STATE/ceph.conf

say() { printf 'ceph: %s\n' "$*" >&2; }
die() { say "$*"; exit 1; }

started_at() { # PID: prints the start time of the process in ticks since boot, or nothing if it has ended
  local stat
  { stat=$(<"/proc/$1/stat"); } 2>/dev/null || return 0
  stat=${stat##*) } # the program name may contain spaces
  # shellcheck disable=SC2086
  set -- $stat
  [ "$1" = Z ] || echo "${20}"
}
alive() { # NAME: succeeds if the process started under this name is still running
  local pid began
  [ -s "$STATE/run/$1.pid" ] || return 1
  read -r pid began <"$STATE/run/$1.pid"
  [ -n "$began" ] && [ "$(started_at "$pid")" = "$began" ]
}
start() { # NAME COMMAND...: starts the command in the background in a new session
  local name=$1
  shift
  alive "$name" && return
  say "starting $name"
  setsid "$@" </dev/null >>"$STATE/log/$name.out" 2>&1 9>&- &
  echo "$! $(started_at $!)" >"$STATE/run/$name.pid"
}
stop() { # NAME: sends TERM, and KILL after 20 s
  local pid began n=0
  if alive "$1"; then
    read -r pid began <"$STATE/run/$1.pid"
    kill -TERM "$pid" 2>/dev/null || true
    while alive "$1"; do
      n=$((n + 1))
      [ $n -ne 200 ] || { say "$1 does not stop on SIGTERM; killing it"; kill -KILL "$pid" 2>/dev/null || true; }
      sleep 0.1
    done
    say "stopped $1"
  fi
  rm -f "$STATE/run/$1.pid"
}
one_at_a_time() {
  exec 9>"$STATE/lock"
  flock -w 120 9 || die "another up or down is running in $STATE"
}
