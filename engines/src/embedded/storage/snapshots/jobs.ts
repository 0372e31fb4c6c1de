import { existsSync } from 'node:fs'
import type { VolumeSnapshot } from '@mainstay/contract/storage/volume-snapshots'
import type { Volume } from '@mainstay/contract/storage/volumes'
import type { JobHandler, RecordsTransaction } from '../../../ports/records'
import type { Engine } from '../../engine'
import { faultText } from '../../faults'
import { changeVolume } from '../../rows/volumes'
import { createImage, failImage } from '../volumes/copy-jobs'
import { releaseVolume, whileHeld } from '../volumes/hold'
import { changeSnapshot, SNAPSHOT } from '../../rows/volume-snapshots'

/** Returns the handlers for the snapshot commands, keyed by job name. */
export const snapshotJobs = (engine: Engine): Record<string, JobHandler> => ({
  'compute.volume_snapshot.create': createJob(engine),
  'compute.volume_snapshot.delete': deleteJob(engine),
  'compute.volume_snapshot.revert': revertJob(engine),
  'compute.volume_snapshot.upload_to_image': uploadJob(engine),
  'compute.volume_snapshot.drop': dropJob(engine),
})

const readSnapshot = ({ records }: Engine, id: string) =>
  records.transaction((tx) => tx.get<VolumeSnapshot>(SNAPSHOT, id))

/** Locks a snapshot and its volume, and runs `work` if the snapshot still has this status. */
const changeIn = (
  { records }: Engine,
  id: string,
  status: string,
  work: (tx: RecordsTransaction, row: VolumeSnapshot, volume: Volume | null) => Promise<unknown>,
) =>
  records.transaction(async (tx) => {
    const seen = await tx.get<VolumeSnapshot>(SNAPSHOT, id)
    // in the common lock order
    const volume = seen && (await tx.lock<Volume>('volume', seen.volume_id))
    const row = await tx.lock<VolumeSnapshot>(SNAPSHOT, id)
    if (row?.status === status) await work(tx, row, volume)
  })

const createJob = (engine: Engine): JobHandler => ({
  async run({ subject: { id } }) {
    const snapshot = await readSnapshot(engine, id)
    if (snapshot?.status !== 'creating') return null
    const wait = await whileHeld(engine, [snapshot.volume_id], () =>
      engine.hypervisor.disks.createSnapshot(engine.files.volume(snapshot.volume_id), id),
    )
    if (wait) return wait
    await changeIn(engine, id, 'creating', (tx, row) => changeSnapshot(tx, row, { status: 'available' }))
    return { id }
  },
  onFailure: ({ subject: { id } }, error) =>
    changeIn(engine, id, 'creating', async (tx, row, volume) => {
      await changeSnapshot(tx, row, { status: 'error', fault: faultText(error) })
      await releaseVolume(tx, volume)
    }),
})

const deleteJob = (engine: Engine): JobHandler => ({
  async run({ subject: { id } }) {
    const snapshot = await readSnapshot(engine, id)
    if (snapshot?.status !== 'deleting') return null
    const wait = await whileHeld(engine, [snapshot.volume_id], () =>
      engine.hypervisor.disks.deleteSnapshot(engine.files.volume(snapshot.volume_id), id),
    )
    if (wait) return wait
    await changeIn(engine, id, 'deleting', (tx) => tx.remove(SNAPSHOT, id))
    return null
  },
  onFailure: ({ subject: { id } }, error) =>
    changeIn(engine, id, 'deleting', async (tx, row, volume) => {
      await changeSnapshot(tx, row, { status: 'error_deleting', fault: faultText(error) })
      await releaseVolume(tx, volume)
    }),
})

const revertJob = (engine: Engine): JobHandler => ({
  async run({ subject: { id } }) {
    const snapshot = await readSnapshot(engine, id)
    if (snapshot?.status !== 'restoring') return null
    const { disks } = engine.hypervisor
    const file = engine.files.volume(snapshot.volume_id)
    await disks.revertTo(file, id)
    // a volume that was extended after the snapshot was created keeps its size
    const volume = await engine.records.transaction((tx) => tx.get<Volume>('volume', snapshot.volume_id))
    if (volume && volume.size > snapshot.size) await disks.grow(file, volume.size)
    await endRevert(engine, id, null)
    return { id }
  },
  onFailure: ({ subject: { id } }, error) => endRevert(engine, id, faultText(error)),
})

const endRevert = (engine: Engine, id: string, fault: string | null) =>
  changeIn(engine, id, 'restoring', async (tx, row, volume) => {
    await changeSnapshot(tx, row, { status: 'available', fault })
    if (volume?.status !== 'reverting') return
    await changeVolume(tx, volume, { status: volume.attachments.length > 0 ? 'in-use' : 'available' })
  })

const uploadJob = (engine: Engine): JobHandler => ({
  pool: 'bulk',
  async run(job) {
    const { id } = job.subject
    const snapshot = await readSnapshot(engine, id)
    if (snapshot) await createImage(engine, job, { volume: snapshot.volume_id, snapshot: id }, snapshot.size)
    return { id: job.args['image'] }
  },
  onFailure: (job, error) => failImage(engine, job, error),
})

const dropJob = (engine: Engine): JobHandler => ({
  async run({ args }) {
    const file = engine.files.volume(args['volume'] as string)
    for (const snapshot of args['snapshots'] as string[]) {
      // the volume has since been deleted permanently
      if (!existsSync(file)) return null
      await engine.hypervisor.disks.deleteSnapshot(file, snapshot)
    }
    return null
  },
})
