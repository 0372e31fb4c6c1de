import {
  instanceIsRunning,
  type InstanceAction,
  type InstanceStatus,
  type InstanceTaskState,
} from '@mainstay/contract/compute/instance-rules'
import type { Instance } from '@mainstay/contract/compute/instances'
import type { RecordsTransaction } from '../../../ports/records'
import type { Scope } from '../../../ports/scope'
import type { Engine } from '../../engine'
import { refuseStart } from '../capacity'
import { getPlan, type InstancePlan } from '../../rows/instance-plan'
import { changeInstance, lockFor, subjectOf } from './rows'

/** The row changes that a command makes immediately, and the job that it starts. */
export interface StartedAction {
  action: InstanceAction
  job: string
  busy: { task_state: InstanceTaskState; status?: InstanceStatus }
  args?: Record<string, unknown>
  /** Additional checks and writes in the same transaction, before the row is marked as busy. */
  also?: (tx: RecordsTransaction, row: Instance, plan: InstancePlan) => Promise<void>
}

/** Actions that keep an existing fault of the instance, because they do not restart the machine. */
const goesOn: readonly InstanceAction[] = ['pause', 'unpause', 'suspend', 'resume']
/** Actions that start a machine which was off. */
const starts: readonly InstanceAction[] = ['start', 'resume', 'hardReboot', 'rescue']

/**
 * Marks the caller's instance as busy and starts the job. Throws `invalid_state` if its status does not allow the
 * action.
 */
export const beginAction = (
  engine: Engine,
  scope: Scope,
  id: string,
  { action, job, busy, args = {}, also }: StartedAction,
) =>
  engine.records.transaction(async (tx) => {
    const row = await lockFor(tx, scope, id, action)
    if (starts.includes(action) && !instanceIsRunning(row)) await refuseStart(tx)
    await also?.(tx, row, await getPlan(tx, id))
    const changed = await changeInstance(tx, row, { ...busy, ...(goesOn.includes(action) ? {} : { fault: null }) })
    await tx.startJob({ name: job, subject: subjectOf(row), args, scope, cancellable: false })
    return changed
  })
