import type { Recording } from './recorded-link'

/* Recorded output of real programs, without columns that are not read. */

const fields = (all: Record<string, string>) =>
  JSON.stringify({ lscpu: Object.entries(all).map(([field, data]) => ({ field: `${field}:`, data })) })
const lsblk = (...blockdevices: object[]) => JSON.stringify({ blockdevices })

const none = { fstype: null, fsused: null, mountpoints: [null], model: null, serial: null, wwn: null, tran: null }
const disk = (name: string, more: object) => ({
  ...{ name, path: `/dev/${name}`, type: 'disk', rota: false, zoned: 'none', ...none, ...more },
})
const part = (name: string, size: number, more: object = {}) => disk(name, { type: 'part', size, ...more })
const mounted = (mount: string, fstype: string, fsused: number | null) => ({ mountpoints: [mount], fstype, fsused })

const ether = (ifname: string, more: object = {}) => ({
  ...{ ifname, flags: ['BROADCAST', 'MULTICAST', 'UP', 'LOWER_UP'], mtu: 1500, link_type: 'ether' },
  ...{ address: '52:54:00:00:00:01', addr_info: [], ...more },
})
const inet = (local: string, prefixlen: number, scope = 'global') => ({
  ...{ family: local.includes(':') ? 'inet6' : 'inet', local, prefixlen, scope },
})
const loopback = ether('lo', { link_type: 'loopback', addr_info: [inet('127.0.0.1', 8, 'host')] })

/** A virtual machine with Debian 12. */
export const plain: Recording = {
  identity: 'node1\n6.1.0-13-amd64\n3d1219c7c4c5404aaa1f6d2a48adfda4\n',
  os: 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nNAME="Debian GNU/Linux"\nVERSION_ID="12"\n',
  stat: 'cpu  1000 0 500 8000 500 0 0 0 300 0\ncpu0 1000 0 500 8000 500 0 0 0 300 0\nbtime 1796024105\nprocesses 9\n',
  load: '0.52 0.58 0.59 1/389 12345\n',
  memory:
    'MemTotal:       16384000 kB\nMemFree:  100 kB\nMemAvailable:   8192000 kB\nSwapTotal: 1024 kB\nSwapFree: 512 kB\n',
  diskstats: [
    '   8       0 sda 1000 20 4096 300 500 10 2048 200 0 400 500 0 0 0 0 0 0',
    '   8       1 sda1 900 20 4000 300 500 10 2048 200 0 400 500 0 0 0 0 0 0',
    '   7       0 loop0 5 0 100 1 0 0 0 0 0 4 1 0 0 0 0 0 0\n',
  ].join('\n'),
  netdev: [
    'Inter-|   Receive                                                |  Transmit',
    ' face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed',
    '    lo:    9999      10    0    0    0     0          0         0     9999      10    0    0    0     0       0          0',
    '  eth0: 5000000    4000    0    0    0     0          0         0  2000000    3000    0    0    0     0       0          0\n',
  ].join('\n'),
  ports: 'eth0 1000 full\nlo - -\n',
  kernels: '-\n6.1.0-13-amd64\n',
  lscpu: fields({
    ...{ Architecture: 'x86_64', 'CPU(s)': '8', 'Model name': 'Intel(R) Xeon(R) Gold 6230', 'Thread(s) per core': '2' },
    ...{ 'Core(s) per socket': '2', 'Socket(s)': '2' },
  }),
  lsblk: lsblk(
    disk('sda', {
      ...{ size: 107_374_182_400, rota: true, serial: 'QM00001', model: 'QEMU HARDDISK', tran: 'sata' },
      children: [
        part('sda1', 106_000_000_000, mounted('/', 'ext4', 5_000_000_000)),
        part('sda2', 1_000_000_000, mounted('[SWAP]', 'swap', null)),
      ],
    }),
    disk('sr0', { type: 'rom', size: 1_073_741_312 }),
    disk('zram0', { size: 4_000_000 }),
    disk('nbd0', { size: 0 }),
  ),
  interfaces: JSON.stringify([
    loopback,
    ether('eth0', { addr_info: [inet('192.0.2.2', 24), inet('fd00::2', 64), inet('fe80::1', 64, 'link')] }),
  ]),
  routes4: JSON.stringify([
    { dst: 'default', gateway: '192.0.2.254', dev: 'eth0', metric: 200, flags: [] },
    { dst: 'default', gateway: '192.0.2.1', dev: 'eth0', metric: 100, flags: [] },
    { dst: '192.0.2.0/24', dev: 'eth0', protocol: 'kernel', scope: 'link', flags: [] },
  ]),
  routes6: JSON.stringify([{ dst: 'default', gateway: 'fd00::1', dev: 'eth0', flags: [] }]),
  neighbors: '',
  clock: 'Timezone=Etc/UTC\nLocalRTC=no\nCanNTP=yes\nNTP=yes\nNTPSynchronized=yes\n',
  system: 'running\n',
  failed: '',
}

/** A server with LVM on RAID 1, encrypted swap, an unused disk, disks of several types and a newer `lscpu`. */
export const server: Recording = {
  ...plain,
  lscpu: JSON.stringify({
    lscpu: [
      { field: 'CPU(s):', data: '64' },
      {
        ...{ field: 'Vendor ID:', data: 'AuthenticAMD' },
        children: [
          {
            ...{ field: 'Model name:', data: 'AMD EPYC 7502 32-Core Processor' },
            children: [
              { field: 'Thread(s) per core:', data: '2' },
              { field: 'Core(s) per socket:', data: '32' },
              { field: 'Socket(s):', data: '1' },
            ],
          },
        ],
      },
    ],
  }),
  lsblk: lsblk(
    ...['nvme0n1', 'nvme1n1'].map((name, at) =>
      disk(name, {
        ...{ size: 1_920_383_410_176, serial: `S64GNE0R${at}`, model: 'SAMSUNG MZQL21T9', tran: 'nvme' },
        children: [
          part(`${name}p1`, 536_870_912, at === 0 ? mounted('/boot/efi', 'vfat', 6_000_000) : { fstype: 'vfat' }),
          part(`${name}p2`, 1_919_000_000_000, {
            fstype: 'linux_raid_member',
            children: [
              disk('md0', {
                ...{ type: 'raid1', size: 1_919_000_000_000, fstype: 'LVM2_member' },
                children: [
                  disk('vg0-root', { type: 'lvm', size: 64_000_000_000, ...mounted('/', 'ext4', 9_000_000_000) }),
                  disk('vg0-data', {
                    type: 'lvm',
                    size: 900_000_000_000,
                    ...mounted('/srv/data', 'xfs', 400_000_000_000),
                  }),
                  disk('vg0-swap', {
                    ...{ type: 'lvm', size: 8_000_000_000, fstype: 'crypto_LUKS' },
                    children: [
                      disk('swap0', { type: 'crypt', size: 8_000_000_000, ...mounted('[SWAP]', 'swap', null) }),
                    ],
                  }),
                ],
              }),
            ],
          }),
        ],
      }),
    ),
    disk('sdb', { size: 4_000_787_030_016, rota: true, serial: 'ZC1A', model: 'ST4000NM', tran: 'sas', zoned: 'none' }),
    disk('sdc', { size: 14_000_519_643_136, rota: true, wwn: '0x5000c500', tran: 'sata', zoned: 'host-managed' }),
    disk('sdd', { size: 480_103_981_056, serial: 'BTYF', tran: 'sata', fstype: 'ceph_bluestore' }),
    disk('sde', { size: 10_737_418_240, rota: true, serial: 'beaf11', tran: 'iscsi' }),
    disk('sdf', { size: 10_737_418_240, rota: true, serial: 'beaf11', tran: 'iscsi' }),
  ),
  kernels: '-\n6.1.0-13-amd64\n6.1.0-18-cloud-amd64\n6.1.0-21-amd64\n',
  interfaces: JSON.stringify([
    loopback,
    ...['eno1', 'eno2'].map((name, at) =>
      ether(name, {
        master: 'bond0',
        flags: ['BROADCAST', 'MULTICAST', 'SLAVE', 'UP', ...(at === 0 ? ['LOWER_UP'] : ['NO-CARRIER'])],
        linkinfo: { info_slave_kind: 'bond', info_slave_data: { state: 'ACTIVE' } },
      }),
    ),
    ether('eno3', { flags: ['BROADCAST', 'MULTICAST'] }),
    ether('ib0', { link_type: 'infiniband', mtu: 4092 }),
    ether('bond0', { mtu: 9000, linkinfo: { info_kind: 'bond', info_data: { mode: '802.3ad', miimon: 100 } } }),
    ether('bond0.100', {
      ...{ link: 'bond0', addr_info: [inet('10.1.0.5', 24)] },
      linkinfo: { info_kind: 'vlan', info_data: { protocol: '802.1Q', id: 100, flags: ['REORDER_HDR'] } },
    }),
    ether('br0', { linkinfo: { info_kind: 'bridge', info_data: { forward_delay: 1500 } } }),
    ether('vxlan7', { linkinfo: { info_kind: 'vxlan', info_data: { id: 7 } } }),
    ether('vnet0', { master: 'br0', linkinfo: { info_kind: 'tun', info_data: { type: 'tap' } } }),
    ether('veth1', { master: 'br0', linkinfo: { info_kind: 'veth' } }),
    {},
  ]),
  routes4: JSON.stringify([{ dst: 'default', gateway: '10.1.0.1', dev: 'bond0.100', flags: [] }]),
  routes6: JSON.stringify([{ dst: 'default', gateway: 'fe80::1', dev: 'bond0.100', flags: [] }]),
  netdev: [
    ...['Inter-| Receive | Transmit', ' face |bytes |bytes'],
    ...['eno1', 'eno2', 'bond0', 'bond0.100', 'br0', 'vnet0'].map(
      (name) => `${name}:100 1 0 0 0 0 0 0 10 1 0 0 0 0 0 0`,
    ),
  ].join('\n'),
  ports: 'bond0 10000 full\neno1 10000 full\neno2 -1 unknown\neno3 - -\n',
  neighbors: JSON.stringify({
    lldp: [
      {
        interface: [
          {
            ...{ name: 'eno1', via: 'LLDP' },
            chassis: [{ id: [{ type: 'mac', value: '00:11' }], name: [{ value: 'leaf1' }] }],
            port: [{ id: [{ type: 'ifname', value: 'Eth1/7' }], descr: [{ value: 'to node1' }] }],
          },
          {
            ...{ name: 'eno2', via: 'LLDP' },
            chassis: [{ id: [{ type: 'mac', value: '00:22' }] }],
            port: [{ id: [{ type: 'mac', value: '00:23' }], descr: [{ value: 'port 7' }] }],
          },
        ],
      },
    ],
  }),
  system: { status: 1, text: 'degraded\n' },
  failed: 'Result=exit-code\nExecMainStatus=3\nId=backup.service\n\nResult=timeout\nExecMainStatus=15\nId=nfs.mount\n',
}

/** A host that was booted from the network, without disks, systemd or a synchronized clock. */
export const diskless: Recording = {
  ...plain,
  lsblk: lsblk(),
  routes6: '',
  clock: { status: 1, text: '' },
  system: { status: 1, text: 'offline\n' },
  failed: { status: 1, text: '' },
  kernels: '-\n',
}
