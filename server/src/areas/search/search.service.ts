import type { Instance } from '@mainstay/contract/compute/instances'
import { quotaKind } from '@mainstay/contract/compute/quotas'
import type { Kind } from '@mainstay/contract/core/kind'
import type { Found, FoundKind, SearchQuery } from '@mainstay/contract/core/lists/search'
import { taskKind } from '@mainstay/contract/core/tasks'
import { resourceList } from '@mainstay/contract/resources'
import type { Entity } from '@mainstay/engines/ports/records'
import type * as z from 'zod'
import { mayCall, type SignedIn } from '../../session/signed-in'
import type { Tools } from '../../tools'

/** Kinds whose rows have no name and therefore cannot be searched. */
const unnamed: readonly Kind[] = [taskKind, quotaKind]

const searched = resourceList.flatMap(
  ([
    ,
    {
      kind,
      calls: { list },
    },
  ]) =>
    kind && list && kind.filters['name'] && kind.sortKeys['name'] && !unnamed.includes(kind) ? [{ kind, list }] : [],
)

/**
 * Searches all kinds that the caller may list and returns only rows that those lists would show (see
 * `Inventory.named`).
 */
export async function findAcrossKinds(
  { inventory }: Pick<Tools, 'inventory'>,
  { grants, scope }: Pick<SignedIn, 'grants' | 'scope'>,
  { q, limit }: z.output<typeof SearchQuery>,
): Promise<FoundKind[]> {
  const kinds = searched.flatMap(({ kind, list }) => (mayCall(grants, list.needs) ? [kind] : []))
  const found = await inventory.named(kinds, scope, q, limit + 1)
  return kinds.flatMap((kind) => {
    const rows = found.get(kind.name) ?? []
    const shown = rows.slice(0, limit).map((row) => foundOf(kind, row))
    return rows.length > 0 ? [{ kind: kind.name, rows: shown, has_more: rows.length > limit }] : []
  })
}

function foundOf(kind: Kind, row: Entity): Found {
  const { name, project_id, networks, task_state, host_status } = row as Entity & Partial<Instance>
  const status = kind.status ? (row as Record<string, unknown>)[kind.status] : null
  return {
    id: row.id,
    name: name ?? '',
    status: typeof status === 'string' ? status : null,
    task_state: task_state ?? null,
    host_status: host_status ?? null,
    project_id: project_id ?? null,
    address: networks?.flatMap(({ ips }) => ips ?? [])[0] ?? null,
  }
}
