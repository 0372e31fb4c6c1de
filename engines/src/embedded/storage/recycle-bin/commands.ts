import { instanceTakesRoom } from '@mainstay/contract/compute/instance-rules'
import type { Instance } from '@mainstay/contract/compute/instances'
import { notFound, problem } from '@mainstay/contract/core/problems'
import type { RecycledItem, Restored } from '@mainstay/contract/storage/recycle-bin'
import type { RecordsTransaction } from '../../../ports/records'
import type { Scope } from '../../../ports/scope'
import type { RecycleBinPort } from '../../../ports/storage'
import { actsOn } from '../../access'
import { checkCapacity } from '../../compute/capacity'
import { placeAgain } from '../../compute/placements/place-instance'
import type { Engine } from '../../engine'
import { subjectOf } from '../../compute/instances/rows'
import { checkQuotas } from '../../quotas'
import { changing } from '../../networking/rows'
import { changeVolume } from '../../rows/volumes'
import { lockCards, portsToCreate } from './cards'
import { giveBack } from './give-back'
import { lockItem, RECYCLED, removeItem, subjectOfItem, type RecycledMachine } from './items'

export const recycleBinCommands = (engine: Engine): RecycleBinPort => ({
  restore: (scope, id) =>
    changing(engine, async (tx) => {
      const { item, recycled } = await lockItem(tx, scope, id)
      refuseUnlessRecycled(item)
      const { kind, name } = item
      const changes =
        recycled.kind === 'server'
          ? await restoreInstance(engine, tx, { scope, recycled })
          : { left_out: [], new_addresses: [] }
      if (recycled.kind === 'volume') await changeVolume(tx, recycled.volume, { status: 'available', fault: null })
      await removeItem(tx, id)
      return { id, kind, name, ...changes } satisfies Restored
    }),
  delete: (scope, id) =>
    engine.records.transaction(async (tx) => {
      const { item } = await lockItem(tx, scope, id)
      refuseUnlessRecycled(item)
      return beginPurge(tx, scope, item)
    }),
  empty: (scope, projectId) =>
    engine.records.transaction(async (tx) => {
      if (!actsOn(scope, projectId)) throw notFound()
      const found = await tx.find<RecycledItem>(RECYCLED, { project_id: projectId, status: 'recycled' })
      let count = 0
      for (const { id } of found) {
        // skip items that have since been restored
        const item = await tx.lock<RecycledItem>(RECYCLED, id)
        if (item?.status !== 'recycled') continue
        await beginPurge(tx, scope, item)
        count++
      }
      return count
    }),
})

function refuseUnlessRecycled({ status }: RecycledItem): void {
  if (status !== 'recycled') throw problem('storage.being_deleted', {}, { data: { status } })
}

async function beginPurge(tx: RecordsTransaction, scope: Scope, item: RecycledItem): Promise<RecycledItem> {
  const changed: RecycledItem = { ...item, status: 'deleting', fault: null }
  await tx.put(RECYCLED, changed)
  // ends a job that is waiting for the guest to shut down
  await tx.wakeJobs(item.kind, item.id)
  await tx.startJob({
    name: 'compute.recycle_bin.delete',
    subject: subjectOfItem(item),
    args: {},
    scope,
    cancellable: false,
  })
  return changed
}

/** Restores a machine within the quotas of its project. Its disks kept counting while it was in the bin. */
async function restoreInstance(
  engine: Engine,
  tx: RecordsTransaction,
  { scope, recycled }: { scope: Scope; recycled: RecycledMachine },
) {
  const known = await withKnownPlacements(tx, recycled)
  const { instance } = known
  const { flavor } = instance
  const takesRoom = instanceTakesRoom({ status: instance.status, task_state: null })
  await lockCards(tx, known)
  await checkQuotas(engine, tx, instance, {
    instances: { amount: 1 },
    ports: { amount: await portsToCreate(tx, instance) },
    ...(takesRoom && { vcpus: { amount: flavor.vcpus }, ram: { amount: flavor.ram } }),
  })
  if (takesRoom) {
    await checkCapacity(engine, tx, flavor, 1)
    await placeAgain(tx, instance)
  }
  const { row, ...changes } = await giveBack(tx, known)
  // lets the job that is shutting the machine down notice the restore
  await tx.wakeJobs('server', row.id)
  await tx.startJob({
    name: 'compute.server.restore',
    subject: subjectOf(row),
    args: { starts: recycled.wasUp },
    scope,
    cancellable: false,
  })
  return changes
}

/** Drops placements that have since been deleted. */
async function withKnownPlacements(tx: RecordsTransaction, recycled: RecycledMachine): Promise<RecycledMachine> {
  const traits: Instance['traits'] = []
  for (const id of recycled.instance.traits) if (await tx.get('placement', id)) traits.push(id)
  return { ...recycled, instance: { ...recycled.instance, traits } }
}
