import { HostFacts } from '@mainstay/contract/infrastructure/node-facts'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { recordedLink, type Recording } from '../testing/recorded-link'
import { diskless, plain, server } from '../testing/recordings'
import { FactsReader } from './facts-reader'

afterEach(() => void vi.useRealTimers())

const signal = () => AbortSignal.timeout(10_000)

function readerOf(recording: Recording, options: Parameters<typeof recordedLink>[1] = {}, dataFolder?: string) {
  const link = recordedLink(recording, options)
  const warnings: string[] = []
  const log = { warn: (fields: object) => void warnings.push((fields as { source: string }).source) }
  const reader = new FactsReader(link, { log, ...(dataFolder === undefined ? {} : { dataFolder }) })
  return { link, reader, warnings, read: () => reader.read(signal()) }
}

describe('facts of a plain host', () => {
  it('are read with two commands', async () => {
    const { link, read, warnings } = readerOf(plain, { rights: 'none' })
    const facts = await read()
    expect(HostFacts.parse(facts)).toEqual(facts)
    expect(facts).toMatchObject({
      ...{ machine_id: '3d1219c7c4c5404aaa1f6d2a48adfda4', hostname: 'node1', kernel: '6.1.0-13-amd64' },
      ...{ os: 'Debian GNU/Linux 12 (bookworm)', booted_at: new Date(1796024105000).toISOString() },
      cpu: {
        model: 'Intel(R) Xeon(R) Gold 6230',
        sockets: 2,
        cores: 4,
        threads: 8,
        usage: null,
        load: [0.52, 0.58, 0.59],
      },
      memory: { total: 16_777_216_000, available: 8_388_608_000, swap_total: 1_048_576, swap_free: 524_288 },
      ...{ services: [], clock_synchronized: true, restart_pending: false, rights: 'none', missing_programs: [] },
    })
    expect(link.ran.map(({ argv }) => argv[0])).toEqual(['date', 'sh'])
    expect(link.ran.some(({ asRoot }) => asRoot)).toBe(false)
    expect(warnings).toEqual([])
  })

  it('list disks, except RAM disks, drives and devices of size 0', async () => {
    expect((await readerOf(plain).read()).disks).toEqual([
      {
        ...{ key: 'QM00001', device: 'sda', type: 'hdd', model: 'QEMU HARDDISK', serial_number: 'QM00001' },
        ...{ size: 107_374_182_400, used: 5_000_000_000, is_system: true, holders: ['/', 'swap'], zoned: false },
        ...{ smart_status: null, temperature: null },
      },
    ])
  })

  it('include interfaces with addresses, the preferred gateways, speed and duplex', async () => {
    expect((await readerOf(plain).read()).interfaces).toEqual([
      {
        ...{ name: 'eth0', type: 'ethernet', mac: '52:54:00:00:00:01', state: 'up', mtu: 1500 },
        ...{
          speed: 1000,
          duplex: 'full',
          ipv4: ['192.0.2.2/24'],
          ipv6: ['fd00::2/64'],
          gw4: '192.0.2.1',
          gw6: 'fd00::1',
        },
        ...{ tag: null, ifaces: [], bond_type: null, neighbor: null },
      },
    ])
  })

  it('include the bytes of its disks and interfaces, without those of partitions and the loopback', async () => {
    const { traffic } = await readerOf(plain).read()
    expect(traffic).toEqual({ disk_read: 2_097_152, disk_written: 1_048_576, received: 5_000_000, sent: 2_000_000 })
  })

  it('include no bytes of devices that could not be read', async () => {
    const { read } = readerOf({ ...plain, lsblk: 'nothing', netdev: 'a\nb\neth0: many' })
    const unknown = { disk_read: null, disk_written: null, received: null, sent: null }
    expect((await read()).traffic).toEqual(unknown)
  })

  it.for([
    ['none', true],
    ['sudo', false],
  ] as const)(
    'tell that root privileges may have been granted since the link was opened: rights %s',
    async ([rights, isTold]) => {
      const { link, reader, read } = readerOf({ ...plain, sudoers: '1\n2\n3\n' }, { rights })
      await read()
      await read()
      expect(reader.mayHaveMoreRights).toBe(false)
      link.recording = { ...plain, sudoers: '1\n9\n3\n' }
      await read()
      expect(reader.mayHaveMoreRights).toBe(isTold)
    },
  )

  it('include the CPU usage since the previous reading, and count guest time only once', async () => {
    const { link, read } = readerOf(plain)
    await read()
    link.recording = { ...plain, stat: 'cpu  1100 0 500 8200 600 0 0 0 400 0\nbtime 1796024105\n' }
    expect((await read()).cpu.usage).toBe(0.25)
    // the counters of a restarted host begin at 0
    link.recording = { ...plain, stat: 'cpu  10 0 5 80 0 0 0 0 0 0\nbtime 1796029999\n' }
    expect((await read()).cpu.usage).toBeNull()
  })
})

describe('facts of a server with RAID, LVM, bonds and VLANs', () => {
  it('list the users of each disk', async () => {
    const { disks } = await readerOf(server).read()
    const raid = ['RAID md0', 'LVM vg0-root', '/', 'LVM vg0-data', '/srv/data', 'LVM vg0-swap', 'LUKS swap0', 'swap']
    expect(
      disks.map(({ device, type, is_system, used, holders }) => ({ device, type, is_system, used, holders })),
    ).toEqual([
      ...[
        { device: 'nvme0n1', type: 'nvme', is_system: true, used: 409_006_000_000, holders: ['/boot/efi', ...raid] },
        {
          device: 'nvme1n1',
          type: 'nvme',
          is_system: true,
          used: 409_000_000_000,
          holders: ['vfat nvme1n1p1', ...raid],
        },
      ],
      { device: 'sdb', type: 'hdd', is_system: false, used: null, holders: [] },
      { device: 'sdc', type: 'smr', is_system: false, used: null, holders: [] },
      { device: 'sdd', type: 'ssd', is_system: false, used: null, holders: ['ceph_bluestore sdd'] },
      { device: 'sde', type: 'iscsi', is_system: false, used: null, holders: [] },
      { device: 'sdf', type: 'iscsi', is_system: false, used: null, holders: [] },
    ])
  })

  it('have a unique key for each disk: serial number, WWN or path', async () => {
    const { disks } = await readerOf(server).read()
    const keys = ['S64GNE0R0', 'S64GNE0R1', 'ZC1A', '0x5000c500', 'BTYF', 'beaf11', '/dev/sdf']
    expect(disks.map(({ key }) => key)).toEqual(keys)
    expect(disks.filter(({ zoned }) => zoned).map(({ device }) => device)).toEqual(['sdc'])
  })

  it.for([
    ['/srv/data/mainstay', true],
    ['/srv/database', false],
  ] as const)('mark the disk of the data folder %s', async ([folder, isMarked]) => {
    const only = JSON.parse(server['lsblk'] as string) as { blockdevices: { name: string }[] }
    const disk = { ...only.blockdevices[2], mountpoints: ['/srv/data'] }
    const { disks } = await readerOf({ ...server, lsblk: JSON.stringify({ blockdevices: [disk] }) }, {}, folder).read()
    expect(disks[0]?.is_system).toBe(isMarked)
  })

  it('include the processor as reported by a newer lscpu', async () => {
    const { cpu } = await readerOf(server).read()
    expect(cpu).toMatchObject({ model: 'AMD EPYC 7502 32-Core Processor', sockets: 1, cores: 32, threads: 64 })
  })

  it('include types, states, members and neighbors of interfaces, except interfaces of guests', async () => {
    const { interfaces } = await readerOf(server).read()
    expect(interfaces.map(({ name, type, state }) => [name, type, state])).toEqual([
      ['eno1', 'ethernet', 'up'],
      ['eno2', 'ethernet', 'no_carrier'],
      ['eno3', 'ethernet', 'down'],
      ['ib0', 'infiniband', 'up'],
      ['bond0', 'bond', 'up'],
      ['bond0.100', 'vlan', 'up'],
      ['br0', 'bridge', 'up'],
      ['vxlan7', 'other', 'up'],
    ])
    const named = (name: string) => interfaces.find((one) => one.name === name)
    expect(named('bond0')).toMatchObject({ bond_type: '802.3ad', ifaces: ['eno1', 'eno2'], speed: 10_000, mtu: 9000 })
    expect(named('bond0.100')).toMatchObject({ tag: 100, ifaces: ['bond0'], ipv4: ['10.1.0.5/24'], speed: null })
    expect(named('eno1')?.neighbor).toEqual({ system: 'leaf1', port: 'Eth1/7' })
    expect(named('eno2')).toMatchObject({ neighbor: { system: '00:22', port: 'port 7' }, speed: null, duplex: null })
  })

  it('count the bytes of bonds, VLANs and bridges only once, on the interfaces that transfer them', async () => {
    expect((await readerOf(server).read()).traffic).toMatchObject({ received: 200, sent: 20 })
  })

  it('list failed units with the reason', async () => {
    expect((await readerOf(server).read()).services).toEqual([
      { name: 'backup.service', status: 'failed', message: 'exit status 3' },
      { name: 'nfs.mount', status: 'failed', message: 'timeout' },
    ])
  })

  it.for([
    ['a newer kernel of the same kind', server['kernels'], true],
    ['a newer kernel of another kind', '-\n6.1.0-13-amd64\n6.1.0-18-cloud-amd64\n', false],
    ['a request of a package', 'required\n6.1.0-13-amd64\n', true],
    ['other kernels than the running one', '-\n6.1.0-18-amd64\n', false],
  ] as const)('tell whether a restart is pending: %s', async ([, kernels, isPending]) => {
    expect((await readerOf({ ...server, kernels: kernels as string }).read()).restart_pending).toBe(isPending)
  })
})

describe('a host that lacks something', () => {
  it('reports no disks if it is diskless, and an unknown clock without systemd', async () => {
    const { read, warnings } = readerOf(diskless)
    const facts = { disks: [], services: [], clock_synchronized: null, restart_pending: false, unread: [] }
    expect(await read()).toMatchObject(facts)
    expect(warnings).toEqual([])
  })

  it('names missing programs, and reports all other facts', async () => {
    const lacking = { status: 127, text: '' }
    const { read, warnings } = readerOf({ ...plain, neighbors: lacking, lsblk: lacking, clock: lacking })
    expect(await read()).toMatchObject({
      ...{ missing_programs: ['lldpctl', 'lsblk', 'timedatectl'], cpu: { threads: 8 }, unread: ['disks'] },
      interfaces: [{ name: 'eth0' }],
    })
    expect(warnings).toEqual([])
  })

  it('is reported as starting until systemd reports otherwise', async () => {
    const { services } = await readerOf({ ...plain, system: { status: 1, text: 'starting\n' } }).read()
    expect(services).toEqual([{ name: 'systemd', status: 'starting', message: null }])
  })

  const strict = ['os', 'stat', 'load', 'memory', 'ports', 'kernels', 'lscpu', 'lsblk', 'interfaces']
  it.for([...strict, 'routes4', 'routes6', 'neighbors', 'clock'])(
    'lacks only the facts from %s if its output is garbage, and logs this once',
    async (source) => {
      const { link, reader, read, warnings } = readerOf(
        { ...server, [source]: '\u0000\u001b[31m{"lscpu":7,' },
        { rights: 'none' },
      )
      const whole = await readerOf(server, { rights: 'none' }).read()
      const facts = await read()
      await read()
      expect(HostFacts.parse(facts)).toEqual(facts)
      expect(warnings).toEqual([source])
      expect([...reader.unreadable]).toEqual([source])
      // the bytes of disks and interfaces are known only together with these
      const changed = Object.keys(whole).filter(
        (name) => name !== 'traffic' && JSON.stringify(whole[name as 'os']) !== JSON.stringify(facts[name as 'os']),
      )
      // two fields change: the fact from this source and the list of unread facts
      expect(changed).toHaveLength(2)
      const fact = changed.find((name) => name !== 'unread')
      const several: Record<string, string[]> = { stat: ['booted_at', 'cpu'], neighbors: ['neighbors'] }
      expect(facts.unread).toEqual(several[source] ?? [fact])
      link.recording = server
      await read()
      expect([...reader.unreadable]).toEqual([])
    },
  )

  it('reports no facts if it does not report which system it runs', async () => {
    await expect(readerOf({ ...plain, identity: 'garbage' }).read()).rejects.toMatchObject({ reason: 'bridge_fault' })
    const { link, read } = readerOf(plain)
    Object.assign(link, { run: async () => ({ status: 137, out: '', err: '' }) })
    await expect(read()).rejects.toMatchObject({ reason: 'bridge_fault' })
  })

  it('distinguishes a program that was stopped from one that found nothing', async () => {
    const facts = await readerOf({ ...plain, failed: { status: 124, text: '' } }).read()
    expect(facts.unread).toEqual(['services'])
  })

  it('lacks facts that are missing from truncated output', async () => {
    const { lsblk: _, ...rest } = plain
    const { read, warnings } = readerOf(rest)
    expect(await read()).toMatchObject({ unread: ['disks'], os: 'Debian GNU/Linux 12 (bookworm)' })
    expect(warnings).toEqual(['lsblk'])
  })
})

describe('the clock of a host', () => {
  it.for([7_200_000, -7_200_000])('is reported if it is %i ms off', async (clockOffsetMs) => {
    const { clock_offset_ms } = await readerOf(plain, { clockOffsetMs }).read()
    expect(Math.abs(clock_offset_ms - clockOffsetMs)).toBeLessThan(1_000)
  })

  it('is unread if the host does not report its time', async () => {
    const { link, read } = readerOf(plain)
    const run = link.run.bind(link)
    const noTime: typeof run = async (argv, options) =>
      argv[0] === 'date' ? { status: 0, out: 'noon', err: '' } : run(argv, options)
    Object.assign(link, { run: noTime })
    expect((await read()).unread).toEqual(['clock_offset_ms'])
  })

  it('has no offset if the response took longer than the difference', async () => {
    expect((await readerOf(plain).read()).clock_offset_ms).toBe(0)
  })
})

describe('SMART data', () => {
  const report = (passed: boolean, current: number) =>
    JSON.stringify({ smartctl: { exit_status: 0 }, smart_status: { passed }, temperature: { current } })
  const asleep = JSON.stringify({ smartctl: { messages: [{ string: 'Device is in STANDBY mode, exit(2)' }] } })
  const smartRuns = ({ ran }: ReturnType<typeof recordedLink>) => ran.filter(({ argv }) => argv.includes('sda'))
  const settled = () => new Promise((resolve) => setImmediate(resolve))

  it('is read as root, at most every ten minutes, and kept while a disk sleeps', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const { link, read } = readerOf({ ...plain, sda: report(true, 31) })
    expect((await read()).disks[0]).toMatchObject({ smart_status: null, temperature: null })
    await settled()
    expect((await read()).disks[0]).toMatchObject({ smart_status: 'passed', temperature: 31 })
    expect(smartRuns(link)).toMatchObject([{ asRoot: true }])
    for (const [text, status] of [
      [asleep, 'passed'],
      [report(false, 40), 'failed'],
      ['garbage', 'failed'],
    ] as const) {
      link.recording = { ...plain, sda: text }
      vi.advanceTimersByTime(10 * 60_000)
      await read()
      await settled()
      expect((await read()).disks[0]?.smart_status).toBe(status)
    }
    expect(smartRuns(link)).toHaveLength(4)
  })

  it('is not read without root', async () => {
    const { link, read } = readerOf({ ...plain, sda: report(true, 31) }, { rights: 'none' })
    await read()
    expect(smartRuns(link)).toEqual([])
  })

  it('is not read if smartctl is missing, which is reported', async () => {
    const { read } = readerOf({ ...plain, sda: { status: 127, text: '' } }, { rights: 'sudo' })
    await read()
    await settled()
    expect(await read()).toMatchObject({ missing_programs: ['smartctl'], disks: [{ smart_status: null }] })
  })
})
