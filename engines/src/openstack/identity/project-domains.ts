import * as z from 'zod'
import type { ServiceClient } from '../client/service-client'
import type { LastKnown } from './last-known'
import type { ProjectRecord } from '../../ports/identity'

const WireProject = z.object({ id: z.string(), domain_id: z.string() })

/** How often all projects may be read for one that is not known, milliseconds. */
const READ_ALL_EVERY_MS = 60_000

/**
 * The domain of a project: for the feed, which meets every project there is, so that all are read at once. A project
 * never changes its domain. One that is gone answers its own id.
 */
export function createProjectDomains(
  caller: ServiceClient,
  projects: LastKnown<ProjectRecord>,
): (id: string) => Promise<string> {
  const domains = new Map<string, string>()
  let reading: Promise<void> | null = null
  let readAt = -Infinity

  async function readAll(): Promise<void> {
    for await (const page of caller.pages('identity', '/projects', 'projects', WireProject))
      for (const { id, domain_id } of page) domains.set(id, domain_id)
    readAt = performance.now()
  }

  return async (id) => {
    if (!domains.has(id) && performance.now() - readAt > READ_ALL_EVERY_MS) {
      reading ??= readAll().finally(() => (reading = null))
      // one that fails leaves the single look-up, which knows what was known last
      await reading.catch(() => undefined)
    }
    const known = domains.get(id)
    if (known !== undefined) return known
    const domain = (await projects.get(id))?.domain_id ?? id
    domains.set(id, domain)
    return domain
  }
}
