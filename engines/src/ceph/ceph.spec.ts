import { says } from '@mainstay/contract/core/said'
import { expect, it } from 'vitest'
import { LinkFault } from '../hosts/link-fault'
import { openCeph } from './ceph'
import { recordedCeph, refusal, threeHosts } from './testing/recorded-ceph'
import { tierOfClass } from './tiers'

const place = { conf: '/etc/ceph/ceph.conf', keyring: null, user: 'client.admin' }
const withReplies = (replies = threeHosts()) => {
  const link = recordedCeph(replies)
  return { link, ceph: openCeph(place, async () => link) }
}

it('derives the tiers from device classes, rules and pools', async () => {
  const { link, ceph } = withReplies()
  const KiB = 1024
  expect(await ceph.tiers()).toEqual([
    // two pools use the SSDs; the less protected one has two copies on any two disks
    {
      ...{ tier: 1, device_classes: ['ssd'], used: 400 * KiB, free: 1600 * KiB, encrypted: true },
      ...{ copies: 2, failure_domain: 'disk' },
    },
    // osd.5 is out; the pool with erasure coding can lose one part
    {
      ...{ tier: 2, device_classes: ['hdd'], used: 1100 * KiB, free: 1900 * KiB, encrypted: false },
      ...{ copies: 2, failure_domain: 'host' },
    },
  ])
  // pages poll the tiers, so the answer is kept for some seconds
  const commands = link.ran.length
  await ceph.tiers()
  expect(link.ran).toHaveLength(commands)
})

it('does not know how data is protected in a tier that no pool uses', async () => {
  const replies = threeHosts()
  const { ceph } = withReplies({ ...replies, 'osd dump': { ...(replies['osd dump'] as object), pools: [] } })
  expect(await ceph.tiers()).toMatchObject([
    { tier: 1, copies: null, failure_domain: null },
    { tier: 2, copies: null, failure_domain: null },
  ])
})

it('lets administrators choose the tier of a disk by its device class', () => {
  expect(['tier0', 'tier3', 'nvme', 'ssd', 'hdd', 'tier4', 'tape', undefined].map(tierOfClass)).toEqual([
    ...[0, 3, 0, 1, 2, 3, 3, 3],
  ])
})

it('counts disks, hosts and locations that hold data; a host outside a rack counts as a rack of its own place', async () => {
  expect(await withReplies().ceph.occupied()).toEqual([
    { tier: 1, disks: 2, hosts: 2, racks: 2, rows: 1, rooms: 1 },
    { tier: 2, disks: 3, hosts: 3, racks: 3, rows: 2, rooms: 2 },
  ])
})

it('runs commands with the settings, a time limit for the connection and JSON output', async () => {
  const seen: (readonly string[])[] = []
  const link = recordedCeph(threeHosts())
  const run: typeof link.run = (argv, options) => {
    seen.push(argv)
    expect(options).toMatchObject({ withinMs: 10_000, most: 32 * 1024 * 1024 })
    return link.run(argv, options)
  }
  const ceph = openCeph({ ...place, keyring: '/etc/ceph/key', user: 'client.m' }, async () => ({ ...link, run }))
  await ceph.occupied()
  expect(seen).toEqual([
    [
      ...['ceph', '--conf', '/etc/ceph/ceph.conf', '--keyring', '/etc/ceph/key', '--name', 'client.m'],
      ...['--connect-timeout', '7', 'osd', 'tree', '--format', 'json'],
    ],
  ])
})

it('opens the link again after it was lost', async () => {
  const links = [recordedCeph(threeHosts()), recordedCeph(threeHosts())]
  let opened = 0
  const ceph = openCeph(place, async () => links[opened++]!)
  await ceph.occupied()
  await links[0]!.close()
  await ceph.occupied()
  expect(opened).toBe(2)
})

const failed = (status: number, err: string) => ({ status, out: '', err })
const timeout = new LinkFault('timeout', says('infrastructure.host_timeout', { host: 'recorded' }))
it.each([
  [
    'the program is missing',
    failed(127, 'env: ceph: No such file'),
    'engine_unavailable',
    /apt-get install ceph-common/,
  ],
  [
    ...(['the monitors are away', failed(1, '[errno 110] RADOS timed out (error connecting)')] as const),
    ...(['engine_unavailable', /not responding: \[errno 110\].*Check its monitors/] as const),
  ],
  ['a manager hangs', timeout, 'engine_unavailable', /osd tree took more than 10 s/],
  [
    'the key is wrong',
    failed(1, '[errno 13] RADOS permission denied'),
    'engine_unavailable',
    /does not accept.*client\.admin/,
  ],
  [
    'a permission is missing',
    failed(13, 'auth: unable to find a keyring on /k: (2) No such file\n\nError EACCES: access denied\n'),
    'unsupported',
    /ceph auth caps client\.admin/,
  ],
  [
    'the command is refused',
    refusal(22, 'EINVAL', 'invalid command'),
    'conflict',
    /refused the command ceph osd tree: EINVAL: inv/,
  ],
  ['the reply is not JSON', { status: 0, out: 'garbage', err: '' }, 'engine_unavailable', /cannot be read/],
  ['the reply has another form', { nodes: [{ id: 'x' }] }, 'engine_unavailable', /cannot be read/],
])('explains what to do if %s', async (_, reply, code, message) => {
  const { ceph } = withReplies({ ...threeHosts(), 'osd tree': reply })
  await expect(ceph.occupied()).rejects.toMatchObject({ code, message: expect.stringMatching(message) as string })
  await expect(ceph.tiers()).rejects.toMatchObject({ code })
})
