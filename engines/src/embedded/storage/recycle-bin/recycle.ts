import type { Instance } from '@mainstay/contract/compute/instances'
import { problem } from '@mainstay/contract/core/problems'
import type { RecycledItem } from '@mainstay/contract/storage/recycle-bin'
import { volumeInProgress } from '@mainstay/contract/storage/volume-rules'
import type { Volume } from '@mainstay/contract/storage/volumes'
import { isRunAgain, type JobHandler, type RecordsTransaction } from '../../../ports/records'
import type { Scope } from '../../../ports/scope'
import type { RecycleHow } from '../../../ports/storage'
import type { Engine } from '../../engine'
import { leaveGroup } from '../../compute/server-groups'
import { beginDeletion, idsToDelete } from '../../compute/instances/delete'
import { noteIsoUse } from '../../compute/instances/disks'
import { switchOff } from '../../compute/instances/machine-jobs'
import { getPlan, putPlan } from '../../rows/instance-plan'
import { freed } from '../../compute/instances/rescue-disk'
import { changeInstance, faultOf, lockFor, subjectOf } from '../../compute/instances/rows'
import { changing } from '../../networking/rows'
import { beginVolumeDeletion, lockToDelete } from '../volumes/delete'
import { dropSnapshots, giveUpSnapshots } from '../../rows/volume-snapshots'
import { changeVolume, detached } from '../../rows/volumes'
import { putItem, RECYCLED, recycledOf, removeItem, type RecycledMachine } from './items'
import { releaseCards } from './cards'
import { giveBack } from './give-back'

/** Whether there is nothing to restore: the volume's file was never created, or the volume does not exist. */
const isUnmade = (volume: Volume | null): boolean => volume === null || volume.status === 'error'

/**
 * Moves an instance and the volumes deleted with it into the bin. Once committed, the instance no longer appears in any
 * list, and its ports, addresses, group membership and ISOs are released. See `InstancesPort.recycle`.
 */
export const recycleInstance = (
  engine: Engine,
  scope: Scope,
  id: string,
  { chosen, ...how }: RecycleHow & { chosen: string[] | null },
) =>
  changing(engine, async (tx) => {
    const row = await lockFor(tx, scope, id, 'delete')
    const doomed = idsToDelete(row, chosen)
    const own = await Promise.all(row.volumes.map((shown) => tx.lock<Volume>('volume', shown.id)))
    for (const volume of own) if (volume && doomed.includes(volume.id)) await giveUpSnapshots(tx, volume, false)
    if (own.some(isUnmade)) return beginDeletion(tx, scope, row, doomed)
    const volumes = own as Volume[]
    const busy = volumes.find(volumeInProgress)
    if (busy) throw problem('storage.named_volume_changing', { name: busy.name, status: busy.status })

    const going = volumes.filter((volume) => doomed.includes(volume.id))
    for (const volume of volumes)
      if (going.includes(volume)) await tx.remove('volume', volume.id)
      // the volume is released once the machine is off
      else await changeVolume(tx, volume, { status: 'detaching' })
    await leavePlaces(tx, row)
    const floatingIps = await releaseCards(tx, row)
    await tx.remove('server', id)
    const wasUp = ['ACTIVE', 'PAUSED', 'RESCUE'].includes(row.status)
    const recycled: RecycledMachine = {
      kind: 'server',
      instance: row,
      volumes: going,
      floatingIps,
      wasUp,
      isOff: false,
    }
    await putItem(tx, recycled, { scope, how })
    await tx.startJob({ name: 'compute.server.recycle', subject: subjectOf(row), args: {}, scope, cancellable: false })
    return { ...row, task_state: 'soft-deleting' } satisfies Instance
  })

/**
 * Releases the resources that others may use while the instance is in the bin: its place in the server group, and the
 * ISOs in its drives.
 */
async function leavePlaces(tx: RecordsTransaction, row: Instance): Promise<void> {
  const plan = await freed(tx, row.id, await getPlan(tx, row.id))
  await putPlan(tx, row.id, { ...plan, stopping: null })
  if (plan.serverGroup) await leaveGroup(tx, plan.serverGroup, row.id)
  for (const disk of plan.disks) if (disk.kind === 'iso') await noteIsoUse(tx, disk.id, row.id, false)
}

/** Shuts down the machine of an instance in the bin. Saved memory is kept. */
export const recycleJob = (engine: Engine): JobHandler => ({
  async run(job) {
    const { id } = job.subject
    const { machines, disks } = engine.hypervisor
    const item = await engine.records.transaction((tx) => tx.get<RecycledItem>(RECYCLED, id))
    // the item has since been restored
    if (!item) return null
    if (item.status === 'deleting') await machines.cut(id)
    else if ((await machines.state(id)) !== 'saved') {
      const wait = await switchOff(engine, job)
      if (isRunAgain(wait)) return wait
    }
    await disks.remove(engine.files.rescue(id))
    await engine.records.transaction(async (tx) => {
      if (!(await tx.lock(RECYCLED, id))) return
      const recycled = await recycledOf(tx, id)
      if (recycled.kind !== 'server') return
      await freeOthers(tx, recycled)
      await tx.putPrivate(RECYCLED, id, { ...recycled, isOff: true } satisfies RecycledMachine)
    })
    return null
  },
  /** If the instance could not be shut down, it appears in lists again, in the error state. */
  onFailure: (job, error) =>
    changing(engine, async (tx) => {
      const { id } = job.subject
      const item = await tx.lock<RecycledItem>(RECYCLED, id)
      if (item?.status !== 'recycled') return
      const recycled = await recycledOf(tx, id)
      if (recycled.kind !== 'server') return
      const { row } = await giveBack(tx, recycled)
      await removeItem(tx, id)
      await changeInstance(tx, row, { status: 'ERROR', task_state: null, fault: faultOf(error) })
    }),
})

/** Releases the volumes that were not deleted with the instance. */
async function freeOthers(tx: RecordsTransaction, { instance, volumes }: RecycledMachine): Promise<void> {
  const others = instance.volumes.filter(({ id }) => !volumes.some((going) => going.id === id))
  for (const { id } of others) {
    const volume = await tx.lock<Volume>('volume', id)
    if (volume?.status === 'detaching' && volume.attachments[0]?.server_id === instance.id)
      await changeVolume(tx, volume, detached)
  }
}

/** See `VolumesPort.recycle`. */
export const recycleVolume = (
  engine: Engine,
  scope: Scope,
  id: string,
  { cascade, ...how }: RecycleHow & { cascade: boolean },
) =>
  engine.records.transaction(async (tx) => {
    const volume = await lockToDelete(tx, scope, id)
    const given = await giveUpSnapshots(tx, volume, cascade)
    if (isUnmade(volume)) return beginVolumeDeletion(tx, scope, volume)
    if (given.length > 0) await dropSnapshots(tx, scope, volume, given)
    await tx.remove('volume', id)
    await putItem(tx, { kind: 'volume', volume }, { scope, how })
    return { ...volume, status: 'deleting' }
  })
