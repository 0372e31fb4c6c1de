import type { AccessPolicy } from '@mainstay/contract/core/readers'
import type { Network } from '@mainstay/contract/networking/networks'
import type { SecurityGroup } from '@mainstay/contract/networking/security-groups'
import { DEFAULT_GROUP_NAME } from '@mainstay/contract/networking/security-groups'
import type { RecordsTransaction } from '../../ports/records'
import { putNetwork } from './subnets'

/** Removes a deleted project or domain from the access policies of networks. */
async function unshare(tx: RecordsTransaction, isGone: (policy: AccessPolicy) => boolean): Promise<void> {
  const policiesOf = ({ rbac_policies }: Network) => rbac_policies.filter((policy) => !isGone(policy))
  for (const { id } of await tx.find<Network>('network', { router_external: true })) {
    const network = await tx.lock<Network>('network', id)
    if (network && policiesOf(network).length < network.rbac_policies.length)
      await putNetwork(tx, { ...network, rbac_policies: policiesOf(network) })
  }
}

/** Cleans up after an empty project was deleted: removes its default group and its network access. */
export async function forgetProject(tx: RecordsTransaction, projectId: string): Promise<void> {
  const where = { project_id: projectId, name: DEFAULT_GROUP_NAME }
  for (const group of await tx.find<SecurityGroup>('security_group', where)) {
    for (const { id } of group.security_group_rules) await tx.remove('security_group_rule', id)
    await tx.remove('security_group', group.id)
  }
  await unshare(tx, (policy) => 'target_project' in policy && policy.target_project === projectId)
}

export const forgetDomain = (tx: RecordsTransaction, domainId: string): Promise<void> =>
  unshare(tx, (policy) => 'target_domain' in policy && policy.target_domain === domainId)
