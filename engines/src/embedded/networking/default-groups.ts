import type { Project } from '@mainstay/contract/identity/projects'
import type { Network } from '@mainstay/contract/networking/networks'
import { DEFAULT_GROUP_NAME, type SecurityGroup } from '@mainstay/contract/networking/security-groups'
import type { Records } from '../../ports/records'
import { defaultNetworkId } from './default-network'
import { defaultGroup } from './groups-of-ports'
import { ownerOf } from './rows'

const AT_ONCE = 100

/**
 * Creates the default security group for each project that has none, and for the owner of the default network. Projects
 * that are created later get theirs on creation.
 */
export async function ensureDefaultGroups({ transaction }: Records): Promise<void> {
  const lacking = await transaction(async (tx) => {
    const projects = await tx.find<Project>('project', {})
    const network = await tx.get<Network>('network', defaultNetworkId)
    const groups = await tx.find<SecurityGroup>('security_group', { name: DEFAULT_GROUP_NAME })
    const having = new Set(groups.map(({ project_id }) => project_id))
    return [
      ...(network ? [ownerOf(network)] : []),
      ...projects.map(({ id, domain_id }) => ({ project_id: id, domain_id })),
    ].filter(({ project_id }) => !having.has(project_id))
  })
  for (let at = 0; at < lacking.length; at += AT_ONCE)
    await transaction(async (tx) => {
      for (const owner of lacking.slice(at, at + AT_ONCE)) await defaultGroup(tx, owner)
    })
}
