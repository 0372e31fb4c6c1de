import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { instanceKind } from '@mainstay/contract/compute/instances'
import type { Kind } from '@mainstay/contract/core/kind'
import type { PageQuery } from '@mainstay/contract/core/lists/paging'
import type { Scope } from '@mainstay/engines/ports/scope'
import { createInventory } from '../server/src/inventory/inventory'
import type { Inventory } from '../server/src/inventory/types'
import { openStore, type Store } from '../server/src/store/store'
import { silentLogger } from '../server/src/testing/silent-logger'
import { instanceRow } from './inventory-rows'
import { quantile, type Row } from './protocol'

const MANY = Number(process.env['BENCH_INSTANCES'] ?? 100_000)
const FEW = 100
const ROUNDS = 7
const kind = instanceKind as unknown as Kind

const system: Scope = {
  kind: 'system',
  user_id: 'root',
  user_name: 'root',
  domain_id: 'default',
  project_id: null,
  roles: ['admin'],
  request_id: 'bench',
}
const inProject = (project: string): Scope => ({
  ...system,
  kind: 'project',
  project_id: project,
  roles: ['project_member'],
})

interface World {
  inventory: Inventory
  store: Store
  close(): Promise<void>
}

async function world(rows: number): Promise<World> {
  const folder = await mkdtemp(path.join(tmpdir(), 'mainstay-bench-'))
  const store = await openStore({ databaseUrl: null, dataFolder: folder, log: silentLogger })
  const inventory = await createInventory({ store, log: silentLogger })
  for (let from = 0; from < rows; from += 500) {
    const places = Array.from({ length: Math.min(500, rows - from) }, (_, place) => from + place)
    await inventory.applyObservations(
      places.map((place) => ({ op: 'put', kind: kind.name, entity: instanceRow(place, 'project-large') })),
    )
  }
  await store.pool.query('vacuum analyze')
  return {
    inventory,
    store,
    async close() {
      inventory.close()
      await store.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const query = (more: Record<string, unknown>): PageQuery => ({ limit: 20, ...more })

async function timed(work: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = []
  await work()
  for (let round = 0; round < ROUNDS; round++) {
    const started = performance.now()
    await work()
    times.push(performance.now() - started)
  }
  return times
}

/** Returns the marker for a page deep in the list: the ID of the row before it, as a client obtains it by paging. */
async function deepMarker(
  { store, inventory }: World,
  scope: Scope,
  sort: string,
  share: number,
): Promise<string | null> {
  const first = await inventory.list(kind, scope, query({ sort, limit: 1 }))
  if (!first.pages[0]) return null
  const key = sort.split(':')[0]!
  const field = kind.sortKeys[key]!
  const at = `body #>> '{${field.path.replaceAll('.', ',')}}'`
  const value = field.type === 'number' ? `(${at})::double precision` : at
  const { rows } = await store.pool.query<{ id: string }>(
    `select id from resource where kind = $1 and ($2::text is null or project_id = $2)
     order by ${value} ${sort.endsWith('desc') ? 'desc' : 'asc'} nulls last
     offset (select floor(count(*) * $3::float) from resource where kind = $1 and ($2::text is null or project_id = $2)) limit 1`,
    [kind.name, scope.kind === 'project' ? scope.project_id : null, share],
  )
  return rows[0]?.id ?? null
}

function cases(): { name: string; more: Record<string, unknown>; deep?: string }[] {
  const found: { name: string; more: Record<string, unknown>; deep?: string }[] = []
  for (const key of Object.keys(kind.sortKeys)) {
    for (const direction of ['asc', 'desc']) {
      const sort = `${key}:${direction}`
      found.push({ name: `sort ${sort}, first page`, more: { sort } })
      found.push({ name: `sort ${sort}, deep page`, more: { sort }, deep: sort })
    }
  }
  const values: Record<string, string> = {
    id: instanceRow(77, 'project-large').id,
    name: 'b-77',
    status: 'ERROR',
    task_state: 'powering-off',
    tags: 'team-20',
    ip: '10.0.0.77',
    network_id: 'network-7',
    image_id: 'image-3',
    os_distro: 'debian12',
    key_name: 'key-8',
    ha_enabled: 'false',
    vcpus: '8',
    ram: 'gte:16384',
    host: 'node-7',
    project_id: 'project-small',
    domain_id: 'default',
  }
  for (const [name, value] of Object.entries(values)) {
    found.push({ name: `filter ${name}`, more: { [name]: value } })
    for (const sort of ['created_at:desc', 'cpu_usage:asc', 'ram:asc']) {
      found.push({ name: `filter ${name}, sort ${sort}`, more: { [name]: value, sort } })
    }
    found.push({ name: `filter ${name}, count`, more: { [name]: value, with_count: true } })
  }
  // filters whose matching rows all sort last
  found.push({ name: 'filter status SHUTOFF, sort cpu_usage:asc', more: { status: 'SHUTOFF', sort: 'cpu_usage:asc' } })
  found.push({ name: 'filter vcpus 8, sort ram:asc', more: { vcpus: '8', sort: 'ram:asc' } })
  found.push({ name: 'filter vcpus not 8, sort ram:desc', more: { vcpus: 'not:8', sort: 'ram:desc' } })
  found.push({
    name: 'filter task_state None, sort task_state:asc',
    more: { task_state: 'None', sort: 'task_state:asc' },
  })
  for (const search of [
    '77',
    'web',
    'shop of customer 42',
    '10.0.1.77',
    instanceRow(99, 'x').id,
    'zq',
    'nothing at all',
    'a',
    '%',
  ]) {
    found.push({ name: `search "${search}"`, more: { search } })
    found.push({ name: `search "${search}", count`, more: { search, with_count: true, sort: 'created_at:desc' } })
  }
  found.push({ name: 'count of all', more: { with_count: true } })
  return found
}

/** Compares lists of 100 000 instances with lists of 100, for callers who can see all of them or only a few. */
export async function run(): Promise<Row[]> {
  const few = await world(FEW)
  const started = performance.now()
  const many = await world(MANY)
  const rows: Row[] = [
    { name: 'inventory: taking in 100 000 instances', unit: 's', value: (performance.now() - started) / 1000 },
  ]
  const slow: { name: string; ms: number; few: number }[] = []
  try {
    for (const [who, scope] of [
      ['system', system],
      ['project with all', inProject('project-large')],
      ['project with 1 %', inProject('project-small')],
    ] as const) {
      const all: number[] = []
      const allFew: number[] = []
      let worst = { name: '', ms: 0, few: 0 }
      for (const { name, more, deep } of cases()) {
        const hidden =
          scope.kind !== 'system' && (more['host'] !== undefined || String(more['sort']).startsWith('host'))
        if (hidden) continue
        const marker = deep ? await deepMarker(many, scope, deep, 0.5) : undefined
        const markerFew = deep ? await deepMarker(few, scope, deep, 0.5) : undefined
        const times = await timed(() =>
          many.inventory.list(kind, scope, query({ ...more, marker: marker ?? undefined })),
        )
        const timesFew = await timed(() =>
          few.inventory.list(kind, scope, query({ ...more, marker: markerFew ?? undefined })),
        )
        all.push(...times)
        allFew.push(...timesFew)
        const ms = quantile(times, 0.5)
        const msFew = quantile(timesFew, 0.5)
        slow.push({ name: `${who}: ${name}`, ms, few: msFew })
        if (ms > worst.ms) worst = { name, ms, few: msFew }
      }
      rows.push({
        name: `inventory: list, p95, ${who}`,
        unit: 'ms',
        value: quantile(all, 0.95),
        against: { name: 'of 100', value: quantile(allFew, 0.95) },
      })
      rows.push({
        name: `inventory: slowest list (median), ${who}`,
        unit: 'ms',
        value: worst.ms,
        against: { name: 'of 100', value: worst.few },
      })
    }
    const updates = async ({ inventory }: World): Promise<number> => {
      const { id } = instanceRow(7, 'project-large')
      let round = 0
      const times: number[] = []
      for (; round < 100; round++) {
        const at = performance.now()
        await inventory.transaction(async (records) => {
          const row = await records.lock(kind.name, id)
          const status = round % 2 ? 'ACTIVE' : 'SHUTOFF'
          await records.put(kind.name, {
            ...row!,
            status,
            updated: new Date(Date.UTC(2026, 0, 1) + round * 1000).toISOString(),
          })
        })
        times.push(performance.now() - at)
      }
      return quantile(times, 0.5)
    }
    const update = await updates(many)
    rows.push({
      name: 'inventory: one status changes',
      unit: 'ms',
      value: update,
      against: { name: 'among 100', value: await updates(few) },
    })
    const counting = await timed(() => many.inventory.countBy(kind, system, 'status'))
    rows.push({ name: 'inventory: instances by status', unit: 'ms', value: quantile(counting, 0.5) })
  } finally {
    await many.close()
    await few.close()
  }
  if (process.env['BENCH_DETAILS']) {
    slow.sort((one, other) => other.ms - one.ms)
    for (const { name, ms, few: msFew } of slow.slice(0, Number(process.env['BENCH_DETAILS']))) {
      process.stderr.write(`${ms.toFixed(1).padStart(8)} ms  (${msFew.toFixed(1)})  ${name}\n`)
    }
  }
  return rows
}
