import { randomUUID } from 'node:crypto'
import type { Instance } from '@mainstay/contract/compute/instances'
import { problem } from '@mainstay/contract/core/problems'
import type { InstancesPort } from '../../../ports/compute'
import type { RecordsTransaction } from '../../../ports/records'
import type { Scope } from '../../../ports/scope'
import { lockOwn } from '../../access'
import type { Engine } from '../../engine'
import { beginAction, type StartedAction } from './begin-action'
import { getPlan, putPlan } from '../../rows/instance-plan'
import { fieldsFromMachine, changeInstance, faultOf, lockFor } from './rows'

type PowerPort = Pick<
  InstancesPort,
  'start' | 'stop' | 'cancelStop' | 'reboot' | 'suspend' | 'resume' | 'pause' | 'unpause' | 'resetState'
>

/** Returns the commands that change the power state. Each marks the row and starts a job. */
export function powerCommands(engine: Engine): PowerPort {
  const begin = (scope: Scope, id: string, begun: StartedAction) => beginAction(engine, scope, id, begun)

  return {
    start: (scope, id) =>
      begin(scope, id, { action: 'start', job: 'compute.server.start', busy: { task_state: 'powering-on' } }),

    async stop(scope, id, { hard, timeoutSeconds }) {
      const token = randomUUID()
      return begin(scope, id, {
        action: hard ? 'powerOff' : 'shutDown',
        job: 'compute.server.stop',
        busy: { task_state: 'powering-off' },
        args: { hard, token, timeout: timeoutSeconds },
        // A job that is waiting for the guest sees the new token and ends, so that this one can run.
        also: (tx, _, plan) => putPlan(tx, id, { ...plan, stopping: { token } }),
      })
    },

    cancelStop: (scope, id) =>
      engine.records.transaction(async (tx) => {
        const row = await lockFor(tx, scope, id, 'cancelShutdown')
        const plan = await getPlan(tx, id)
        if (!plan.stopping) throw problem('compute.not_shutting_down', {}, { data: { status: row.status } })
        await putPlan(tx, id, { ...plan, stopping: null })
        // ends the waiting job, so that it does not delay the next request
        await tx.wakeJobs('server', id)
        return changeInstance(tx, row, { task_state: null })
      }),

    reboot: (scope, id, { hard }) =>
      begin(scope, id, {
        action: hard ? 'hardReboot' : 'reboot',
        job: 'compute.server.reboot',
        busy: hard
          ? { task_state: 'rebooting_hard', status: 'HARD_REBOOT' }
          : { task_state: 'rebooting', status: 'REBOOT' },
        args: { hard },
        also: async (tx, row) => refuseUnbuilt(tx, row),
      }),

    suspend: (scope, id) =>
      begin(scope, id, { action: 'suspend', job: 'compute.server.suspend', busy: { task_state: 'suspending' } }),
    resume: (scope, id) =>
      begin(scope, id, { action: 'resume', job: 'compute.server.resume', busy: { task_state: 'resuming' } }),
    pause: (scope, id) =>
      begin(scope, id, { action: 'pause', job: 'compute.server.pause', busy: { task_state: 'pausing' } }),
    unpause: (scope, id) =>
      begin(scope, id, { action: 'unpause', job: 'compute.server.unpause', busy: { task_state: 'unpausing' } }),

    /**
     * Sets the row to the state reported by the hypervisor, or to `error`, the only state that an operator can choose.
     */
    async resetState(scope, id, state) {
      return engine.records.transaction(async (tx) => {
        const row = await lockOwn<Instance>(tx, 'server', scope, id)
        const plan = await getPlan(tx, id)
        await putPlan(tx, id, { ...plan, stopping: null })
        await tx.wakeJobs('server', id)
        if (state === 'error') {
          const fault = { ...faultOf(null), code: 'reset', message: 'The state was set to error by an operator' }
          return changeInstance(tx, row, { status: 'ERROR', task_state: null, fault })
        }
        return changeInstance(tx, row, fieldsFromMachine(row, plan, await engine.hypervisor.machines.state(id)))
      })
    },
  }
}

/** Throws if the instance cannot start because its disks were never created. */
export async function refuseUnbuilt(tx: RecordsTransaction, row: Instance): Promise<void> {
  for (const { id, name } of row.volumes) {
    const volume = await tx.get<{ id: string; status: string }>('volume', id)
    if (volume && volume.status !== 'error') continue
    throw problem('compute.volume_never_made', { name }, { data: { status: row.status } })
  }
}
