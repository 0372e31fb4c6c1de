import * as z from 'zod'
import type { ServiceClient } from '../client/service-client'
import type { LastKnown } from './last-known'
import type { ProjectRecord } from '../../ports/identity'

const WireProject = z.object({ id: z.string(), domain_id: z.string() })

/** Minimum interval between full reads of the projects to find an unknown one, in milliseconds. */
const READ_ALL_EVERY_MS = 60_000

/**
 * Returns the domain of a project, which never changes, or the project's own ID if the project has been deleted. The
 * feed requires the domains of all projects, so a single request reads them all.
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
      // if this fails, the individual lookup below may have an older result
      await reading.catch(() => undefined)
    }
    const known = domains.get(id)
    if (known !== undefined) return known
    const domain = (await projects.get(id))?.domain_id ?? id
    domains.set(id, domain)
    return domain
  }
}
