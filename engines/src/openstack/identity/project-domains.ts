import * as z from 'zod'
import type { ServiceClient } from '../client/service-client'
import type { LastKnown } from './last-known'
import type { ProjectRecord } from '../../ports/identity'

const WireProject = z.object({ id: z.string(), domain_id: z.string() })

/** Minimum interval of reading all projects to find an unknown one, milliseconds. */
const READ_ALL_EVERY_MS = 60_000

/**
 * Returns the domain of a project. The feed needs all projects, so one request reads them all. A project never changes
 * its domain. For a deleted project, returns its own ID.
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
      // if this fails, the single lookup below may know an older result
      await reading.catch(() => undefined)
    }
    const known = domains.get(id)
    if (known !== undefined) return known
    const domain = (await projects.get(id))?.domain_id ?? id
    domains.set(id, domain)
    return domain
  }
}
