import type { InstancesPort } from '../../../ports/compute'
import type { JobHandler } from '../../../ports/records'
import type { Engine } from '../../engine'
import { beginAction } from './begin-action'
import { checkCapacity } from '../capacity'
import { isDone, machineJob, startMachine, switchOff } from './machine-jobs'
import { placeAgain } from '../placements/place-instance'
import { checkQuotas } from '../../quotas'

/**
 * Commands for shelving. A shelved instance is off and releases its vCPUs and memory. It still counts as an instance
 * and keeps its volumes and addresses.
 */
export const shelvingCommands = (engine: Engine): Pick<InstancesPort, 'shelve' | 'unshelve'> => ({
  shelve: (scope, id) =>
    beginAction(engine, scope, id, {
      action: 'shelve',
      job: 'compute.server.shelve',
      busy: { task_state: 'shelving' },
    }),
  unshelve: (scope, id) =>
    beginAction(engine, scope, id, {
      action: 'unshelve',
      job: 'compute.server.unshelve',
      busy: { task_state: 'unshelving' },
      // the instance counts again from now on, so check quota and capacity first
      async also(tx, row) {
        const { flavor } = row
        await checkQuotas(engine, tx, row, { vcpus: { amount: flavor.vcpus }, ram: { amount: flavor.ram } })
        await checkCapacity(engine, tx, flavor, 1)
        await placeAgain(tx, row)
      },
    }),
})

export const shelvingJobs = (engine: Engine): Record<string, JobHandler> => ({
  'compute.server.shelve': machineJob(engine, async (run) => {
    const wait = await switchOff(engine, run)
    if (wait) return wait
    await isDone(engine, run.subject.id, 'off', { status: 'SHELVED_OFFLOADED', host: null })
  }),
  'compute.server.unshelve': machineJob(engine, async ({ subject: { id } }, found) => {
    await startMachine(engine, found)
    await isDone(engine, id, 'running', { host: engine.hypervisor.host.hostname })
  }),
})
