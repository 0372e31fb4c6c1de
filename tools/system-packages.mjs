// The Debian packages that Mainstay uses beside Node, and what each is for.
import { existsSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'

/**
 * @typedef {object} SystemPackage
 * @property {string} name in Debian
 * @property {'run' | 'test'} needed to run the product with real machines, or only to test it
 * @property {string} purpose
 * @property {string} [command] a program of it: found on the path = installed
 * @property {readonly string[]} [files] or one of these files of it
 * @property {string} [answers] to the questions of its installation, for debconf
 * @property {string} [masked] service that the package would begin on its own, and that stays off
 */

/** @type {readonly SystemPackage[]} */
export const systemPackages = [
  { name: 'qemu-system-x86', needed: 'run', command: 'qemu-system-x86_64', purpose: 'runs the virtual machines' },
  { name: 'qemu-utils', needed: 'run', command: 'qemu-img', purpose: 'checks, converts and creates disk images' },
  {
    name: 'bubblewrap',
    needed: 'run',
    command: 'bwrap',
    purpose: 'keeps what looks at images of strangers apart from the rest of the machine',
  },
  {
    name: 'ovmf',
    needed: 'run',
    files: ['/usr/share/OVMF/OVMF_CODE_4M.fd', '/usr/share/OVMF/OVMF_CODE.fd'],
    purpose: 'firmware for machines that start by UEFI',
  },
  {
    name: 'slirp4netns',
    needed: 'run',
    command: 'slirp4netns',
    purpose: 'the way out of the network namespace of the virtual machines',
  },
  {
    name: 'victoria-metrics',
    needed: 'run',
    command: 'victoria-metrics',
    purpose: 'keeps the figures that charts show; without it there are only those of now',
    // the server starts one of its own; that of the package would answer everybody who can reach the machine
    masked: 'victoria-metrics.service',
  },
  {
    name: 'netbase',
    needed: 'run',
    files: ['/etc/protocols'],
    purpose: 'by which `ip` and `nft` know protocols by name',
  },
  { name: 'iproute2', needed: 'run', command: 'ip', purpose: 'sets up that namespace, and networks in it' },
  { name: 'nftables', needed: 'run', command: 'nft', purpose: 'rules of networks: who may send what to whom' },
  { name: 'conntrack', needed: 'run', command: 'conntrack', purpose: 'ends connections that rules no longer let pass' },
  { name: 'dnsmasq-base', needed: 'run', command: 'dnsmasq', purpose: 'addresses and names of networks' },
  {
    name: 'haproxy',
    needed: 'run',
    command: 'haproxy',
    purpose: 'load balancers; passes what guests ask for their metadata to the server',
    // the server starts one of its own
    masked: 'haproxy.service',
  },
  {
    name: 'keepalived',
    needed: 'run',
    command: 'keepalived',
    purpose: 'moves the address of a load balancer to the one that stands in',
    // the server starts those that it needs
    masked: 'keepalived.service',
  },
  {
    name: 'strongswan-charon',
    needed: 'run',
    files: ['/usr/lib/ipsec/charon'],
    purpose: 'VPN connections; without it there are none',
  },
  {
    name: 'strongswan-swanctl',
    needed: 'run',
    command: 'swanctl',
    purpose: 'by which the server tells that program what to do',
  },
  {
    name: 'libstrongswan-standard-plugins',
    needed: 'run',
    files: ['/usr/lib/ipsec/plugins/libstrongswan-openssl.so'],
    purpose: 'algorithms of VPN connections',
  },
  {
    name: 'libcharon-extra-plugins',
    needed: 'run',
    files: ['/usr/lib/ipsec/plugins/libstrongswan-kernel-libipsec.so'],
    purpose: 'VPN connections where the kernel cannot protect packets itself',
  },
  { name: 'iputils-ping', needed: 'run', command: 'ping', purpose: 'asks whether one machine reaches another' },
  {
    name: 'chromium-headless-shell',
    needed: 'test',
    command: 'chromium-headless-shell',
    purpose: 'the browser of the end-to-end tests',
  },
  {
    name: 'fonts-dejavu-core',
    needed: 'test',
    files: ['/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf'],
    purpose: 'text in that browser, Arabic included',
  },
  {
    name: 'slapd',
    needed: 'test',
    command: 'slapd',
    purpose: 'the directory (LDAP) that tests import people from',
    // the package sets up no directory of its own, so none is served beside those of the tests
    answers: 'slapd slapd/no_configuration boolean true',
  },
  { name: 'openssh-client', needed: 'test', command: 'ssh-keygen', purpose: 'reads the keys that the server makes' },
  { name: 'awscli', needed: 'test', files: ['/usr/bin/aws'], purpose: 'a client of object storage' },
  { name: 's3cmd', needed: 'test', files: ['/usr/bin/s3cmd'], purpose: 'a client of object storage' },
  { name: 'rclone', needed: 'test', files: ['/usr/bin/rclone'], purpose: 'a client of object storage' },
  {
    name: 'python3-boto3',
    needed: 'test',
    files: ['/usr/lib/python3/dist-packages/boto3/__init__.py'],
    purpose: 'a client of object storage',
  },
  { name: 'curl', needed: 'test', command: 'curl', purpose: 'follows the links that clients of object storage make' },
  { name: 'dosfstools', needed: 'run', command: 'mkfs.vfat', purpose: 'file system of the try-out guest' },
  { name: 'mtools', needed: 'run', command: 'mcopy', purpose: 'fills that file system without mounting it' },
  { name: 'syslinux', needed: 'run', command: 'syslinux', purpose: 'boot loader of the try-out guest' },
  { name: 'cpio', needed: 'run', command: 'cpio', purpose: 'packs the root of the try-out guest' },
  { name: 'xz-utils', needed: 'run', command: 'xz', purpose: 'unpacks the kernel modules of the try-out guest' },
  { name: 'kmod', needed: 'run', command: 'modprobe', purpose: 'finds the kernel modules of the try-out guest' },
]

/** Debian keeps system programs out of an ordinary user's path. */
export const searchPath = [process.env['PATH'] ?? '', '/usr/local/sbin', '/usr/sbin', '/sbin'].join(path.delimiter)

/** @param {string} command */
export const findCommand = (command) =>
  searchPath
    .split(path.delimiter)
    .filter(Boolean)
    .map((folder) => path.join(folder, command))
    .find((file) => existsSync(file))

/** @param {SystemPackage} wanted */
const isInstalled = ({ command, files = [] }) =>
  (command !== undefined && findCommand(command) !== undefined) || files.some((file) => existsSync(file))

/** Tests need what running needs. @param {'run' | 'test'} purpose */
export const missingPackages = (purpose) =>
  systemPackages.filter((wanted) => (purpose === 'test' || wanted.needed === 'run') && !isInstalled(wanted))

/** @param {readonly SystemPackage[]} packages */
export function installCommand(packages) {
  const answers = packages.flatMap(({ answers }) =>
    answers === undefined ? [] : `echo '${answers}' | sudo debconf-set-selections`,
  )
  const masks = packages.flatMap(({ masked }) =>
    masked === undefined ? [] : `sudo ln -sf /dev/null /etc/systemd/system/${masked}`,
  )
  const names = packages.map(({ name }) => name).join(' ')
  return [...answers, ...masks, 'sudo apt-get update', `sudo apt-get install --no-install-recommends ${names}`].join(
    ' && ',
  )
}
