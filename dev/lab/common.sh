# Sourced by the scripts in this folder: paths, and functions that start and stop nodes.
REPOSITORY=$(cd "$HERE/../.." && pwd)
STATE=$(realpath -m "${LAB_DIR:-/var/tmp/mainstay-lab}")
TREE=${LAB_TREE:-$REPOSITORY/.cache/lab/tree}
KEY=$STATE/key
# Prefix of the lab's cgroups. They contain all processes of the lab, so that later commands can find the processes.
GROUP=mainstay-lab-$(printf %s "$STATE" | cksum | cut -d' ' -f1)

say() { printf 'lab: %s\n' "$*" >&2; }
die() { say "$*"; exit 1; }

[ "$(id -u)" = 0 ] || die "run as root"

# Prints the cgroup hierarchies in which systemd needs a group of its own.
hierarchies() {
  if [ "$(stat -fc %T /sys/fs/cgroup)" = cgroup2fs ]; then echo /sys/fs/cgroup; else echo /sys/fs/cgroup/unified /sys/fs/cgroup/systemd; fi
}
# Prints the cgroups of NAME (a node or the network), or those of the whole lab.
groups_of() { for hierarchy in $(hierarchies); do find "$hierarchy" -maxdepth 1 -name "$GROUP-${1:-*}"; done; }
processes_of() { # [NAME]
  local groups
  mapfile -t groups < <(groups_of "$@")
  [ ${#groups[@]} = 0 ] || find "${groups[@]}" -name cgroup.procs -exec cat {} + 2>/dev/null | sort -nu
}
# Prints the PID of the first process of NAME, which has PID 1 in its own namespace.
pid_of() {
  local pid
  for pid in $(processes_of "$1"); do
    [ "$(sed -n 's/^NSpid:.*\t//p' "/proc/$pid/status" 2>/dev/null)" != 1 ] || { echo "$pid"; return 0; }
  done
  return 1
}
wait_for() { # SECONDS WHAT COMMAND...
  local end=$((SECONDS + $1)) what=$2
  shift 2
  until "$@" >/dev/null 2>&1; do
    [ $SECONDS -lt "$end" ] || die "$what did not start; see $STATE"
    sleep 0.1
  done
}

begin() { # NAME LOG COMMAND...: starts a process in groups of its own, before a cgroup namespace begins there
  local name=$1 log=$2 hierarchy
  shift 2
  for hierarchy in $(hierarchies); do mkdir -p "$hierarchy/$GROUP-$name"; done
  # shellcheck disable=SC2016
  setsid env -i PATH="$PATH" sh -c 'for group in $1; do echo $$ >"$group/cgroup.procs"; done; shift; exec "$@"' \
    sh "$(groups_of "$name")" "$@" </dev/null >"$log" 2>&1 &
  wait_for 20 "$name" pid_of "$name"
}
end() { # [NAME]: kills its processes, or those of the whole lab
  local limit=$((SECONDS + 30)) processes groups
  while mapfile -t groups < <(groups_of "$@") && [ ${#groups[@]} -gt 0 ]; do
    mapfile -t processes < <(processes_of "$@")
    [ ${#processes[@]} = 0 ] || kill -KILL "${processes[@]}" 2>/dev/null || true
    find "${groups[@]}" -depth -type d -exec rmdir {} \; 2>/dev/null || true
    [ $SECONDS -lt $limit ] || die "these groups could not be removed: ${groups[*]}"
    [ -z "$(groups_of "$@")" ] || sleep 0.1
  done
}

net() { nsenter -t "$(pid_of net)" -n "$@"; }
# Prints the MAC address of an interface. It stays the same when a node is restarted, as on real hosts.
mac_of() { printf '52:54:00:%02x:%02x:%02x' "$(cat "$STATE/number")" "${1#n}" "$2"; } # NAME INTERFACE
address_of() { echo "10.77.$(cat "$STATE/number").${1#n}"; }
answers() { (exec 3<>"/dev/tcp/$(address_of "$1")/22") 2>/dev/null; }

node_start() { # NAME
  local name=$1 folder=$STATE/$1 pid k=0 link
  ! pid_of "$name" >/dev/null || return 0
  mkdir -p "$folder"
  begin "$name" "$folder/log" unshare --mount --net --pid --uts --ipc --cgroup --fork --kill-child \
    "$HERE/node-init" "$name" "$folder" "$TREE" "$KEY.pub"
  pid=$(pid_of "$name") || die "$name ended while it started: $(tail -n 3 "$folder/log")"
  for link in management storage; do
    net ip link add "$name$link" type veth peer name "eth$k" address "$(mac_of "$name" $k)" netns "$pid"
    net ip link set "$name$link" master "$link" up
    k=$((k + 1))
  done
  nsenter -t "$pid" -n sh -c "ip link set lo up; ip address add $(address_of "$name")/24 dev eth0; ip link set eth0 up"
  wait_for 60 "the SSH server of $name" answers "$name"
}

node_kill() { # NAME: as if its power was cut: it is not able to close its connections before
  local link
  for link in management storage; do net ip link delete "$1$link" 2>/dev/null || true; done
  end "$1"
}
