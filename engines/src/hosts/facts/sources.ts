import { partsScript } from './parts'

/** Sources that are not available on every host, with the program that each of them needs. */
export const programOf: Readonly<Record<string, string>> = {
  lscpu: 'lscpu',
  lsblk: 'lsblk',
  interfaces: 'ip',
  routes4: 'ip',
  routes6: 'ip',
  neighbors: 'lldpctl',
  clock: 'timedatectl',
  system: 'systemctl',
  failed: 'systemctl',
}

/** Script that reads all sources in one run, without starting a program for each file. */
export const factsScript = `${partsScript}
identity() { uname -n; uname -r; read -r id </etc/machine-id; echo "$id"; }
ports() {
  for folder in /sys/class/net/*; do
    speed= duplex=
    read -r speed <"$folder/speed"
    read -r duplex <"$folder/duplex"
    echo "\${folder##*/} \${speed:--} \${duplex:--}"
  done
}
kernels() {
  if [ -e /run/reboot-required ]; then echo required; else echo -; fi
  ls /boot/vmlinuz-* | sed 's|^/boot/vmlinuz-||' | sort -V
}
part identity identity
part os cat /etc/os-release
part stat cat /proc/stat
part load cat /proc/loadavg
part memory cat /proc/meminfo
part sudoers stat -c %Z /etc/sudoers /etc/sudoers.d /etc/group
part diskstats cat /proc/diskstats
part netdev cat /proc/net/dev
part ports ports
part kernels kernels
program lscpu lscpu -J
program lsblk lsblk -J -b -O
program interfaces ip -j -d address
program routes4 ip -j -4 route
program routes6 ip -j -6 route
program neighbors lldpctl -f json0
program clock timedatectl show
program system systemctl is-system-running
program failed systemctl show --no-pager --state=failed --property=Id,Result,ExecMainStatus '*'
`

/** Script that reads the SMART data of the disks given as arguments. It does not wake up sleeping disks. */
export const smartScript = `${partsScript}
for disk; do part "$disk" timeout 10 smartctl -n standby -j -a "/dev/$disk"; done
`
