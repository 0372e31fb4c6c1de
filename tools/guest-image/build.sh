#!/bin/sh
# Builds the small guest that tests, benchmarks and demos use. See README.md.
#   build.sh OUTPUT.qcow2
set -eu

output=${1:?usage: build.sh OUTPUT.qcow2}
name=guest-image
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=../lib/guest-kernel.sh
. "$here/../lib/guest-kernel.sh"
export MTOOLS_SKIP_CHECK=1

begin_build
require_tools gzip:gzip mkfs.vfat:dosfstools mcopy:mtools syslinux:syslinux qemu-img:qemu-utils
kernel=$(find_kernel)
fetch "$kernel" busybox-static systemd-boot-efi

say "creating the initial file system"
mkdir -p "$root/bin" "$root/etc" "$root/dev" "$root/proc" "$root/sys" "$root/tmp" "$root/mnt" "$root/www" "$root/run"
cp "$busybox" "$root/bin/busybox"
cp "$here/root/init" "$root/init"
for script in dhcp seed watch; do cp "$here/root/$script" "$root/etc/$script"; done
chmod 755 "$root/init" "$root"/etc/*
echo 'root::0:0:root:/:/bin/sh' >"$root/etc/passwd"
echo 'root:x:0:' >"$root/etc/group"
echo '127.0.0.1 localhost' >"$root/etc/hosts"

copy_modules virtio_pci virtio_blk virtio_net virtio_scsi virtio-rng virtio_mem sd_mod sr_mod ata_piix isofs vfat \
  nls_ascii nls_cp437 nls_utf8 button evdev >"$root/etc/modules"
[ -s "$root/etc/modules" ] || give_up "the kernel's modules were not found"
pack_root | gzip -n -9 >"$work/initrd.gz"

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
finish_build "$output.part"
