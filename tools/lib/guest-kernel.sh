# shellcheck shell=sh
# Shared by the recipes of small guests (`guest-image`, `file-reader`): Debian's cloud kernel, a few of its modules, and an
# initial file system. Packages are unpacked, not installed, and nothing is mounted. A recipe sets `name`, `here` and `output`.
export LC_ALL=C SOURCE_DATE_EPOCH=1700000000 PATH="$PATH:/usr/sbin:/sbin"

say() { echo "$name: $*" >&2; }
give_up() { say "$*"; exit 1; }

# The recipe is the cache key: after a change of its files, the guest is built again.
recipe_hash() { (cd "$here" && cat ../lib/guest-kernel.sh build.sh root/* | sha256sum | cut -d' ' -f1); }
is_current() { [ -s "$output" ] && [ "$(cat "$output.recipe" 2>/dev/null)" = "$recipe" ]; }

# Ends the script if the output is up to date. Only one build at a time writes it; others wait for it and use its result.
begin_build() {
  recipe=$(recipe_hash)
  is_current && exit 0
  mkdir -p "$(dirname "$output")"
  exec 9>"$output.lock"
  flock 9
  is_current && exit 0
  work=$(mktemp -d "${TMPDIR:-/tmp}/$name.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  root=$work/root unpacked=$work/unpacked
  mkdir -p "$work/deb" "$unpacked" "$root"
}

# Installs the tools that are missing: PROGRAM:PACKAGE ...
require_tools() {
  missing=''
  for pair in cpio:cpio depmod:kmod xz:xz-utils "$@"; do
    command -v "${pair%%:*}" >/dev/null || missing="$missing ${pair##*:}"
  done
  [ -n "$missing" ] || return 0
  [ "$(id -u)" = 0 ] || give_up "please install:$missing"
  apt-get update -q >&2
  # shellcheck disable=SC2086 # one word per package
  DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $missing >&2
}

kernel_package() {
  apt-cache depends linux-image-cloud-amd64 2>/dev/null |
    sed -n 's/.*Depends: \(linux-image-[0-9][^ ]*\)$/\1/p' | head -n 1
}

# Prints the name of the kernel's package.
find_kernel() {
  kernel=$(kernel_package)
  if [ -z "$kernel" ]; then
    [ "$(id -u)" = 0 ] && apt-get update -q >&2
    kernel=$(kernel_package)
  fi
  [ -n "$kernel" ] || give_up "no linux-image-cloud-amd64 in the package lists; run apt-get update"
  echo "$kernel"
}

# Downloads packages and unpacks them.
fetch() {
  say "fetching $1"
  # apt's sandbox user cannot write to our folder.
  (cd "$work/deb" && apt-get -q -o APT::Sandbox::User=root download "$@" >&2) || give_up "apt could not download the packages"
  for package in "$work"/deb/*.deb; do dpkg-deb -x "$package" "$unpacked"; done
  # Since Debian 13, modules are in usr/lib, but depmod and modprobe look in lib.
  [ -e "$unpacked/lib" ] || ln -s usr/lib "$unpacked/lib"
  release=$(basename "$unpacked"/lib/modules/*)
  vmlinuz=$unpacked/boot/vmlinuz-$release
  busybox=$(find "$unpacked" -type f -path '*bin/busybox' | head -n 1)
  # The kernel's list of dependencies works for all versions.
  depmod -b "$unpacked" "$release" 2>/dev/null || give_up "depmod failed for $release"
}

# Copies modules with their dependencies, and prints their file names in the order of loading. Those that this kernel lacks
# are skipped.
copy_modules() {
  mkdir -p "$root/lib/modules/$release"
  for module in "$@"; do
    modprobe -d "$unpacked" -S "$release" --show-depends "$module" 2>/dev/null || :
  done | sed -n 's/^insmod \([^ ]*\).*/\1/p' | awk '!seen[$0]++' | while read -r file; do
    module_name=$(basename "$file" .xz)
    # Busybox cannot load compressed modules, which Debian 13 has.
    case $file in
      *.xz) xz -dc "$file" >"$root/lib/modules/$release/$module_name" ;;
      *) cp "$file" "$root/lib/modules/$release/" ;;
    esac
    echo "$module_name"
  done
}

# Writes the initial file system, always with the same bytes.
pack_root() {
  find "$root" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
  (cd "$root" && find . | sort | cpio --quiet --create --format=newc --owner=0:0 --reproducible)
}

finish_build() {
  sync "$1"
  mv "$1" "$output"
  echo "$recipe" >"$output.recipe"
  say "$output is ready, $(du -h "$output" | cut -f1), kernel $release"
}
