// The Debian packages that Mainstay requires in addition to Node, and their purposes.
import { existsSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'

/** @typedef {'manage' | 'run' | 'test'} Purpose */

/**
 * @typedef {object} SystemPackage
 * @property {string} name in Debian
 * @property {Purpose} needed to manage nodes and clouds, to run virtual machines on this host as well, or only for tests
 * @property {string} purpose
 * @property {string} [command] program in the package, which is installed if the program is on the path
 * @property {readonly string[]} [files] files in the package, which is installed if one of them exists
 * @property {string} [answers] debconf settings for the installation
 * @property {string} [masked] systemd service in the package that must not start
 */

/** @type {readonly SystemPackage[]} */
export const systemPackages = [
  { name: 'qemu-system-x86', needed: 'run', command: 'qemu-system-x86_64', purpose: 'runs the virtual machines' },
  { name: 'qemu-utils', needed: 'run', command: 'qemu-img', purpose: 'checks, converts and creates disk images' },
  {
    name: 'bubblewrap',
    needed: 'run',
    command: 'bwrap',
    purpose: 'isolates the inspection of untrusted images',
  },
  {
    name: 'ovmf',
    needed: 'run',
    files: ['/usr/share/OVMF/OVMF_CODE_4M.fd', '/usr/share/OVMF/OVMF_CODE.fd'],
    purpose: 'UEFI firmware for virtual machines',
  },
  {
    name: 'slirp4netns',
    needed: 'run',
    command: 'slirp4netns',
    purpose: 'connects the network namespace of the virtual machines to the outside',
  },
  {
    name: 'victoria-metrics',
    needed: 'run',
    command: 'victoria-metrics',
    purpose: 'stores the metrics for charts; without it, only current values are shown',
    // the server starts its own instance; the packaged service would be open to everyone who can reach the host
    masked: 'victoria-metrics.service',
  },
  {
    name: 'netbase',
    needed: 'run',
    files: ['/etc/protocols'],
    purpose: 'protocol names for `ip` and `nft`',
  },
  { name: 'iproute2', needed: 'run', command: 'ip', purpose: 'sets up network namespaces and the networks in them' },
  { name: 'nftables', needed: 'run', command: 'nft', purpose: 'packet filter rules of networks' },
  { name: 'conntrack', needed: 'run', command: 'conntrack', purpose: 'closes connections that rules no longer allow' },
  { name: 'dnsmasq-base', needed: 'run', command: 'dnsmasq', purpose: 'DHCP and DNS in networks' },
  {
    name: 'haproxy',
    needed: 'run',
    command: 'haproxy',
    purpose: 'load balancers, and forwarding of metadata requests from guests',
    // the server starts its own instances
    masked: 'haproxy.service',
  },
  {
    name: 'keepalived',
    needed: 'run',
    command: 'keepalived',
    purpose: 'moves the address of a load balancer to its standby',
    // the server starts its own instances
    masked: 'keepalived.service',
  },
  {
    name: 'strongswan-charon',
    needed: 'run',
    files: ['/usr/lib/ipsec/charon'],
    purpose: 'VPN connections; without it, they are not available',
  },
  {
    name: 'strongswan-swanctl',
    needed: 'run',
    command: 'swanctl',
    purpose: 'controls strongswan-charon',
  },
  {
    name: 'libstrongswan-standard-plugins',
    needed: 'run',
    files: ['/usr/lib/ipsec/plugins/libstrongswan-openssl.so'],
    purpose: 'algorithms for VPN connections',
  },
  {
    name: 'libcharon-extra-plugins',
    needed: 'run',
    files: ['/usr/lib/ipsec/plugins/libstrongswan-kernel-libipsec.so'],
    purpose: 'VPN connections on hosts whose kernel lacks IPsec',
  },
  { name: 'iputils-ping', needed: 'run', command: 'ping', purpose: 'ping-based reachability checks' },
  {
    name: 'chromium-headless-shell',
    needed: 'test',
    command: 'chromium-headless-shell',
    purpose: 'browser for the end-to-end tests',
  },
  {
    name: 'fonts-dejavu-core',
    needed: 'test',
    files: ['/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf'],
    purpose: 'fonts for that browser, including Arabic',
  },
  {
    name: 'slapd',
    needed: 'test',
    command: 'slapd',
    purpose: 'LDAP directory for the import tests',
    // the package does not create a directory on installation; tests start their own
    answers: 'slapd slapd/no_configuration boolean true',
  },
  {
    name: 'openssh-client',
    needed: 'manage',
    command: 'ssh',
    purpose: 'connects to the other hosts of the installation',
  },
  {
    name: 'openssh-server',
    needed: 'test',
    command: 'sshd',
    purpose: 'host that the tests connect to',
    // tests start their own
    masked: 'ssh.service',
  },
  { name: 'cockpit-bridge', needed: 'test', command: 'cockpit-bridge', purpose: 'runs commands on that host' },
  { name: 'debootstrap', needed: 'test', command: 'debootstrap', purpose: 'installs the nodes of the lab' },
  { name: 'awscli', needed: 'test', files: ['/usr/bin/aws'], purpose: 'object storage client' },
  { name: 's3cmd', needed: 'test', files: ['/usr/bin/s3cmd'], purpose: 'object storage client' },
  { name: 'rclone', needed: 'test', files: ['/usr/bin/rclone'], purpose: 'object storage client' },
  {
    name: 'python3-boto3',
    needed: 'test',
    files: ['/usr/lib/python3/dist-packages/boto3/__init__.py'],
    purpose: 'object storage client',
  },
  { name: 'xfsprogs', needed: 'test', command: 'mkfs.xfs', purpose: 'file systems in recovery points' },
  { name: 'btrfs-progs', needed: 'test', command: 'mkfs.btrfs', purpose: 'file systems in recovery points' },
  { name: 'ntfs-3g', needed: 'test', command: 'mkntfs', purpose: 'file systems in recovery points' },
  { name: 'curl', needed: 'test', command: 'curl', purpose: 'opens links that object storage clients create' },
  { name: 'dosfstools', needed: 'run', command: 'mkfs.vfat', purpose: 'file system of the sample image' },
  { name: 'mtools', needed: 'run', command: 'mcopy', purpose: 'fills that file system without mounting it' },
  { name: 'syslinux', needed: 'run', command: 'syslinux', purpose: 'boot loader of the sample image' },
  { name: 'cpio', needed: 'run', command: 'cpio', purpose: 'packs the root file system of the sample image' },
  { name: 'xz-utils', needed: 'run', command: 'xz', purpose: 'unpacks the kernel modules of the sample image' },
  { name: 'kmod', needed: 'run', command: 'modprobe', purpose: 'finds the kernel modules of the sample image' },
]

/** Includes the sbin folders, which Debian leaves out of an ordinary user's PATH. */
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

/** Purposes in order. Each purpose includes the ones before it. @type {readonly Purpose[]} */
const purposes = ['manage', 'run', 'test']

/** @param {Purpose} purpose */
export const missingPackages = (purpose) =>
  systemPackages.filter(
    (wanted) => purposes.indexOf(wanted.needed) <= purposes.indexOf(purpose) && !isInstalled(wanted),
  )

/**
 * Returns the command that installs the packages: for root, or with `sudo ` as prefix for a user who may use it.
 *
 * @param {readonly SystemPackage[]} packages
 * @param {'' | 'sudo '} prefix
 */
export function installCommand(packages, prefix = '') {
  const answers = packages.flatMap(({ answers }) =>
    answers === undefined ? [] : `echo '${answers}' | ${prefix}debconf-set-selections`,
  )
  const masks = packages.flatMap(({ masked }) =>
    masked === undefined ? [] : `${prefix}ln -sf /dev/null /etc/systemd/system/${masked}`,
  )
  const names = packages.map(({ name }) => name).join(' ')
  const install = `${prefix}apt-get install --no-install-recommends ${names}`
  return [...answers, ...masks, `${prefix}apt-get update`, install].join(' && ')
}
