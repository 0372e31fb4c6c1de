import { allEndpoints, allKinds } from '@mainstay/contract/resources'
import type { Endpoint } from '@mainstay/contract/core/endpoint'
import type { TestServer } from './start-server'

/** IDs that exist on a server. */
export interface KnownIds {
  all: string[]
  /** One of a kind; of any kind where there is none. */
  of(kind: string): string
  /** Those of the kind whose calls stand below a path. */
  below(path: string): string[]
  /** Rows of the kind whose calls stand below a path, each with its parent as the path names both; empty for a kind without a parent. */
  nested(path: string): Record<string, string>[]
}

const tables = Object.values(allEndpoints) as Record<string, Endpoint>[]

/** Path of the list of a kind: the one whose rows need the kind's rights. */
const listPath = (kind: string): string => {
  const right = allKinds[kind]?.permissions.collection
  const list = tables.find(({ list: it }) => typeof it?.needs === 'object' && it.needs.resource === right)?.['list']
  return list?.path ?? '/nowhere'
}

const nestedKinds = Object.values(allKinds).filter(({ parent }) => parent)

/** The IDs of a server's rows. Of domains only those called `names`: nobody is to disable or delete the domains of those who call. */
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
