import type { Instance } from '@mainstay/contract/compute/instances'
import { volumeIsErrored } from '@mainstay/contract/storage/volume-rules'
import type { Volume } from '@mainstay/contract/storage/volumes'
import { releaseCard } from '../../networking/kept-ports'
import type { Engine } from '../../engine'
import { noteIsoUse } from './disks'
import type { InstancePlan } from '../../rows/instance-plan'
import { freed } from './rescue-disk'
import { leaveGroup } from '../server-groups'
import { changeVolume, detached } from '../../rows/volumes'

/**
 * Deletes an instance with everything that belongs only to it, and the given volumes. `all` stands for the volumes that
 * were created with the instance. Files are removed before the rows that refer to them, so that the deletion can be
 * repeated if the server is killed.
 */
export async function releaseInstance(engine: Engine, id: string, volumeIds: string[] | 'all'): Promise<void> {
  const { records, hypervisor, files } = engine
  const found = await records.transaction(async (tx) => {
    const row = await tx.get<Instance>('server', id)
    // the creation finished before it could be cancelled
    if (!row || (volumeIds === 'all' && row.status !== 'BUILD')) return null
    const volumes = await Promise.all(row.volumes.map((volume) => tx.get<Volume>('volume', volume.id)))
    // a volume that is being attached existed before this instance
    const kept = (volume: Volume) =>
      volumeIds === 'all' ? volume.status === 'attaching' : !volumeIds.includes(volume.id)
    return { doomed: volumes.filter((volume) => volume !== null && !kept(volume)).map((volume) => volume!.id) }
  })
  if (!found) return
  await hypervisor.machines.forget(id)
  await hypervisor.disks.remove(files.seed(id))
  await hypervisor.disks.remove(files.rescue(id))
  for (const volumeId of found.doomed) await hypervisor.disks.remove(files.volume(volumeId))

  await records.transaction(async (tx) => {
    const row = await tx.lock<Instance>('server', id)
    if (!row) return
    for (const { id: volumeId } of row.volumes) {
      const volume = await tx.lock<Volume>('volume', volumeId)
      if (!volume) continue
      if (found.doomed.includes(volumeId)) {
        await tx.remove('volume', volumeId)
        await tx.removePrivate('volume', volumeId)
      } else {
        await changeVolume(tx, volume, volumeIsErrored(volume) ? { attachments: [] } : detached)
      }
    }
    for (const card of row.network_data) await releaseCard(tx, card.port_id)
    const plan = await tx.getPrivate<InstancePlan>('server', id)
    if (plan) await freed(tx, id, plan)
    if (plan?.serverGroup) await leaveGroup(tx, plan.serverGroup, id)
    for (const disk of plan?.disks ?? []) if (disk.kind === 'iso') await noteIsoUse(tx, disk.id, id, false)
    await tx.remove('server', id)
    await tx.removePrivate('server', id)
  })
  engine.carrier.changed()
}
