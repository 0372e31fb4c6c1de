import type { InstanceAction, InstanceStatus, InstanceTaskState } from '@mainstay/contract/compute/instance-rules'
import type { Instance } from '@mainstay/contract/compute/instances'
import type { RecordsTransaction } from '../../../ports/records'
import type { Scope } from '../../../ports/scope'
import type { Engine } from '../../engine'
import { getPlan, type InstancePlan } from '../../rows/instance-plan'
import { changeInstance, lockFor, subjectOf } from './rows'

/** What a command writes into the row at once, and the job that goes on with it. */
export interface StartedAction {
  action: InstanceAction
  job: string
  busy: { task_state: InstanceTaskState; status?: InstanceStatus }
  args?: Record<string, unknown>
  /** Checks and writes more in the same transaction, before the row is marked. */
  also?: (tx: RecordsTransaction, row: Instance, plan: InstancePlan) => Promise<void>
}

/** These go on with the machine as it is, and with what is wrong with it. */
const goesOn: readonly InstanceAction[] = ['pause', 'unpause', 'suspend', 'resume']

/** Marks the caller's instance as busy and leaves the rest to a job. Throws `invalid_state` where the rules forbid it. */
export const beginAction = (
  engine: Engine,
  scope: Scope,
  id: string,
  { action, job, busy, args = {}, also }: StartedAction,
) =>
  engine.records.transaction(async (tx) => {
    const row = await lockFor(tx, scope, id, action)
    await also?.(tx, row, await getPlan(tx, id))
    const changed = await changeInstance(tx, row, { ...busy, ...(goesOn.includes(action) ? {} : { fault: null }) })
    await tx.startJob({ name: job, subject: subjectOf(row), args, scope, cancellable: false })
    return changed
  })
