import { instances } from '@mainstay/contract/compute/instances'
import { GiB } from '@mainstay/contract/core/bytes'
import { backupDays, MachineDaysPage, PointDays } from '@mainstay/contract/storage/backup-days'
import type { VolumeBackup } from '@mainstay/contract/storage/volume-backups'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { writeRecoveryPoint } from '../../testing/storage/recovery-point'
import { startServer, type TestServer } from '../../testing/start-server'

let server: TestServer
const as = 'project-member'
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const point = (taken_at: string, part: Partial<VolumeBackup> = {}) => writeRecoveryPoint(server, { taken_at, ...part })

const nightly = { backup_plan_id: 'a-plan', backup_plan_name: 'nightly' }

it('counts the recovery points of each day of a time zone', async () => {
  // 23:30 and 00:30 in Berlin, on both sides of the end of daylight saving time
  await point('2026-10-24T21:30:00Z')
  await point('2026-10-24T22:30:00Z', nightly)
  await point('2026-10-25T22:30:00Z', { ...nightly, status: 'error', stored_size: null })
  await point('2026-10-25T22:45:00Z', { ...nightly, damaged_by: 'itself' })
  await point('2026-10-25T23:30:00Z', { status: 'creating', stored_size: null })
  const query = { from: '2026-10-24', to: '2026-10-26', zone: 'Europe/Berlin' }
  const answer = await server.call(backupDays.days, { as, query })
  expect(PointDays.parse(answer)).toEqual(answer)
  const shown = ({ day, points, restorable, failed, damaged, stored_size }: (typeof answer.days)[number]) => [
    day,
    points,
    restorable,
    failed,
    damaged,
    stored_size / GiB,
  ]
  expect(answer.days.map(shown)).toEqual([
    ['2026-10-24', 1, 1, 0, 0, 1],
    ['2026-10-25', 3, 1, 1, 1, 2],
    ['2026-10-26', 1, 0, 0, 0, 0],
  ])
  expect(answer.days[1]).toMatchObject({ first_at: '2026-10-24T22:30:00.000Z', last_at: '2026-10-25T22:45:00.000Z' })

  const byPlan = await server.call(backupDays.days, { as, query: { ...query, from: '2026-10-25', by: 'plan' } })
  expect(byPlan.days.map((one) => [one.backup_plan_name, ...shown(one)])).toEqual([
    ['nightly', '2026-10-25', 3, 1, 1, 1, 2],
    [null, '2026-10-26', 1, 0, 0, 0, 0],
  ])
  // the same moments are other days in UTC
  const inUtc = await server.call(backupDays.days, { as, query: { ...query, zone: 'UTC' } })
  expect(inUtc.days.map(({ day, points }) => [day, points])).toEqual([
    ['2026-10-24', 2],
    ['2026-10-25', 3],
  ])
  expect(await server.call(backupDays.days, { as: 'other-member', query })).toEqual({
    ...{ zone: 'Europe/Berlin', days: [] },
  })
})

it.each([
  ['zone', { from: '2026-10-24', to: '2026-10-26', zone: '+01:00' }],
  ['zone', { from: '2026-10-24', to: '2026-10-26', zone: 'Europe/Atlantis' }],
  ['to', { from: '2026-10-26', to: '2026-10-24' }],
  ['to', { from: '2026-10-01', to: '2026-12-02' }],
  ['from', { from: '2026-02-30', to: '2026-03-02' }],
])('refuses an impossible %s', async (field, query) => {
  for (const call of [backupDays.days, backupDays.machineDays])
    await expect(server.call(call, { as, query })).rejects.toMatchObject({ data: { field } })
})

const shop = { volume_id: 'shop-volume', volume_name: 'shop-data', server_id: 'shop-id', server_name: 'shop' }

it('counts only the recovery points that match the filters and the search, as the list has them', async () => {
  await point('2026-07-01T12:00:00Z', { ...nightly, ...shop })
  await point('2026-07-01T13:00:00Z', { ...nightly, is_incremental: true })
  await point('2026-07-02T12:00:00Z', { ...shop, status: 'error', stored_size: null })
  const query = { from: '2026-07-01', to: '2026-07-02' }
  const counts = async (more: object) =>
    (await server.call(backupDays.days, { as, query: { ...query, ...more } })).days.map(({ points }) => points)
  expect(await counts({})).toEqual([2, 1])
  expect(await counts({ backup_plan_name: 'exact:nightly' })).toEqual([2])
  expect(await counts({ backup_plan_id: 'a-plan', is_incremental: 'true' })).toEqual([1])
  expect(await counts({ volume_name: 'SHOP' })).toEqual([1, 1])
  expect(await counts({ server_name: 'exact:shop', status: 'in:error,creating' })).toEqual([1])
  expect(await counts({ search: 'shop-d', status: 'not:error' })).toEqual([1])
  expect(await counts({ volume_id: '', search: '' })).toEqual([2, 1])
  // a filter does not widen what a project sees
  const { project } = server.cast.people[as]
  for (const more of [{ project_id: project!.id }, { volume_name: 'shop' }, { search: 'shop' }])
    expect((await server.call(backupDays.days, { as: 'other-member', query: { ...query, ...more } })).days).toEqual([])
})

it('names the filter that it cannot apply', async () => {
  const period = { from: '2026-07-01', to: '2026-07-02' }
  for (const call of [backupDays.days, backupDays.machineDays]) {
    await expect(server.call(call, { as, query: { ...period, status: 'contains:err' } })).rejects.toMatchObject({
      ...{ code: 'invalid_filter', fields: { status: expect.anything() } },
    })
    const unknown = { ...period, taken_at: 'gte:2026-07-01T00:00:00Z' }
    await expect(server.call(call, { as, query: unknown })).rejects.toMatchObject({ code: 'validation' })
  }
})

async function machine(name: string, volumeCount: number) {
  const volumes = Array.from({ length: volumeCount }, (_, index) => ({
    ...{ source: 'blank' as const, size: GiB },
    ...(index === 0 && { boot_index: 0 }),
  }))
  const { id } = await server.call(instances.create, { as, body: { name, flavor: 's1.nano', networks: [], volumes } })
  await vi.waitFor(async () =>
    expect((await server.call(instances.view, { as, params: { id } })).status).toBe('ACTIVE'),
  )
  return server.call(instances.view, { as, params: { id } })
}

it('shows on which days a virtual machine was captured completely, those with trouble first', async () => {
  const whole = await machine('days-a-whole', 2)
  const part = await machine('days-b-part', 2)
  await machine('days-c-never', 1)
  const day = (ahead: number) => new Date(Date.now() + ahead * 24 * 3600_000).toISOString()
  /** Recovery points of these volumes at one moment. */
  const instant = async (
    { id, name, volumes }: typeof whole,
    at: string,
    parts: (Partial<VolumeBackup> | null)[],
  ): Promise<VolumeBackup[]> => {
    const together = { server_id: id, server_name: name, instant_id: crypto.randomUUID() }
    const made: VolumeBackup[] = []
    for (const [index, one] of parts.entries())
      if (one) made.push(await point(at, { ...together, volume_id: volumes[index]!.id, ...one }))
    return made
  }
  await instant(whole, day(1), [{}, {}])
  const [, failed] = await instant(whole, day(2), [{}, { status: 'error' }])
  await instant(whole, day(3), [{}, {}])
  await instant(part, day(1), [{}, {}])
  // two moments do not make up for each other
  await instant(part, day(2), [{}, null])
  await instant(part, day(2), [null, {}])
  const [damaged] = await instant(part, day(3), [{ damaged_by: 'itself' }, {}])
  await instant(part, day(4), [{ status: 'error' }, { status: 'error' }])
  // before the volumes existed, no other volumes are missed
  await instant(part, day(-1), [{}, null])

  const query = { from: day(-1).slice(0, 10), to: day(5).slice(0, 10), search: 'days-' }
  const page = await server.call(backupDays.machineDays, { as, query })
  expect(MachineDaysPage.parse(page)).toEqual(page)
  expect(page).toMatchObject({ zone: 'UTC', total: 3, truncated: false })
  expect(page.data.map(({ name, last_whole_at, volumes_count }) => [name, last_whole_at, volumes_count])).toEqual([
    ['days-c-never', null, 1],
    ['days-b-part', expect.stringContaining(day(1).slice(0, 10)), 2],
    ['days-a-whole', expect.stringContaining(day(3).slice(0, 10)), 2],
  ])
  const states = (name: string) => page.data.find((row) => row.name === name)!.days.map((one) => [one.day, one.state])
  expect(states('days-a-whole')).toEqual([1, 2, 3].map((n) => [day(n).slice(0, 10), n === 2 ? 'part' : 'whole']))
  expect(states('days-b-part')).toEqual([
    [day(-1).slice(0, 10), 'whole'],
    [day(1).slice(0, 10), 'whole'],
    [day(2).slice(0, 10), 'part'],
    [day(3).slice(0, 10), 'damaged'],
    [day(4).slice(0, 10), 'failed'],
  ])
  // the recovery point that shows the trouble
  expect(page.data[2]!.days[1]).toMatchObject({ points: 2, restorable: 1, failed: 1, point_id: failed!.id })
  expect(page.data[1]!.days[3]).toMatchObject({ points: 2, restorable: 1, damaged: 1, point_id: damaged!.id })

  const second = await server.call(backupDays.machineDays, {
    as,
    query: { ...query, sort: 'name', limit: '1', offset: '1' },
  })
  expect([second.total, second.data.map(({ name }) => name)]).toEqual([3, ['days-b-part']])
  expect((await server.call(backupDays.machineDays, { as: 'other-member', query })).data).toEqual([])
})

it('shows the virtual machines that have a matching recovery point, with all their recovery points', async () => {
  const shown = await machine('filtered-shown', 1)
  const other = await machine('filtered-other', 1)
  const of = ({ id, name, volumes }: typeof shown) => ({
    ...{ server_id: id, server_name: name, volume_id: volumes[0]!.id, instant_id: crypto.randomUUID() },
  })
  const ahead = (days: number) => new Date(Date.now() + days * 24 * 3600_000).toISOString()
  await point(ahead(1), { ...of(shown), ...nightly, volume_name: 'shown-data' })
  await point(ahead(2), { ...of(shown), status: 'error' })
  await point(ahead(1), of(other))
  const { project } = server.cast.people['other-member']
  // the virtual machine of a project in which another project has a recovery point of the same name
  await point(ahead(1), { ...of(other), ...nightly, project_id: project!.id, domain_id: project!.domain_id })

  const period = { from: ahead(1).slice(0, 10), to: ahead(2).slice(0, 10), search: 'filtered-', sort: 'name' as const }
  const names = async (more: object, who: 'project-member' | 'other-member' = as) => {
    const page = await server.call(backupDays.machineDays, { as: who, query: { ...period, ...more } })
    expect(page.total).toBe(page.data.length)
    return page.data.map(({ name, days }) => [name, days.length])
  }
  expect(await names({})).toEqual([
    ['filtered-other', 1],
    ['filtered-shown', 2],
  ])
  expect(await names({ backup_plan_name: 'exact:nightly' })).toEqual([['filtered-shown', 2]])
  expect(await names({ volume_name: 'shown', status: 'available' })).toEqual([['filtered-shown', 2]])
  expect(await names({ server_name: 'exact:filtered-other' })).toEqual([['filtered-other', 1]])
  expect(await names({ status: 'restoring' })).toEqual([])
  expect(await names({ project_id: server.cast.people[as].project!.id })).toHaveLength(2)
  expect(await names({ project_id: project!.id })).toEqual([])
  for (const more of [{ backup_plan_name: 'exact:nightly' }, { project_id: server.cast.people[as].project!.id }])
    expect(await names(more, 'other-member')).toEqual([])
})
