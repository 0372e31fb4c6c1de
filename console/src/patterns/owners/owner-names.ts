import type { Endpoint } from '@mainstay/contract/core/endpoint'
import { domainKind, domains } from '@mainstay/contract/identity/domains'
import { projectKind, projects } from '@mainstay/contract/identity/projects'
import { useQuery } from '@tanstack/react-query'
import { askTogether } from '../../api/ask-together'
import { call } from '../../api/call'
import { viewKey } from '../../api/keys'
import { useMay } from '../../session/may'

/** A project or a domain, as far as a table names it. */
export interface Owner {
  id: string
  name: string
  domain_id?: string
}

const named = (list: Endpoint) =>
  askTogether(async (ids) => {
    const query = { id: `in:${ids.join(',')}`, limit: ids.length }
    return ((await call(list, { query } as never)) as { data: Owner[] }).data
  })

const sources = {
  project: { kind: projectKind, calls: projects, ask: named(projects.list) },
  domain: { kind: domainKind, calls: domains, ask: named(domains.list) },
}

/** Whose a row is, live; undefined until known, and null where nobody is told. */
export function useOwner(of: keyof typeof sources, id: string | undefined): Owner | null | undefined {
  const { kind, calls, ask } = sources[of]
  const may = useMay()
  const { data } = useQuery({
    // as a view of it, so that its changes find it
    queryKey: [...viewKey(kind.name, calls.view, { id: id ?? '' }, {}), 'name'],
    queryFn: () => ask(id!),
    enabled: id !== undefined && may(calls.list.needs),
    staleTime: Infinity,
  })
  return data
}
