#!/bin/sh
# Builds the small guest that tests, benchmarks and demos use. See README.md.
#   build.sh OUTPUT.qcow2
set -eu

output=${1:?usage: build.sh OUTPUT.qcow2}
here=$(cd "$(dirname "$0")" && pwd)
export LC_ALL=C SOURCE_DATE_EPOCH=1700000000 MTOOLS_SKIP_CHECK=1 PATH="$PATH:/usr/sbin:/sbin"

say() { echo "guest-image: $*" >&2; }
give_up() { say "$*"; exit 1; }

# The recipe is the cache key: after a change of a file in this folder, the guest is built again.
recipe=$(cd "$here" && cat build.sh root/* | sha256sum | cut -d' ' -f1)
if [ -s "$output" ] && [ "$(cat "$output.recipe" 2>/dev/null)" = "$recipe" ]; then
  exit 0
fi

missing_tools() {
  for pair in cpio:cpio depmod:kmod gzip:gzip xz:xz-utils mkfs.vfat:dosfstools mcopy:mtools syslinux:syslinux qemu-img:qemu-utils; do
    command -v "${pair%%:*}" >/dev/null || echo "${pair##*:}"
  done
}

# Only one build at a time writes the output; others wait for it and use its result.
mkdir -p "$(dirname "$output")"
exec 9>"$output.lock"
flock 9
if [ -s "$output" ] && [ "$(cat "$output.recipe" 2>/dev/null)" = "$recipe" ]; then
  exit 0
fi

tools=$(missing_tools)
if [ -n "$tools" ]; then
  [ "$(id -u)" = 0 ] || give_up "please install:" $tools
  apt-get update -q >&2
  # shellcheck disable=SC2086 # one word per package
  DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $tools >&2
fi

work=$(mktemp -d "${TMPDIR:-/tmp}/guest-image.XXXXXX")
trap 'rm -rf "$work"' EXIT
root=$work/root
mkdir -p "$work/deb" "$work/unpacked" "$root"

kernel_package() {
  apt-cache depends linux-image-cloud-amd64 2>/dev/null |
    sed -n 's/.*Depends: \(linux-image-[0-9][^ ]*\)$/\1/p' | head -n 1
}
kernel=$(kernel_package)
if [ -z "$kernel" ]; then
  [ "$(id -u)" = 0 ] && apt-get update -q >&2
  kernel=$(kernel_package)
fi
[ -n "$kernel" ] || give_up "no linux-image-cloud-amd64 in the package lists; run apt-get update"

say "fetching $kernel"
# apt's sandbox user cannot write to our folder.
(cd "$work/deb" && apt-get -q -o APT::Sandbox::User=root download "$kernel" busybox-static systemd-boot-efi >&2) ||
  give_up "apt could not download the packages"
for package in "$work"/deb/*.deb; do dpkg-deb -x "$package" "$work/unpacked"; done
# Since Debian 13, modules are in usr/lib, but depmod and modprobe look in lib.
[ -e "$work/unpacked/lib" ] || ln -s usr/lib "$work/unpacked/lib"

release=$(basename "$work"/unpacked/lib/modules/*)
vmlinuz=$work/unpacked/boot/vmlinuz-$release
busybox=$(find "$work/unpacked" -type f -path '*bin/busybox' | head -n 1)

say "creating the initial file system"
mkdir -p "$root/bin" "$root/etc" "$root/dev" "$root/proc" "$root/sys" "$root/tmp" "$root/mnt" "$root/www" "$root/run" \
  "$root/lib/modules/$release"
cp "$busybox" "$root/bin/busybox"
cp "$here/root/init" "$root/init"
for script in agent dhcp seed watch; do cp "$here/root/$script" "$root/etc/$script"; done
chmod 755 "$root/init" "$root"/etc/*
echo 'root::0:0:root:/:/bin/sh' >"$root/etc/passwd"
echo 'root:x:0:' >"$root/etc/group"
echo '127.0.0.1 localhost' >"$root/etc/hosts"

# Modules with their dependencies; those that this kernel lacks are skipped. The kernel's list of dependencies works for all versions.
depmod -b "$work/unpacked" "$release" 2>/dev/null || give_up "depmod failed for $release"
wanted="virtio_pci virtio_blk virtio_net virtio_scsi virtio-rng virtio_mem virtio_console sd_mod sr_mod ata_piix isofs vfat nls_ascii nls_cp437 nls_utf8 button evdev"
for module in $wanted; do
  modprobe -d "$work/unpacked" -S "$release" --show-depends "$module" 2>/dev/null || :
done | sed -n 's/^insmod \([^ ]*\).*/\1/p' | awk '!seen[$0]++' >"$work/insmod"
[ -s "$work/insmod" ] || give_up "the kernel's modules were not found"
# Busybox cannot load compressed modules, which Debian 13 has.
while read -r file; do
  name=$(basename "$file" .xz)
  case $file in
    *.xz) xz -dc "$file" >"$root/lib/modules/$release/$name" ;;
    *) cp "$file" "$root/lib/modules/$release/" ;;
  esac
  echo "$name"
done <"$work/insmod" >"$root/etc/modules"

find "$root" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
(cd "$root" && find . | sort | cpio --quiet --create --format=newc --owner=0:0 --reproducible | gzip -n -9) >"$work/initrd.gz"

say "creating the disk"
# syslinux boots with BIOS, systemd-boot with UEFI; both pass the same kernel parameters.
words='console=ttyS0,115200 console=tty0 quiet mitigations=off no_timer_check random.trust_cpu=on nokaslr panic=5'
cat >"$work/syslinux.cfg" <<END
DEFAULT guest
PROMPT 0
TIMEOUT 0
LABEL guest
  LINUX /vmlinuz
  INITRD /initrd.gz
  APPEND $words
END
printf 'timeout 0\ndefault guest.conf\n' >"$work/loader.conf"
printf 'title guest\nlinux /vmlinuz\ninitrd /initrd.gz\noptions %s\n' "$words" >"$work/guest.conf"
cp "$vmlinuz" "$work/vmlinuz"
cp "$work"/unpacked/usr/lib/systemd/boot/efi/systemd-bootx64.efi "$work/BOOTX64.EFI"
(cd "$work" && touch -d "@$SOURCE_DATE_EPOCH" vmlinuz initrd.gz syslinux.cfg loader.conf guest.conf BOOTX64.EFI)

disk=$work/disk.raw
truncate -s 40M "$disk"
mkfs.vfat --invariant -n GUEST "$disk" >/dev/null
syslinux --install "$disk"
mmd -i "$disk" ::/EFI ::/EFI/BOOT ::/loader ::/loader/entries
mcopy -m -i "$disk" "$work/vmlinuz" "$work/initrd.gz" "$work/syslinux.cfg" ::/
mcopy -m -i "$disk" "$work/BOOTX64.EFI" ::/EFI/BOOT/
mcopy -m -i "$disk" "$work/loader.conf" ::/loader/
mcopy -m -i "$disk" "$work/guest.conf" ::/loader/entries/

qemu-img convert -q -f raw -O qcow2 "$disk" "$output.part"
sync "$output.part"
mv "$output.part" "$output"
echo "$recipe" >"$output.recipe"
say "$output is ready, $(du -h "$output" | cut -f1), kernel $release"
