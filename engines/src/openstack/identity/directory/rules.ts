import { notFound, problem, fieldProblem } from '@mainstay/contract/core/problems'
import { refuseLockOut as refuseSelf } from '@mainstay/contract/identity/user-rules'
import * as z from 'zod'
import type { Scope } from '../../../ports/scope'
import type { ServiceClient } from '../../client/service-client'
import { readEach } from '../../read-each'
import { WireProject } from './wire'
import { at } from './world'

/** Throws `not_found` if the row does not exist or is in another domain. */
export function inDomain<Row extends { domain_id: string }>(row: Row | null, domainId: string): Row {
  if (row?.domain_id !== domainId) throw notFound()
  return row
}

/** Protects the console's own service account. `removed`: from a project; `deprived`: its permissions were revoked. */
export function refuseAccount(
  id: string,
  accountId: string,
  done: 'deleted' | 'disabled' | 'removed' | 'deprived',
): void {
  if (id === accountId) throw problem('identity.account_of_console', { done })
}

/** Like `refuseAccount`, but also prevents callers from locking themselves out. */
export function refuseLockOut(scope: Scope, id: string, accountId: string, done: 'deleted' | 'disabled'): void {
  refuseAccount(id, accountId, done)
  refuseSelf(scope, { id, roles: [] }, done)
}

/** Throws a `validation` error on the first project that does not exist or is in a domain outside the scope. */
export async function checkProjects(
  caller: ServiceClient,
  scope: Scope,
  assigned: readonly { project_id: string }[],
): Promise<void> {
  const ids = assigned.map((it) => it.project_id)
  const found = await readEach(ids, async (id) => {
    const shape = z.object({ project: WireProject })
    return (await caller.get('identity', at('projects', id), shape)).project
  })
  const isKnown = (id: string) => {
    const project = found.get(id)
    return project && (scope.kind === 'system' || project.domain_id === scope.domain_id)
  }
  const wrong = ids.findIndex((id) => !isKnown(id))
  if (wrong >= 0) throw fieldProblem(`assigned_projects.${wrong}.project_id`, 'identity.no_such_project')
}
