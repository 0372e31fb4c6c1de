import type { Instance } from '@mainstay/contract/compute/instances'
import { instanceIsRunning } from '@mainstay/contract/compute/instance-rules'
import { notFound, problem, fieldProblem } from '@mainstay/contract/core/problems'
import type { Volume } from '@mainstay/contract/storage/volumes'
import type { JobHandler, JobRun, RecordsTransaction } from '../../../ports/records'
import type { Scope } from '../../../ports/scope'
import { lockOwn } from '../../access'
import type { Engine } from '../../engine'
import { getPlan, machineDisk, nextDevice, putPlan, type PlannedDisk } from '../../rows/instance-plan'
import { changeInstance, lockFor, subjectOf } from './rows'
import { attachedTo, changeVolume, detached } from '../../rows/volumes'

/** Records the attachment in the rows. The job then attaches the volume to the machine if it is running. */
export const attachVolume = (
  engine: Engine,
  scope: Scope,
  id: string,
  volumeId: string,
  deleteOnTermination: boolean,
) =>
  engine.records.transaction(async (tx) => {
    const row = await lockFor(tx, scope, id, 'attachVolume')
    const volume = await lockOwn<Volume>(tx, 'volume', scope, volumeId)
    if (volume.project_id !== row.project_id) throw notFound()
    const plan = await getPlan(tx, id)
    if (volume.status !== 'available') {
      throw fieldProblem('volume_id', 'compute.volume_not_available', { status: volume.status })
    }
    // a machine whose boot volume was detached boots from the next bootable one
    const isUp = instanceIsRunning(row) || row.status === 'PAUSED'
    const hasBootDisk = plan.disks.some(({ bootIndex }) => bootIndex === 0)
    const boot_index = volume.bootable && !isUp && !hasBootDisk ? 0 : null
    const shown = {
      id: volume.id,
      name: volume.name,
      size: volume.size,
      delete_on_termination: deleteOnTermination,
      boot_index,
      device: nextDevice(row.volumes),
    }
    const changed = await changeInstance(tx, row, { volumes: [...row.volumes, shown] })
    const disk: PlannedDisk = { id: volume.id, kind: 'volume', bus: 'virtio', bootIndex: boot_index }
    await putPlan(tx, id, { ...plan, disks: [...plan.disks, disk] })
    await changeVolume(tx, volume, { ...attachedTo(volume, changed), status: 'attaching' })
    await tx.startJob({
      name: 'compute.server.attach_volume',
      subject: subjectOf(row),
      args: { volume: volume.id },
      scope,
    })
    return changed
  })

export const detachVolume = (engine: Engine, scope: Scope, id: string, volumeId: string) =>
  engine.records.transaction(async (tx) => {
    const row = await lockFor(tx, scope, id, 'detachVolume')
    const shown = row.volumes.find((volume) => volume.id === volumeId)
    const volume = await tx.lock<Volume>('volume', volumeId)
    if (!shown || !volume) throw notFound()
    const isUp = instanceIsRunning(row) || row.status === 'PAUSED'
    if (shown.boot_index === 0 && isUp) {
      throw problem('compute.boot_volume_running')
    }
    if (volume.status !== 'in-use') {
      throw problem('compute.volume_not_detachable', { status: volume.status }, { data: { status: volume.status } })
    }
    await changeVolume(tx, volume, { status: 'detaching' })
    await tx.startJob({
      name: 'compute.server.detach_volume',
      subject: subjectOf(row),
      args: { volume: volumeId },
      scope,
    })
    return row
  })

const isUp = async ({ hypervisor }: Engine, id: string) =>
  ['running', 'paused'].includes(await hypervisor.machines.state(id))

/** Returns the instance and the volume that a job works on, or null if either no longer exists. */
const both = async (tx: RecordsTransaction, job: JobRun) => {
  const row = await tx.lock<Instance>('server', job.subject.id)
  const volume = await tx.lock<Volume>('volume', job.args['volume'] as string)
  return row && volume && { row, volume }
}

/** Removes the volume from the instance's row and plan, and makes it available again. */
async function part(tx: RecordsTransaction, row: Instance, volume: Volume): Promise<void> {
  const plan = await getPlan(tx, row.id)
  await putPlan(tx, row.id, { ...plan, disks: plan.disks.filter((disk) => disk.id !== volume.id) })
  await changeInstance(tx, row, { volumes: row.volumes.filter((it) => it.id !== volume.id) })
  await changeVolume(tx, volume, detached)
}

export const attachVolumeJob = (engine: Engine): JobHandler => ({
  async run(job) {
    const { id } = job.subject
    const volumeId = job.args['volume'] as string
    const plan = await engine.records.transaction(async (tx) => ((await both(tx, job)) ? getPlan(tx, id) : null))
    const disk = plan?.disks.find((it) => it.id === volumeId)
    if (disk && (await isUp(engine, id))) await engine.hypervisor.machines.attachDisk(id, machineDisk(engine, disk))
    await engine.records.transaction(async (tx) => {
      const found = await both(tx, job)
      if (found?.volume.status === 'attaching')
        await changeVolume(tx, found.volume, attachedTo(found.volume, found.row))
    })
    return { id }
  },
  onFailure: (job) =>
    engine.records.transaction(async (tx) => {
      const found = await both(tx, job)
      if (found?.volume.status === 'attaching') await part(tx, found.row, found.volume)
    }),
})

export const detachVolumeJob = (engine: Engine): JobHandler => ({
  async run(job) {
    const { id } = job.subject
    const volumeId = job.args['volume'] as string
    if (await isUp(engine, id)) await engine.hypervisor.machines.detachDisk(id, volumeId)
    await engine.records.transaction(async (tx) => {
      const found = await both(tx, job)
      if (found?.volume.status === 'detaching') await part(tx, found.row, found.volume)
    })
    return { id }
  },
  onFailure: (job) =>
    engine.records.transaction(async (tx) => {
      const found = await both(tx, job)
      if (found?.volume.status === 'detaching') await changeVolume(tx, found.volume, { status: 'in-use' })
    }),
})
