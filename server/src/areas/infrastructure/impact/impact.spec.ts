import type { ImpactPart } from '@mainstay/contract/infrastructure/impact'
import { describe, expect, it } from 'vitest'
import { impactOf, type HostMachines, type ImpactFacts } from './impact'

const GiB = 1024 ** 3
const places = { rackId: 'rack-1', rowId: 'row-1', roomId: 'room-1' }
const ram = (available: number) => ({ total: 64 * GiB, available, swap_total: 0, swap_free: 0 })
const node = (host: string, more: Partial<ImpactFacts['nodes'][number]> = {}): ImpactFacts['nodes'][number] => ({
  ...{ id: `id-${host}`, host, is_primary: false, is_online: true, ram: ram(16 * GiB), ...places },
  ...more,
})
const machines = (running: number, restartable = running): HostMachines => ({
  ...{ running, restartable, restartable_memory: restartable * 2 * GiB },
})
const locations: ImpactFacts['locations'] = [
  { id: 'rack-1', name: 'A1', domain: 'rack' },
  { id: 'rack-2', name: 'A2', domain: 'rack' },
  { id: 'row-1', name: 'Row A', domain: 'row' },
  { id: 'room-1', name: 'Hamburg', domain: 'room' },
]

/** One host with the embedded engine and its own database. */
const oneHost: ImpactFacts = {
  nodes: [node('atlas', { is_primary: true })],
  locations,
  machines: new Map([['atlas', machines(11)]]),
  computeHosts: ['atlas'],
  restarts: true,
  volumes: { never: 3, week: 4, day: 5, total: 12 },
  storageEngine: 'embedded',
  pointsOnSameDisk: false,
  databaseIsHere: true,
  managementBackup: { ready: true, overdue: false, onSameDisk: false, last: '2026-11-22T02:00:00.000Z' },
  objects: 'here',
  now: new Date('2026-11-22T14:00:00.000Z'),
}
/** 6 virtual machines need 12 GiB, and n3 has 16 GiB */
const threeHosts: ImpactFacts = {
  ...oneHost,
  nodes: [node('n1', { is_primary: true }), node('n2'), node('n3', { rackId: 'rack-2' })],
  machines: new Map([
    ['n1', machines(2)],
    ['n2', machines(4)],
    ['n3', machines(3, 2)],
  ]),
  computeHosts: ['n1', 'n2', 'n3'],
  volumes: null,
  storageEngine: 'openstack',
  objects: 'elsewhere',
}
const rowOf = (facts: ImpactFacts, kind: 'node' | 'rack' | 'tier' | 'database' | 'room', id: string) => {
  const [row, ...more] = impactOf(facts, { kind, id })
  expect(more).toEqual([])
  return row!
}
const told = (
  facts: ImpactFacts,
  [kind, id]: Parameters<typeof rowOf> extends [unknown, ...infer Rest] ? Rest : never,
) => {
  const row = rowOf(facts, kind, id)
  const of = (part: ImpactPart) => [row[part].result, row[part].message]
  return { data: of('data'), machines: of('machines'), management: of('management'), exports: of('exports') }
}
const helpOf = (facts: ImpactFacts, kind: 'node' | 'tier' | 'database', id: string) =>
  rowOf(facts, kind, id).help.map(({ message }) => message)

describe('on one host', () => {
  it('stops everything while the host is down, and loses nothing', () => {
    expect(told(oneHost, ['node', 'id-atlas'])).toEqual({
      data: [
        'interrupted',
        '12 volumes cannot be used until the host is back. No data is lost as long as the disks of the host work.',
      ],
      machines: [
        'interrupted',
        '11 running virtual machines stop until the host is back. No other host can start them.',
      ],
      management: ['interrupted', 'Management is not available until this component works again'],
      exports: ['interrupted', 'Object storage is not available until this component works again'],
    })
    expect(told(oneHost, ['room', 'room-1'])).toEqual(told(oneHost, ['node', 'id-atlas']))
  })

  it('loses volumes without a recovery point, and the changes since the last one, if the disk fails', () => {
    expect(told(oneHost, ['tier', '0'])).toEqual({
      data: [
        'lost',
        '3 of 12 volumes have no recovery point and are lost. 4 have no recovery point from the last 7 days, and 5 have none from the last 24 hours.',
      ],
      machines: ['lost', '11 running virtual machines stop because their disks are here'],
      management: ['lost', 'All records have to be restored from the management backup, which is 12 hours old'],
      exports: ['lost', 'Objects in buckets are lost'],
    })
    expect(helpOf(oneHost, 'tier', '0')).toEqual(['Create recovery points of 5 volumes'])
    const all = { ...oneHost, volumes: { never: 0, week: 0, day: 1, total: 1 } }
    expect(told(all, ['tier', '0']).data[1]).toBe(
      '1 volume has to be restored from its last recovery point. 0 have no recovery point from the last 7 days, and 1 has none from the last 24 hours.',
    )
  })

  it('loses recovery points and management backups that are on the same disk', () => {
    const same: ImpactFacts = {
      ...{ ...oneHost, pointsOnSameDisk: true },
      managementBackup: { ...oneHost.managementBackup, onSameDisk: true },
    }
    expect(told(same, ['tier', '0'])).toMatchObject({
      data: ['lost', '12 volumes are lost together with their recovery points, which are on the same disk'],
      management: ['lost', 'All records are lost. There is no management backup on another disk.'],
    })
    expect(helpOf(same, 'tier', '0')).toEqual([
      'Store recovery points on another disk',
      'Create recovery points of 5 volumes',
      'Store management backups on another disk',
    ])
  })

  it('keeps virtual machines running without the database', () => {
    expect(told(oneHost, ['database', 'database'])).toEqual({
      data: ['stays', 'Volumes are not affected'],
      machines: ['stays', 'Running virtual machines are not affected'],
      management: ['interrupted', 'Management is not available until this component works again'],
      exports: ['interrupted', 'Object storage is not available until this component works again'],
    })
    const none = { ready: false, overdue: false, onSameDisk: false, last: null }
    expect(helpOf({ ...oneHost, managementBackup: none }, 'database', 'database')).toEqual([
      'Set up a management backup',
    ])
    const elsewhere = { ...oneHost, databaseIsHere: false }
    expect(told(elsewhere, ['tier', '0']).management[0]).toBe('interrupted')
    expect(helpOf(elsewhere, 'database', 'database')).toEqual([])
  })

  it('stops nothing in an empty rack', () => {
    expect(told(oneHost, ['rack', 'rack-2'])).toEqual({
      data: ['stays', 'No volumes are stored here'],
      machines: ['stays', 'No virtual machines run here'],
      management: ['stays', 'Management is not affected'],
      exports: ['stays', 'Object storage does not run here'],
    })
  })
})

describe('on several hosts', () => {
  it('restarts virtual machines on other hosts if these have enough memory', () => {
    expect(told(threeHosts, ['node', 'id-n2'])).toEqual({
      data: ['unknown', 'The data is stored by openstack. The number of copies is not known here.'],
      machines: ['interrupted', '4 running virtual machines restart on other hosts'],
      management: ['stays', 'Management is not affected'],
      exports: ['stays', 'Object storage does not run here'],
    })
    const full = threeHosts.nodes.map((one) => ({ ...one, ram: ram(GiB) }))
    const unknown = threeHosts.nodes.map((one) => ({ ...one, ram: null }))
    for (const facts of [{ nodes: full }, { nodes: unknown }, { restarts: false }])
      expect(told({ ...threeHosts, ...facts }, ['node', 'id-n2']).machines).toEqual([
        ...['interrupted', '4 running virtual machines stop until the host is back'],
      ])
  })

  it('reports how many virtual machines do not restart because this is not enabled, and what would help', () => {
    expect(told(threeHosts, ['node', 'id-n3']).machines[1]).toBe(
      '2 of 3 running virtual machines restart on other hosts. The others stop until the host is back.',
    )
    expect(helpOf(threeHosts, 'node', 'id-n3')).toEqual(['Enable automatic restart for 1 virtual machine'])
  })

  it('counts the hosts of a rack as failing together', () => {
    // 6 machines need 12 GiB, and n3 has 16
    expect(told(threeHosts, ['rack', 'rack-1']).machines[1]).toBe('6 running virtual machines restart on other hosts')
    const busy = {
      ...threeHosts,
      machines: new Map([
        ['n1', machines(2)],
        ['n2', machines(7)],
      ]),
    }
    expect(told(busy, ['rack', 'rack-1']).machines[1]).toBe('9 running virtual machines stop until the host is back')
    expect(told(threeHosts, ['rack', 'rack-1']).management[0]).toBe('interrupted')
    expect(told(threeHosts, ['room', 'room-1']).machines[1]).toContain('No other host can start them')
  })

  it('does not restart virtual machines whose disks are on the host that failed', () => {
    const local = { ...threeHosts, volumes: oneHost.volumes }
    expect(told(local, ['node', 'id-n1']).machines[1]).toBe('2 running virtual machines stop until the host is back')
  })
})
