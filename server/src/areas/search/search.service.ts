import type { Instance } from '@mainstay/contract/compute/instances'
import { quotaKind } from '@mainstay/contract/compute/quotas'
import type { Kind } from '@mainstay/contract/core/kind'
import type { Found, FoundKind, SearchQuery } from '@mainstay/contract/core/search'
import { taskKind } from '@mainstay/contract/core/tasks'
import { resourceList } from '@mainstay/contract/resources'
import type { Entity } from '@mainstay/engines/ports/records'
import type { Scope } from '@mainstay/engines/ports/scope'
import type * as z from 'zod'
import { mayCall, type SignedIn } from '../../session/signed-in'
import type { Tools } from '../../tools'

/** Rows of these are looked for by what they belong to, not by a name of their own. */
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
 * What of every kind the caller may list is called so: first what begins with the text, then what contains it, each by
 * name. Two pages of the usual lists for each kind, so it sees what they see.
 */
export async function findAcrossKinds(
  { inventory }: Pick<Tools, 'inventory'>,
  { grants, scope }: Pick<SignedIn, 'grants' | 'scope'>,
  { q, limit }: z.output<typeof SearchQuery>,
): Promise<FoundKind[]> {
  const found = await Promise.all(
    searched
      .filter(({ list }) => mayCall(grants, list.needs))
      .map(async ({ kind }): Promise<FoundKind> => {
        const rows = await firstRows(inventory, kind, scope, q, limit + 1)
        return {
          kind: kind.name,
          rows: rows.slice(0, limit).map((row) => foundOf(kind, row)),
          has_more: rows.length > limit,
        }
      }),
  )
  return found.filter(({ rows }) => rows.length > 0)
}

async function firstRows(inventory: Tools['inventory'], kind: Kind, scope: Scope, q: string, limit: number) {
  const page = (more: Record<string, string>) => inventory.list<Entity>(kind, scope, { limit, sort: 'name', ...more })
  const { data: first } = await page({ name: `starts:${q}` })
  if (first.length === limit) return first
  const { data: others } = await page({ search: q })
  const known = new Set(first.map(({ id }) => id))
  return [...first, ...others.filter(({ id }) => !known.has(id))].slice(0, limit)
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
