import { volumesToDelete } from '@mainstay/contract/compute/instance-rules'
import {
  instanceKind,
  type Instance,
  type InstanceDeletion,
  type instances,
} from '@mainstay/contract/compute/instances'
import type { QueryOf } from '@mainstay/contract/core/endpoint'
import { serverGroupKind, type ServerGroup } from '@mainstay/contract/compute/server-groups'
import { volumeKind, type Volume } from '@mainstay/contract/storage/volumes'
import { refusalOf } from '@mainstay/engines/ports/rehearsal'
import type { Scope } from '@mainstay/engines/ports/scope'
import type { Tools } from '../../tools'
import { recycleDays, recycling } from '../storage/recycle-bin.service'

type DeletionQuery = QueryOf<typeof instances.delete>

/** Reads volume IDs from the query. Returns null if there are none; each volume's own flag then applies. */
const chosenVolumes = ({ delete_volumes: ids }: DeletionQuery): string[] | null =>
  ids?.split(',').filter((id) => id !== '') ?? null

type DeletionTools = Pick<Tools, 'inventory' | 'ports' | 'settings' | 'capabilities'>

/**
 * Moves an instance to the recycle bin, or deletes it permanently if there is no recycle bin or the query requests it.
 */
export async function deleteInstance(
  tools: DeletionTools,
  scope: Scope,
  id: string,
  query: DeletionQuery,
): Promise<Instance> {
  const { instances: commands } = tools.ports.compute
  const chosen = chosenVolumes(query)
  const how = await recycling(tools, query)
  return how ? commands.recycle(scope, id, chosen, how) : commands.delete(scope, id, chosen)
}

/**
 * Previews the deletion of an instance with the given volumes, including the error it would return. Changes nothing.
 */
export async function deletionOf(
  tools: DeletionTools,
  scope: Scope,
  id: string,
  query: DeletionQuery,
): Promise<InstanceDeletion> {
  const { inventory } = tools
  const chosen = chosenVolumes(query)
  const row = await inventory.view<Instance>(instanceKind, scope, id)
  const going = volumesToDelete(row, chosen)
  const ids = row.volumes.map((volume) => volume.id)
  const [refusal, volumes, groups, days] = await Promise.all([
    refusalOf(() => deleteInstance(tools, scope, id, query)),
    inventory.several<Volume>(volumeKind, scope, ids),
    inventory.list<ServerGroup>(serverGroupKind, scope, { limit: 10, members: `any:${id}` }),
    query.permanent === 'true' ? 0 : recycleDays(tools),
  ])
  const lockOf = (volumeId: string) => volumes.find((volume) => volume.id === volumeId)?.deletion_lock ?? null
  return {
    refusal,
    recycle_days: days || null,
    volumes: row.volumes.map((volume) => ({
      ...{ id: volume.id, name: volume.name, size: volume.size },
      is_deleted: going.includes(volume),
      deletion_lock: lockOf(volume.id),
    })),
    addresses: row.network_data.flatMap(({ network_name, fixed_ips }) =>
      fixed_ips.map(({ ip_address }) => ({ network_name, ip_address })),
    ),
    server_groups: groups.data.map((group) => ({ id: group.id, name: group.name })),
  }
}
