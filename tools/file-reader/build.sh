#!/bin/sh
# Builds the guest that reads the files of recovery points. See README.md.
#   build.sh OUTPUT       writes OUTPUT (the initial file system) and OUTPUT.kernel
set -eu

output=${1:?usage: build.sh OUTPUT}
name=file-reader
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=../lib/guest-kernel.sh
. "$here/../lib/guest-kernel.sh"

begin_build
require_tools
libraries() {
  # libelogind0 replaces libsystemd0
  apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces --no-enhances "$@" |
    grep '^lib' | grep -v '^libelogind' | sort -u
}
kernel=$(find_kernel)
ntfs_library=$(apt-cache depends ntfs-3g | sed -n 's/.*Depends: \(libntfs-3g[^ ]*\)$/\1/p' | head -n 1)
# shellcheck disable=SC2046 # one word per package
fetch "$kernel" busybox-static findutils util-linux lvm2 ntfs-3g "$ntfs_library" $(libraries lvm2 findutils)

say "creating the initial file system"
mkdir -p "$root/bin" "$root/etc/modules" "$root/dev" "$root/proc" "$root/sys" "$root/run" "$root/tmp" "$root/mnt"
cp "$busybox" "$root/bin/busybox"
cp "$here/root/init" "$root/init"
chmod 755 "$root/init"

# Programs of other packages, with the libraries that they need.
loader=$unpacked/lib64/ld-linux-x86-64.so.2
[ -e "$loader" ] || loader=$unpacked/usr/lib64/ld-linux-x86-64.so.2
folders=$unpacked/lib/x86_64-linux-gnu:$unpacked/usr/lib/x86_64-linux-gnu
mkdir -p "$root/lib64" "$root/lib/x86_64-linux-gnu"
cp "$loader" "$root/lib64/ld-linux-x86-64.so.2"
for program in find blkid lvm ntfs-3g; do
  file=$(find "$unpacked" -path "*bin/$program" ! -type l | head -n 1)
  [ -n "$file" ] || give_up "the program $program was not found"
  cp "$file" "$root/bin/$program"
  "$loader" --library-path "$folders" --list "$file" | sed -n 's/.*=> \([^ ]*\) .*/\1/p' >>"$work/libraries"
done
sort -u "$work/libraries" | while read -r file; do
  case $file in
    "$unpacked"/*) cp -L "$file" "$root/lib/x86_64-linux-gnu/" ;;
    *) give_up "the library $file is not in the packages" ;;
  esac
done

# Modules for the devices are loaded first, those of a file system only when they are needed.
copy_modules virtio_pci virtio_blk virtio_console dm-mod >"$root/etc/modules/devices"
copy_modules ext4 crc32c_generic >"$root/etc/modules/ext4"
copy_modules crc32c_generic xfs >"$root/etc/modules/xfs"
copy_modules crc32c_generic xxhash_generic sha256_generic blake2b_generic btrfs >"$root/etc/modules/btrfs"
copy_modules nls_cp437 nls_ascii nls_utf8 vfat >"$root/etc/modules/vfat"
copy_modules exfat >"$root/etc/modules/exfat"
copy_modules fuse >"$root/etc/modules/ntfs"
copy_modules nls_utf8 isofs >"$root/etc/modules/iso9660"
copy_modules dm-thin-pool dm-raid dm-snapshot dm-mirror >"$root/etc/modules/lvm"

# Not compressed, because unpacking takes longer than loading without KVM.
pack_root >"$output.part"
cp "$vmlinuz" "$output.kernel.part"
mv "$output.kernel.part" "$output.kernel"
finish_build "$output.part"
