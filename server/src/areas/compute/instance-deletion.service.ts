import { volumesThatGo } from '@mainstay/contract/compute/instance-rules'
import { instanceKind, type Instance, type InstanceDeletion } from '@mainstay/contract/compute/instances'
import { serverGroupKind, type ServerGroup } from '@mainstay/contract/compute/server-groups'
import { volumeKind, type Volume } from '@mainstay/contract/storage/volumes'
import { refusalOf } from '@mainstay/engines/ports/rehearsal'
import type { Scope } from '@mainstay/engines/ports/scope'
import type { Tools } from '../../tools'

/** Ids of volumes out of a query; null where it names none, so that the flags decide. */
export const chosenVolumes = ({ delete_volumes: ids }: { delete_volumes?: string | undefined }): string[] | null =>
  ids?.split(',').filter((id) => id !== '') ?? null

/** What deleting an instance with these volumes would do, and what would refuse it. Nothing is done. */
export async function deletionOf(
  { inventory, ports }: Pick<Tools, 'inventory' | 'ports'>,
  scope: Scope,
  id: string,
  chosen: string[] | null,
): Promise<InstanceDeletion> {
  const row = await inventory.view<Instance>(instanceKind, scope, id)
  const going = volumesThatGo(row, chosen)
  const ids = row.volumes.map((volume) => volume.id)
  const [refusal, volumes, groups] = await Promise.all([
    refusalOf(() => ports.compute.instances.delete(scope, id, chosen)),
    inventory.several<Volume>(volumeKind, scope, ids),
    inventory.list<ServerGroup>(serverGroupKind, scope, { limit: 10, members: `any:${id}` }),
  ])
  const lockOf = (volumeId: string) => volumes.find((volume) => volume.id === volumeId)?.deletion_lock ?? null
  return {
    refusal,
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
