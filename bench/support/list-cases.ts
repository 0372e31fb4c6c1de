import { instanceKind, type Instance } from '@mainstay/contract/compute/instances'
import type { FieldAt } from '@mainstay/contract/core/fields'
import { valueAt } from '@mainstay/contract/core/kind'

/** A list request to measure. */
export interface ListCase {
  group: 'sorted, first page' | 'sorted, page 5 000' | 'filtered' | 'searched' | 'counted'
  query: Record<string, string>
  /** True to request the last page in this order, using its marker. */
  last?: boolean
}

const hidden = (scope: 'system' | 'project', { path }: FieldAt) =>
  scope === 'project' && instanceKind.systemOnly.includes(path)

/** Lists with every sort key in both directions, first and last page. */
export function sortedLists(scope: 'system' | 'project'): ListCase[] {
  return Object.entries(instanceKind.sortKeys)
    .filter(([, field]) => !hidden(scope, field))
    .flatMap(([key]) => [`${key}:asc`, `${key}:desc`])
    .flatMap((sort): ListCase[] => [
      { group: 'sorted, first page', query: { sort } },
      { group: 'sorted, page 5 000', query: { sort }, last: true },
    ])
}

/** Lists with every filter and every operator of its type, using values from these rows. Some also set a sort order. */
export function filteredLists(scope: 'system' | 'project', rows: readonly Instance[]): ListCase[] {
  const found: Record<string, string>[] = []
  for (const [name, field] of Object.entries(instanceKind.filters)) {
    if (hidden(scope, field)) continue
    const values = valuesOf(rows, field)
    for (const text of termsOf(field.type, values)) found.push({ [name]: text })
    const [one] = termsOf(field.type, values)
    if (one === undefined) continue
    for (const sort of ['created_at:desc', 'cpu_usage:asc', 'status:desc']) found.push({ [name]: one, sort })
  }
  found.push(
    { status: 'ERROR', vcpus: 'gte:2', sort: 'updated_at:desc' },
    { status: 'in:ACTIVE,PAUSED', tags: 'any:production,ci', sort: 'mem_usage:desc' },
    // all matching rows sort last
    { status: 'SHUTOFF', sort: 'cpu_usage:asc' },
    { ha_enabled: 'false', name: 'db', sort: 'block_usage:desc' },
    { name: 'nothing-is-called-so' },
    { status: 'RESCUE', sort: 'created_at:asc' },
  )
  return found.map((query) => ({ group: 'filtered', query }))
}

export function searchedLists(rows: readonly Instance[]): ListCase[] {
  const some = rows[rows.length >> 1]!
  const address = some.network_data[0]?.fixed_ips[0]?.ip_address ?? '10.0.0.1'
  const texts = [
    'web',
    'prod',
    some.name,
    some.name.slice(-4),
    some.id,
    some.id.slice(0, 8),
    address,
    '10.1',
    'zqx',
    'b',
  ]
  return texts.flatMap((search): ListCase[] => [
    { group: 'searched', query: { search } },
    { group: 'searched', query: { search, sort: 'created_at:desc' } },
  ])
}

export function countedLists(rows: readonly Instance[]): ListCase[] {
  const some = rows[rows.length >> 1]!
  const queries: Record<string, string>[] = [
    {},
    { status: 'ERROR' },
    { status: 'ACTIVE' },
    { tags: 'any:production' },
    { name: 'web' },
    { name: some.name.slice(-4) },
    { search: 'prod' },
    { search: some.id.slice(0, 8) },
    { vcpus: 'gte:4' },
    { status: 'not:ACTIVE', sort: 'created_at:desc' },
  ]
  return queries.map((query) => ({ group: 'counted', query: { ...query, with_count: 'true' } }))
}

/** Returns the distinct values of a field in these rows, most frequent first. Derived fields are computed. */
function valuesOf(rows: readonly Instance[], { path }: FieldAt): string[] {
  const counts = new Map<string, number>()
  for (const row of rows) {
    const value = valueAt({ ...row, derived: instanceKind.derive?.from(row) }, path)
    for (const one of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (one === null || one === undefined) continue
      const text = `${one as string}`
      counts.set(text, (counts.get(text) ?? 0) + 1)
    }
  }
  return [...counts].sort(([, one], [, other]) => other - one).map(([value]) => value)
}

function termsOf(type: FieldAt['type'], values: string[]): string[] {
  // fields that have no value in any row are still measured
  const [common = 'nothing', rare = common] = [values[0], values[values.length - 1]]
  const several = `in:${values.slice(0, 3).join(',') || common}`
  switch (type) {
    case 'text':
      return [rare.slice(0, 3), rare.slice(-3), `exact:${rare}`, several, `not:${common}`]
    case 'id':
      return [common, rare, several, `not:${common}`, 'None']
    case 'tags':
      return [common, rare, `any:${values.slice(0, 3).join(',') || common}`, `not:${common}`, 'None']
    case 'number':
    case 'time':
      return [common, rare, `gte:${rare}`, `lte:${rare}`, `not:${common}`]
    case 'boolean':
      return ['true', 'false']
  }
}
