# Sourced by up, down and node: paths, and functions that start and stop nodes.
REPOSITORY=$(cd "$HERE/../.." && pwd)
STATE=${LAB_DIR:-/var/tmp/mainstay-lab}
TREE=${LAB_TREE:-$REPOSITORY/.cache/lab/tree}
KEY=$STATE/key

say() { printf 'lab: %s\n' "$*" >&2; }
die() { say "$*"; exit 1; }

[ "$(id -u)" = 0 ] || die "run as root"

# Name of everything that the lab creates outside its state folder: cgroups and the interface on this host.
id_of_lab() { echo "lab$(cat "$STATE/number")"; }
net() { nsenter -t "$(cat "$STATE/net.pid")" -n "$@"; }
# Hierarchies in which systemd needs a group of its own.
hierarchies() {
  if [ "$(stat -fc %T /sys/fs/cgroup)" = cgroup2fs ]; then echo /sys/fs/cgroup; else echo /sys/fs/cgroup/unified /sys/fs/cgroup/systemd; fi
}
address_of() { echo "10.77.$(cat "$STATE/number").${1#n}"; }
pid_of() { cat "$STATE/$1/pid" 2>/dev/null; }
is_running() { local pid; pid=$(pid_of "$1") && [ -d "/proc/$pid" ]; }

wait_for() { # SECONDS WHAT COMMAND...
  local end=$((SECONDS + $1)) what=$2
  shift 2
  until "$@" >/dev/null 2>&1; do
    [ $SECONDS -lt "$end" ] || die "$what did not start; see $STATE"
    sleep 0.2
  done
}
answers() { (exec 3<>"/dev/tcp/$(address_of "$1")/22") 2>/dev/null; }
child_of() { [ -n "$(pgrep -P "$1")" ] && [ "$(readlink "/proc/$(pgrep -P "$1")/ns/net")" != "$(readlink /proc/self/ns/net)" ]; }

node_start() { # NAME
  local name=$1 folder=$STATE/$1 group unshare pid k=0 link
  is_running "$name" && return
  mkdir -p "$folder"
  for group in $(hierarchies); do mkdir -p "$group/$(id_of_lab)-$name"; done
  # the new process is in its groups before its cgroup namespace begins there
  # shellcheck disable=SC2016
  setsid sh -c 'for group in $1; do echo $$ >"$group/$2/cgroup.procs"; done; shift 2
    exec unshare --mount --net --pid --uts --ipc --cgroup --fork --kill-child "$@"' \
    sh "$(hierarchies)" "$(id_of_lab)-$name" "$HERE/node-init" "$name" "$folder" "$TREE" "$KEY.pub" \
    </dev/null >"$folder/log" 2>&1 &
  unshare=$!
  wait_for 20 "$name" child_of "$unshare"
  pid=$(pgrep -P "$unshare")
  echo "$pid" >"$folder/pid"
  for link in management storage; do
    net ip link add "$name$link" type veth peer name "eth$k" netns "$pid"
    net ip link set "$name$link" master "$link" up
    k=$((k + 1))
  done
  nsenter -t "$pid" -n sh -c "ip link set lo up; ip address add $(address_of "$name")/24 dev eth0; ip link set eth0 up"
  wait_for 60 "the SSH server of $name" answers "$name"
}

node_kill() { # NAME: as if its power was cut
  local pid group
  if is_running "$1"; then
    pid=$(pid_of "$1")
    kill -KILL "$pid"
    while [ -d "/proc/$pid" ]; do sleep 0.1; done
  fi
  rm -f "$STATE/$1/pid"
  for group in $(hierarchies); do
    [ ! -d "$group/$(id_of_lab)-$1" ] || find "$group/$(id_of_lab)-$1" -depth -type d -exec rmdir {} + 2>/dev/null || true
  done
}
