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

/** Returns the job handlers for the recycle bin, keyed by job name. */
export const recycleBinJobs = (engine: Engine): Record<string, JobHandler> => ({
  'compute.server.recycle': recycleJob(engine),
  'compute.server.restore': restoreJob(engine),
  'compute.recycle_bin.delete': purgeJob(engine),
})

/**
 * Starts a restored machine if it was running when it was deleted. If its guest is still shutting down, first waits for
 * the guest to finish.
 */
const restoreJob = (engine: Engine): JobHandler =>
  machineJob(engine, async (run, found) => {
    const { id } = run.subject
    const { machines } = engine.hypervisor
    if (!run.args['starts']) return isDone(engine, id, await machines.state(id))
    // SHUTOFF means that the machine was already off: if it runs now, an earlier run of this job started it
    if (found.row.status !== 'SHUTOFF') {
      const wait = await switchOff(engine, run)
      if (wait) return wait
      await engine.hypervisor.disks.remove(engine.files.rescue(id))
      await changeBusy(engine, id, (tx, row) => changeInstance(tx, row, { status: 'SHUTOFF' }))
    }
    await startMachine(engine, found)
    return isDone(engine, id, 'running')
  })

/**
 * Permanently deletes an item. Files are removed before the rows that refer to them, so that the deletion can be
 * repeated if the server is killed.
 */
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
        // an item from an earlier version, which kept its ports
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

/** Returns the IDs of all volumes whose files belong to an item. */
export const volumeIdsOf = (recycled: Recycled): string[] =>
  recycled.kind === 'server' ? recycled.volumes.map(({ id }) => id) : [recycled.volume.id]
