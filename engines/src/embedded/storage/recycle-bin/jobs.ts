import type { Port } from '@mainstay/contract/networking/ports'
import type { RecycledItem } from '@mainstay/contract/storage/recycle-bin'
import type { JobHandler } from '../../../ports/records'
import { changeBusy, isDone, machineJob, startMachine, switchOff } from '../../compute/instances/machine-jobs'
import { changeInstance } from '../../compute/instances/rows'
import type { Engine } from '../../engine'
import { faultText } from '../../faults'
import { releaseCard } from '../../networking/kept-ports'
import { RECYCLED, recycledOf, removeItem, type Recycled } from './items'
import { recycleJob } from './recycle'

/** Handlers of the recycle bin, by the names of their jobs. */
export const recycleBinJobs = (engine: Engine): Record<string, JobHandler> => ({
  'compute.server.recycle': recycleJob(engine),
  'compute.server.restore': restoreJob(engine),
  'compute.recycle_bin.delete': purgeJob(engine),
})

/** Starts again what ran when it was deleted. Its guest may still be shutting down: then it is waited for. */
const restoreJob = (engine: Engine): JobHandler =>
  machineJob(engine, async (run, found) => {
    const { id } = run.subject
    const { machines } = engine.hypervisor
    if (!run.args['starts']) return isDone(engine, id, await machines.state(id))
    // SHUTOFF says that it has been off since it was deleted: what runs then was started by this job
    if (found.row.status !== 'SHUTOFF') {
      const wait = await switchOff(engine, run)
      if (wait) return wait
      await engine.hypervisor.disks.remove(engine.files.rescue(id))
      await changeBusy(engine, id, (tx, row) => changeInstance(tx, row, { status: 'SHUTOFF' }))
    }
    await startMachine(engine, found)
    return isDone(engine, id, 'running')
  })

/** Removes what is in the bin for good: files before the rows that name them, so that a kill in between begins again. */
const purgeJob = (engine: Engine): JobHandler => ({
  async run(job) {
    const { id } = job.subject
    const { machines, disks } = engine.hypervisor
    const { files, records } = engine
    const recycled = await records.transaction(async (tx) => {
      const item = await tx.get<RecycledItem>(RECYCLED, id)
      return item?.status === 'deleting' ? recycledOf(tx, id) : null
    })
    if (!recycled) return null
    if (recycled.kind === 'server') {
      await machines.forget(id)
      await disks.remove(files.seed(id))
      await disks.remove(files.rescue(id))
    }
    for (const volumeId of volumeIdsOf(recycled)) await disks.remove(files.volume(volumeId))
    await records.transaction(async (tx) => {
      if (!(await tx.lock(RECYCLED, id))) return
      for (const volumeId of volumeIdsOf(recycled)) await tx.removePrivate('volume', volumeId)
      if (recycled.kind === 'server') {
        // of an item that is older than the release of ports at the deletion
        for (const { port_id } of recycled.instance.network_data)
          if ((await tx.get<Port>('port', port_id))?.device_id === id) await releaseCard(tx, port_id)
        await tx.removePrivate('server', id)
      }
      await removeItem(tx, id)
    })
    engine.carrier.changed()
    return null
  },
  onFailure: (job, error) =>
    engine.records.transaction(async (tx) => {
      const item = await tx.lock<RecycledItem>(RECYCLED, job.subject.id)
      if (item?.status === 'deleting')
        await tx.put(RECYCLED, { ...item, status: 'recycled', fault: faultText(error) } satisfies RecycledItem)
    }),
})

/** Ids of all volumes whose files are kept of an item. */
export const volumeIdsOf = (recycled: Recycled): string[] =>
  recycled.kind === 'server' ? recycled.volumes.map(({ id }) => id) : [recycled.volume.id]
