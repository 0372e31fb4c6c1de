# Sourced by up and down.
# shellcheck shell=bash

export PATH=/usr/sbin:/usr/bin:/sbin:/bin
export LC_ALL=C.UTF-8
unset PYTHONPATH PYTHONHOME VIRTUAL_ENV http_proxy https_proxy HTTP_PROXY HTTPS_PROXY
unset "${!OS_@}"

STATE=${OPENSTACK_DIR:-/var/tmp/openstack-dev}
case $STATE in /*) ;; *) echo "OPENSTACK_DIR must be absolute" >&2; exit 2;; esac
# Unix socket paths are limited to 107 bytes; our longest suffix has about 50.
[ ${#STATE} -le 50 ] || { echo "OPENSTACK_DIR is too long (max 50 characters)" >&2; exit 2; }

ETC=$STATE/etc LOG=$STATE/log RUN=$STATE/run DATA=$STATE/data
HOST_IP=127.0.0.1
COMPUTE_HOST=os-dev-1

# Marks every process started here (and its children), so that `down` can
# distinguish them from other processes on the machine, even if they daemonize.
export OPENSTACK_DEV_MARK=$STATE

say()  { printf '%s  %s\n' "$(date +%H:%M:%S)" "$*"; }
die()  { printf 'error: %s\n' "$*" >&2; exit 1; }

# A process is identified by PID and start time (field 22 of /proc/PID/stat),
# so that a reused PID is never mistaken for ours.
starttime() { sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | cut -d' ' -f20; }
alive() { # NAME: succeeds if the process recorded under that name is still running
  local pid st
  read -r pid st 2>/dev/null <"$RUN/pids/$1" || return 1
  [ -n "$pid" ] && [ "$(starttime "$pid")" = "$st" ] || return 1
  [ "$(sed 's/.*) //' "/proc/$pid/stat" 2>/dev/null | cut -c1)" != Z ]
}
launch() { # NAME CMD...: starts the command in the background in its own process group
  local name=$1 pid i; shift
  alive "$name" && return 0
  mkdir -p "$RUN/pids" "$LOG"
  printf '\n=== %s start %s: %s\n' "$(date -Is)" "$name" "$*" >>"$LOG/$name.log"
  setsid nice -n 5 "$@" </dev/null >>"$LOG/$name.log" 2>&1 9>&- &
  pid=$!
  for i in 1 2 3 4 5; do [ -n "$(starttime $pid)" ] && break; sleep 0.05; done
  echo "$pid $(starttime $pid)" >"$RUN/pids/$name"
  disown "$pid" 2>/dev/null || true
}
wait_for() { # SECONDS WHAT CMD...: polls CMD
  local limit=$1 what=$2 t0=$SECONDS; shift 2
  until "$@" >/dev/null 2>&1; do
    (( SECONDS - t0 < limit )) || die "$what did not start within ${limit} s (see $LOG)"
    sleep 0.3
  done
}
port_open() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }
need_port_free() { # PORT NAME: fails if another process uses the port
  alive "$2" && return 0
  port_open "$1" && die "port $1 (for $2) is already taken by another program"
  return 0
}
