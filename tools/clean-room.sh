#!/usr/bin/env bash
# Checks that a clone needs only Debian, Node and git: creates a fresh Debian root, clones the last commit into it, and
# runs `npm test` (or another command) there. Requires root and debootstrap. The Debian root is removed afterwards; only
# the plain Debian is cached for a day.
#   tools/clean-room.sh [--user] [--keep] [--release NAME] [--node VERSION] [COMMAND ARGUMENT...]
#     --user      runs the command as an ordinary user, with the system packages already installed
#     --keep      keeps the Debian root and prints its path
#     --release   Debian release: bookworm (12) or trixie (13)
#     --node      Node version, such as 24 or 22.21.1, from the npm registry; default: the host's Node
set -euo pipefail

as_user=0 keep=0 release=bookworm node_version=
while [ $# -gt 0 ]; do
  case $1 in
    --user) as_user=1 ;;
    --keep) keep=1 ;;
    --release) release=$2; shift ;;
    --node) node_version=$2; shift ;;
    --) shift; break ;;
    -*) sed -n '2,9s/^# //p' "$0" >&2; exit 2 ;;
    *) break ;;
  esac
  shift
done
[ $# -gt 0 ] || set -- npm test

say() { printf 'clean room: %s\n' "$*" >&2; }
give_up() { say "$*"; exit 1; }
[ "$(id -u)" = 0 ] || give_up 'run it as root'
for tool in debootstrap unshare pivot_root git node npm; do
  command -v "$tool" >/dev/null || give_up "$tool is not installed"
done

repository=$(git -C "$(dirname "$0")" rev-parse --show-toplevel)
store=${MAINSTAY_CLEAN_ROOM:-/var/tmp/mainstay-clean-room}
mkdir -p "$store"
room=$(mktemp -d "$store/room.XXXXXX")
# the mounts were in a separate namespace that has ended, so this cannot delete files on the host
finish() { [ "$keep" = 1 ] && say "kept: $room" || rm -rf --one-file-system "$room"; }
trap finish EXIT

# Prints the Debian archive that the host uses.
archive() {
  { cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources 2>/dev/null || true; } |
    sed -n -e 's/^URIs: *\([^ ]*\).*/\1/p' -e 's/^deb \(\[[^]]*\] *\)\?\([^ ]*\).*/\2/p' |
    grep '/debian/\?$' | head -n 1
}

# Runs debootstrap once a day. Each room starts as a clean copy of the result.
base=$store/$release.tar
if [ -z "$(find "$base" -mtime -1 2>/dev/null)" ]; then
  say "fetching Debian $release"
  from=$(archive) || give_up "no Debian archive in the host's apt sources"
  debootstrap --variant=minbase --include=ca-certificates "$release" "$room" "$from" >"$store/debootstrap.log" 2>&1 ||
    { tail -n 20 "$store/debootstrap.log" >&2; give_up 'debootstrap failed'; }
  tar -C "$room" -cf "$base.new" . && mv "$base.new" "$base"
else
  tar -C "$room" -xf "$base"
fi

chmod 755 "$room"

# Copies the host's package settings: sources, proxies and trusted certificates.
settings=()
for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR; do
  [ -n "${!name:-}" ] && settings+=("$name=${!name}")
done
registry=$(npm config get registry 2>/dev/null) && settings+=("npm_config_registry=$registry")
authority=$(npm config get cafile 2>/dev/null) && [ -f "$authority" ] && settings+=("npm_config_cafile=$authority")
for file in /etc/ssl/certs/ca-certificates.crt "${NODE_EXTRA_CA_CERTS:-}" "${SSL_CERT_FILE:-}" "$authority"; do
  [ -f "$file" ] && mkdir -p "$room$(dirname "$file")" && cp -L "$file" "$room$file"
done
cp -L /etc/resolv.conf /etc/hosts "$room/etc/"
rm -f "$room/etc/apt/sources.list"
cp -RL /etc/apt/sources.list /etc/apt/sources.list.d /etc/apt/trusted.gpg.d /etc/apt/keyrings "$room/etc/apt/" 2>/dev/null || true
# Uses the host's package sources with the room's release.
host_release=$(. /etc/os-release && echo "$VERSION_CODENAME")
find "$room"/etc/apt/sources.list* -type f -exec sed -i "s/\\b$host_release\\b/$release/g" {} +
apt-config dump | grep -E '^Acquire::(https?|ftp|Check-|Retries|ForceIPv)' >"$room/etc/apt/apt.conf.d/90host" || true

# Installs the host's Node or one from the registry, because Debian's Node may be too old.
if [ -n "$node_version" ]; then
  package=node-linux-$(node -p process.arch)@$node_version
  (cd "$store" && npm pack --silent "$package" >"$store/node.name") || give_up "the npm registry has no $package"
  mkdir -p "$room/usr/local/bin"
  tar -xzf "$store/$(tail -n 1 "$store/node.name")" -C "$room/usr/local/bin" --strip-components=2 package/bin/node
else
  install -D "$(readlink -f "$(command -v node)")" "$room/usr/local/bin/node"
fi
say "Node $("$room/usr/local/bin/node" --version), npm $(npm --version)"
mkdir -p "$room/usr/local/lib/node_modules"
cp -a "$(npm root -g 2>/dev/null)/npm" "$room/usr/local/lib/node_modules/"
ln -s ../lib/node_modules/npm/bin/npm-cli.js "$room/usr/local/bin/npm"
ln -s ../lib/node_modules/npm/bin/npx-cli.js "$room/usr/local/bin/npx"

# Runs a command in the room with its own mounts and processes. Uses pivot_root instead of chroot, because `nsenter` leaves
# a chroot, and the kernel does not allow user namespaces in one.
inside() {
  # shellcheck disable=SC2016 # the inner shell expands these
  unshare --mount --pid --fork --kill-child sh -euc '
    room=$1; shift
    mount --make-rprivate /
    mount --bind "$room" "$room"
    mount -t proc proc "$room/proc"
    mount --rbind /dev "$room/dev"
    # network devices for every user, as set up by udev
    case $(stat -c %a /dev/net/tun 2>/dev/null) in
      ??[67]|"") ;;
      *) mount -t tmpfs tun "$room/dev/net" && mknod -m 666 "$room/dev/net/tun" c 10 200 ;;
    esac
    mount -t sysfs -o ro sysfs "$room/sys" 2>/dev/null || true
    # this shell is process 1 of the room, so it also reaps orphans and leaves no zombies
    code=0
    cd "$room"
    pivot_root . .
    umount -l .
    cd /
    env -i "$@" || code=$?
    exit "$code"
  ' sh "$room" PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 TERM="${TERM:-dumb}" \
    "${settings[@]}" "$@"
}

say 'installing git, the only addition to Node'
inside HOME=/root DEBIAN_FRONTEND=noninteractive sh -c \
  'apt-get update -q && apt-get install -q -y --no-install-recommends git' >"$store/apt.log" 2>&1 ||
  { tail -n 20 "$store/apt.log" >&2; give_up 'apt-get failed in the clean room'; }

say "cloning $(git -C "$repository" log -1 --format='%h %s')"
git clone -q --no-hardlinks "$repository" "$room/srv/mainstay"
git -C "$room/srv/mainstay" remote remove origin

who=(HOME=/root)
if [ "$as_user" = 1 ]; then
  inside HOME=/root useradd --create-home tester
  inside HOME=/root sh -c 'cd /srv/mainstay && node tools/install-packages.mjs test --install' >"$store/apt.log" 2>&1 ||
    { tail -n 20 "$store/apt.log" >&2; give_up 'the system packages could not be installed'; }
  rm -rf "$room/srv/mainstay/.cache"
  inside HOME=/root chown -R tester: /srv/mainstay
  who=(HOME=/home/tester setpriv --reuid=tester --regid=tester --init-groups)
fi

say "running: $*"
started=$(date +%s) code=0
# CI=true makes tests fail if the host lacks a feature that they require
inside CI=true "${who[@]}" sh -c 'cd /srv/mainstay && exec "$@"' sh "$@" </dev/null || code=$?
say "ended with code $code after $(($(date +%s) - started)) s"
exit "$code"
