import type { Endpoint } from '@mainstay/contract/core/endpoint'
import { domainKind, domains } from '@mainstay/contract/identity/domains'
import { projectKind, projects } from '@mainstay/contract/identity/projects'
import { useQuery } from '@tanstack/react-query'
import { call } from '../../api/call'
import { viewKey } from '../../api/keys'
import { useMay } from '../../session/may'

/** A project or a domain, as far as a table names it. */
export interface Owner {
  id: string
  name: string
  domain_id?: string
}

/** Rows of one page are drawn within this time, and ask together. */
const togetherMs = 20
const mostAtOnce = 100

interface Waiting {
  resolve: (owner: Owner | null) => void
  reject: (thrown: unknown) => void
}

/** Asks for many by their ids in one call: the rows of a page name the same few, and not each asks by itself. */
function askTogether(list: Endpoint) {
  let waiting = new Map<string, Waiting[]>()
  async function askAll() {
    const asked = [...waiting]
    waiting = new Map()
    for (let at = 0; at < asked.length; at += mostAtOnce) {
      const some = asked.slice(at, at + mostAtOnce)
      const query = { id: `in:${some.map(([id]) => id).join(',')}`, limit: mostAtOnce }
      try {
        const { data } = (await call(list, { query } as never)) as { data: Owner[] }
        for (const [id, callers] of some)
          for (const { resolve } of callers) resolve(data.find((owner) => owner.id === id) ?? null)
      } catch (thrown) {
        for (const [, callers] of some) for (const { reject } of callers) reject(thrown)
      }
    }
  }
  return (id: string) =>
    new Promise<Owner | null>((resolve, reject) => {
      if (waiting.size === 0) setTimeout(() => void askAll(), togetherMs)
      waiting.set(id, [...(waiting.get(id) ?? []), { resolve, reject }])
    })
}

const sources = {
  project: { kind: projectKind, calls: projects, ask: askTogether(projects.list) },
  domain: { kind: domainKind, calls: domains, ask: askTogether(domains.list) },
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
