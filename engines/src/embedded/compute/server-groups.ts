import { randomUUID } from 'node:crypto'
import type { ServerGroup } from '@mainstay/contract/compute/server-groups'
import { fieldProblem } from '@mainstay/contract/core/problems'
import type { ServerGroupsPort } from '../../ports/compute'
import type { RecordsTransaction } from '../../ports/records'
import type { ProjectScope } from '../../ports/scope'
import { actsOn, lockOwn } from '../access'
import type { Engine } from '../engine'

export const serverGroupCommands = ({ records }: Engine): ServerGroupsPort => ({
  create: (scope, draft) =>
    records.transaction(async (tx) => {
      const { project_id, domain_id, user_id } = scope
      const row: ServerGroup = { id: randomUUID(), ...draft, members: [], project_id, domain_id, user_id }
      await tx.put('server_group', row)
      return row
    }),
  delete: (scope, id) =>
    records.transaction(async (tx) => {
      await lockOwn<ServerGroup>(tx, 'server_group', scope, id)
      await tx.remove('server_group', id)
    }),
})

/** Adds new instances to a group. Because there is only one node, an anti-affinity group can have only one member. */
export async function joinGroup(
  tx: RecordsTransaction,
  scope: ProjectScope,
  groupId: string,
  instanceIds: string[],
): Promise<void> {
  const group = await tx.lock<ServerGroup>('server_group', groupId)
  if (!group || !actsOn(scope, group.project_id)) throw fieldProblem('server_group', 'compute.no_such_server_group')
  const members = [...group.members, ...instanceIds]
  if (group.policy === 'anti-affinity' && members.length > 1) {
    throw fieldProblem('server_group', 'compute.anti_affinity_needs_nodes')
  }
  await tx.put('server_group', { ...group, members })
}

/** Removes a deleted instance from its group, if the group still exists. */
export async function leaveGroup(tx: RecordsTransaction, groupId: string, instanceId: string): Promise<void> {
  const group = await tx.lock<ServerGroup>('server_group', groupId)
  if (!group) return
  await tx.put('server_group', { ...group, members: group.members.filter((id) => id !== instanceId) })
}
