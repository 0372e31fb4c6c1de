import { instanceCan, whyNotNow, type InstanceAction } from '@mainstay/contract/compute/instance-rules'
import type { Instance } from '@mainstay/contract/compute/instances'
import { problem, problemOf } from '@mainstay/contract/core/problems'
import type { JobRun, RecordsTransaction } from '../../../ports/records'
import type { Scope } from '../../../ports/scope'
import { lockOwn } from '../../access'
import { followInstance } from '../../networking/follow-names'
import { faultCode, faultText } from '../../faults'
import type { Engine } from '../../engine'
import type { MachineState } from '../../hypervisor'
import { getPlan, type InstancePlan } from '../../rows/instance-plan'

export const now = (): string => new Date().toISOString()

/** Changes fields of a row and returns the new row. */
export async function changeInstance(
  tx: RecordsTransaction,
  row: Instance,
  change: Partial<Instance>,
): Promise<Instance> {
  const changed = { ...row, ...change, updated: now() }
  await tx.put('server', changed)
  await followInstance(tx, row, changed)
  return changed
}

/** Locks the caller's instance. Throws `invalid_state` if its status does not allow the action. */
export async function lockFor(
  tx: RecordsTransaction,
  scope: Scope,
  id: string,
  action: InstanceAction,
): Promise<Instance> {
  const row = await lockOwn<Instance>(tx, 'server', scope, id)
  refuseUnless(action, row)
  return row
}

export function refuseUnless(action: InstanceAction, row: Instance): void {
  if (instanceCan(action, row)) return
  throw problemOf(whyNotNow(action, row), { data: { status: row.status } })
}

export const subjectOf = ({ id, name }: { id: string; name: string }) => ({ kind: 'server', id, name })

export const faultOf = (error: unknown): NonNullable<Instance['fault']> => ({
  code: faultCode(error),
  message: faultText(error),
  created: now(),
})

/** Throws if the job was cancelled or its server is closing. The caller is responsible for the cleanup. */
export function stopWhenAsked(job: JobRun): void {
  if (job.signal.aborted) throw job.cancelled() ? problem('core.task_cancelled') : problem('core.server_closes')
}

/** Instance status for each machine state. */
export const statusOf: Record<MachineState, Instance['status']> = {
  running: 'ACTIVE',
  paused: 'PAUSED',
  saved: 'SUSPENDED',
  off: 'SHUTOFF',
  crashed: 'ERROR',
}

export const endedUnexpectedly = (reason: string | null): NonNullable<Instance['fault']> => ({
  code: 'ended_unexpectedly',
  message: reason ? `The virtual machine stopped unexpectedly: ${reason}` : 'The virtual machine stopped unexpectedly',
  created: now(),
})

/**
 * Returns the instance status derived from the state of the machine. A machine that runs a rescue is in RESCUE; a
 * shelved instance whose machine is off stays shelved.
 */
function statusBy({ status }: Instance, { rescue }: InstancePlan, state: MachineState): Instance['status'] {
  if (state === 'running' && rescue?.isOn) return 'RESCUE'
  return state === 'off' && status === 'SHELVED_OFFLOADED' ? status : statusOf[state]
}

/**
 * Fault code for a live resize that was only partial, or whose new size the guest does not use. Kept until the machine
 * is restarted.
 */
export const INCOMPLETE = 'live_resize_incomplete'
const isStillIncomplete = ({ fault }: Instance, state: MachineState) => fault?.code === INCOMPLETE && state !== 'off'

/** Returns the row fields that reflect the state of the machine. */
export const fieldsFromMachine = (
  row: Instance,
  plan: InstancePlan,
  state: MachineState,
  reason: string | null = null,
): Partial<Instance> => ({
  status: statusBy(row, plan, state),
  task_state: null,
  fault: state === 'crashed' ? endedUnexpectedly(reason) : isStillIncomplete(row, state) ? row.fault : null,
})

const settled: readonly Instance['status'][] = ['ACTIVE', 'PAUSED', 'SUSPENDED', 'SHUTOFF', 'RESCUE']

/**
 * Updates the row of an idle instance to the state of its machine, for example after a guest shut itself down or a
 * process died.
 */
export async function reconcile(
  { records, hypervisor }: Engine,
  id: string,
  reason: string | null = null,
): Promise<void> {
  await records.transaction(async (tx) => {
    const row = await tx.lock<Instance>('server', id)
    if (!row || row.task_state !== null || !settled.includes(row.status)) return
    const state = await hypervisor.machines.state(id)
    if (statusOf[state] === row.status) return
    const told = fieldsFromMachine(row, await getPlan(tx, id), state, reason)
    if (told.status !== row.status) await changeInstance(tx, row, told)
  })
}
