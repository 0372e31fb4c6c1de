import type { Endpoint } from '@mainstay/contract/core/endpoint'
import { domainKind, domains } from '@mainstay/contract/identity/domains'
import { projectKind, projects } from '@mainstay/contract/identity/projects'
import { useQueries, useQuery } from '@tanstack/react-query'
import { batchById } from '../../api/batch-by-id'
import { call } from '../../api/call'
import { viewKey } from '../../api/keys'
import { shortId } from '../../lib/ids'
import { useMay } from '../../session/may'

/** The project or domain fields that tables show. */
export interface Owner {
  id: string
  name: string
  domain_id?: string
}

const named = (list: Endpoint) =>
  batchById(async (ids) => {
    const query = { id: `in:${ids.join(',')}`, limit: ids.length }
    return ((await call(list, { query } as never)) as { data: Owner[] }).data
  })

const sources = {
  project: { kind: projectKind, calls: projects, ask: named(projects.list) },
  domain: { kind: domainKind, calls: domains, ask: named(domains.list) },
}

type Of = keyof typeof sources

function ownerQuery(of: Of, id: string | undefined, may: ReturnType<typeof useMay>) {
  const { kind, calls, ask } = sources[of]
  return {
    // the query has the key of a view, so that change events update it
    queryKey: [...viewKey(kind.name, calls.view, { id: id ?? '' }, {}), 'name'],
    queryFn: () => ask(id!),
    enabled: id !== undefined && may(calls.list.needs),
    staleTime: Infinity,
  }
}

/** A row's owner, updated live; null if the owner is unknown or the user may not read it. */
export function useOwner(of: Of, id: string | undefined): { owner: Owner | null; isLoading: boolean } {
  const { data, isLoading } = useQuery(ownerQuery(of, id, useMay()))
  return { owner: data ?? null, isLoading }
}

/** The names of several owners; shortened IDs while loading or without permission. */
export function useOwnerNames(of: Of, ids: readonly string[]): string[] {
  const may = useMay()
  const found = useQueries({ queries: ids.map((id) => ownerQuery(of, id, may)) })
  return ids.map((id, at) => found[at]?.data?.name ?? shortId(id))
}
