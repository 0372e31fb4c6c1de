import type { Flavor } from '@mainstay/contract/compute/flavors'
import type { Instance } from '@mainstay/contract/compute/instances'
import { fieldProblem } from '@mainstay/contract/core/problems'
import type { JobHandler, RecordsTransaction } from '../../../ports/records'
import type { Scope } from '../../../ports/scope'
import type { Engine } from '../../engine'
import { checkCapacity } from '../capacity'
import { flavorShown } from '../flavors'
import { getPlan } from '../../rows/instance-plan'
import { fieldsFromMachine, changeInstance, lockFor, subjectOf } from './rows'
import { beginLiveResize } from './live-resize'
import { headroomAtStart } from './resize-headroom'
import { isDone, machineJob, startMachine, switchOff } from './machine-jobs'
import { placeWithFlavor } from '../placements/place-instance'
import { checkQuotas } from '../../quotas'

/**
 * Resizes an instance. The row gets the new flavor immediately, so that it counts against the quota. The machine gets
 * it at its next start, through a restart or through a live resize.
 */
export const resizeInstance = (
  engine: Engine,
  scope: Scope,
  id: string,
  flavorId: string,
  { restart }: { restart: boolean },
) =>
  engine.records.transaction(async (tx) => {
    const row = await lockFor(tx, scope, id, restart ? 'resizeWithRestart' : 'resize')
    const flavor = await chooseFlavor(engine, tx, row, flavorId)
    const traits = await placeWithFlavor(tx, row, flavorId)
    if (row.status === 'ACTIVE' && !restart) return beginLiveResize(tx, scope, row, { flavor, traits })
    const changed = await changeInstance(tx, row, {
      status: 'RESIZE',
      task_state: 'resize_finish',
      fault: null,
      traits,
      flavor,
      ...(restart ? {} : headroomAtStart(engine, { ...row, flavor })),
    })
    const args = { flavor: flavor.original_name, restart }
    await tx.startJob({ name: 'compute.server.resize', subject: subjectOf(row), args, scope, cancellable: false })
    return changed
  })

/**
 * Returns the new flavor. Throws if it does not exist, is the current one, or exceeds the quota or the capacity of the
 * host.
 */
async function chooseFlavor(engine: Engine, tx: RecordsTransaction, row: Instance, flavorId: string) {
  const flavor = await tx.get<Flavor>('flavor', flavorId)
  if (!flavor) throw fieldProblem('flavor', 'compute.no_such_flavor')
  if (flavor.id === row.flavor.id) throw fieldProblem('flavor', 'compute.same_flavor')
  await checkQuotas(engine, tx, row, {
    vcpus: { amount: flavor.vcpus - row.flavor.vcpus, field: 'flavor' },
    ram: { amount: flavor.ram - row.flavor.ram, field: 'flavor' },
  })
  await checkCapacity(engine, tx, flavor, 1, row.flavor)
  return flavorShown(flavor)
}

export const resizeJob = (engine: Engine): JobHandler => {
  const restarting = machineJob(engine, async (run, found) => {
    const wait = await switchOff(engine, run)
    if (wait) return wait
    await startMachine(engine, found)
    await isDone(engine, run.subject.id, 'running')
  })
  return {
    run: (run) => (run.args['restart'] === true ? restarting.run(run) : reconcileResized(engine, run.subject.id)),
    async onFailure(run, error) {
      if (run.args['restart'] === true) await restarting.onFailure?.(run, error)
    },
  }
}

async function reconcileResized(engine: Engine, id: string) {
  const state = await engine.hypervisor.machines.state(id)
  await engine.records.transaction(async (tx) => {
    const row = await tx.lock<Instance>('server', id)
    if (row?.status !== 'RESIZE') return
    const plan = await getPlan(tx, id)
    await changeInstance(tx, row, fieldsFromMachine(row, plan, state === 'crashed' ? 'off' : state))
  })
  return { id }
}
