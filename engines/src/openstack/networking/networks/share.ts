import type { NetworkAccessPolicy } from '@mainstay/contract/networking/access'
import { fieldProblem } from '@mainstay/contract/core/problems'
import * as z from 'zod'
import type { ServiceClient } from '../../client/service-client'
import type { Reading } from '../../kind-reader'
import { deleteRow } from '../marks'
import { atFields } from '../refusals'
import { whole } from '../wire'
import { actionInCloud } from './sharing'

/** An action that a project may perform on a network, in Neutron's terms. */
export interface Grant {
  target: string
  action: string
}
const keyOf = ({ target, action }: Grant): string => `${action} ${target}`

/**
 * Converts policies to Neutron policies, one per action and project. Throws `unsupported` for a domain, because Neutron
 * shares only with projects and would not include projects that are created later.
 */
export async function grantsOf(
  policies: readonly NetworkAccessPolicy[],
  { isProject }: Pick<Reading, 'isProject'>,
  at = 'rbac_policies',
): Promise<Grant[]> {
  const grants: Grant[] = []
  for (const [place, policy] of policies.entries()) {
    if ('target_domain' in policy) throw fieldProblem(`${at}.${place}.target_domain`, 'networking.shared_with_projects')
    const target = policy.target_project
    if (target !== '*' && isProject && !(await isProject(target)))
      throw fieldProblem(`${at}.${place}.target_project`, 'identity.no_such_project')
    grants.push(...policy.actions.map((action) => ({ target, action: actionInCloud[action] })))
  }
  return grants
}

const Row = z.object({
  id: z.string(),
  action: z.string(),
  target_tenant: z.string().nullish(),
  target_project: z.string().nullish(),
})

interface Kept extends Grant {
  id: string
}

/** Reads the current policies of a network. */
export async function grantsIn(cloud: ServiceClient, networkId: string): Promise<Kept[]> {
  const query = { object_type: 'network', object_id: networkId }
  const rows = await whole(cloud.pages('network', '/rbac-policies', 'rbac_policies', Row, { query }))
  return rows.map(({ id, action, target_project, target_tenant }) => ({
    id,
    action,
    target: (target_project ?? target_tenant) || '',
  }))
}

export const isSame = (one: readonly Grant[], other: readonly Grant[]): boolean =>
  JSON.stringify(one.map(keyOf).toSorted()) === JSON.stringify(other.map(keyOf).toSorted())

/**
 * Replaces the policies of a network, adding new ones before removing old ones. Throws `network_in_use` if a project
 * still requires one of the policies to be removed.
 */
export async function share(cloud: ServiceClient, networkId: string, wanted: readonly Grant[]): Promise<void> {
  const kept = await grantsIn(cloud, networkId)
  const [has, wants] = [new Set(kept.map(keyOf)), new Set(wanted.map(keyOf))]
  for (const grant of wanted) {
    if (has.has(keyOf(grant))) continue
    const { target, action } = grant
    const rbac_policy = { object_type: 'network', object_id: networkId, target_tenant: target, action }
    await cloud.send('POST', 'network', '/rbac-policies', z.void(), { body: { rbac_policy } })
  }
  for (const grant of kept)
    if (!wants.has(keyOf(grant)))
      await atFields(
        { network_in_use: 'rbac_policies', conflict: 'rbac_policies' },
        deleteRow(cloud, 'rbac-policies', grant.id),
      )
}
