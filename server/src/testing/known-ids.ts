import { allEndpoints, allKinds } from '@mainstay/contract/resources'
import type { Endpoint } from '@mainstay/contract/core/endpoint'
import type { TestServer } from './start-server'

/** IDs of the rows on a server. */
export interface KnownIds {
  all: string[]
  /** Returns an ID of this kind, or of any kind if this kind has none. */
  of(kind: string): string
  /** IDs of the kind whose calls have this path prefix. */
  below(path: string): string[]
  /**
   * Rows of the kind whose calls have this path prefix, as path parameters including their parents; empty for a kind
   * without a parent.
   */
  nested(path: string): Record<string, string>[]
}

const tables = Object.values(allEndpoints) as Record<string, Endpoint>[]

/** Path of the list call for a kind, found by the right that it requires. */
const listPath = (kind: string): string => {
  const right = allKinds[kind]?.permissions.collection
  const list = tables.find(({ list: it }) => typeof it?.needs === 'object' && it.needs.resource === right)?.['list']
  return list?.path ?? '/nowhere'
}

const nestedKinds = Object.values(allKinds).filter(({ parent }) => parent)

/**
 * Returns the IDs of a server's rows. Domains are limited to the ones called `names`, so that no call disables a
 * caller's domain.
 */
export async function knownIds({ sql, cast }: TestServer, names: readonly string[]): Promise<KnownIds> {
  const rows = await sql.query<{ kind: string; id: string; body: Record<string, string> }>(
    'select kind, id, body from resource',
  )
  const others = [...Object.values(cast.projects), ...Object.values(cast.domains)].map(({ id }) => id)
  const made = await sql.query<{ id: string }>(
    "select id from resource where kind in ('domain', 'project', 'user', 'group') and name = any($1::text[])",
    [names],
  )
  const ofDomains = ['default', ...made.map(({ id }) => id)]
  const all = [...rows.map(({ id }) => id), ...others]
  return {
    all,
    of: (kind) => rows.find((row) => row.kind === kind)?.id ?? all[0]!,
    below(path) {
      if (path.startsWith(allEndpoints.domains.list.path)) return ofDomains
      const kind = rows.filter((row) => path.startsWith(listPath(row.kind)))
      return kind.length > 0 ? kind.map(({ id }) => id) : all
    },
    nested(path) {
      const kind = nestedKinds.find(({ name }) => path.startsWith(listPath(name)))
      if (!kind) return []
      const { field } = kind.parent!
      const isOfDomain = path.startsWith(allEndpoints.domains.list.path)
      const found = rows.filter((row) => row.kind === kind.name && (!isOfDomain || ofDomains.includes(row.id)))
      return found.map(({ id, body }) => ({ id, [field]: body[field]! }))
    },
  }
}
