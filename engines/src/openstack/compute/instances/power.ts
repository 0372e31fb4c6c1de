import type { Instance } from '@mainstay/contract/compute/instances'
import { problem, fieldProblem } from '@mainstay/contract/core/problems'
import * as z from 'zod'
import type { InstancesPort } from '../../../ports/compute'
import type { Scope } from '../../../ports/scope'
import type { Engine, TaskSteps } from '../../engine'
import { act, allowed, known, orInvalidState, refreshed, sendAction, subjectOf } from './act'

type PowerPort = Pick<
  InstancesPort,
  'start' | 'stop' | 'reboot' | 'suspend' | 'resume' | 'pause' | 'unpause' | 'resetState'
>

const lookEveryMs = 1000
/** Nova's power state for an instance that is shut down. */
const SHUT_DOWN = 4

const Power = z.object({ server: z.object({ 'OS-EXT-STS:power_state': z.number().nullish() }) })

/** Power commands. The cloud accepts each one immediately and carries it out asynchronously. */
export function powerCommands(engine: Engine): PowerPort {
  return {
    start: (scope, id) =>
      act(engine, scope, id, { action: 'start', body: { 'os-start': null }, task: 'compute.server.start' }),

    stop: (scope, id, how) => stop(engine, scope, id, how),

    reboot: (scope, id, { hard }) =>
      act(engine, scope, id, {
        action: hard ? 'hardReboot' : 'reboot',
        body: { reboot: { type: hard ? 'HARD' : 'SOFT' } },
        task: 'compute.server.reboot',
      }),

    suspend: (scope, id) =>
      act(engine, scope, id, { action: 'suspend', body: { suspend: null }, task: 'compute.server.suspend' }),
    resume: (scope, id) =>
      act(engine, scope, id, { action: 'resume', body: { resume: null }, task: 'compute.server.resume' }),
    pause: (scope, id) =>
      act(engine, scope, id, { action: 'pause', body: { pause: null }, task: 'compute.server.pause' }),
    unpause: (scope, id) =>
      act(engine, scope, id, { action: 'unpause', body: { unpause: null }, task: 'compute.server.unpause' }),

    resetState: (scope, id, state) => resetState(engine, scope, id, state),
  }
}

/** Action to send first, because the cloud can stop only active instances. */
const before: Partial<Record<Instance['status'], Record<string, unknown>>> = {
  PAUSED: { unpause: null },
  RESCUE: { unrescue: null },
}

/**
 * Shuts an instance down. The cloud always triggers an ACPI shutdown and cuts the power after its own timeout (the
 * image's `os_shutdown_timeout`, or the node's default). A forced stop works the same way, and no other timeout can be
 * requested. An unlimited timeout is refused, because the cloud cuts the power anyway.
 */
async function stop(engine: Engine, ...[scope, id, { hard, timeoutSeconds }]: Parameters<InstancesPort['stop']>) {
  const row = await allowed(engine, scope, id, hard ? 'powerOff' : 'shutDown')
  if (!hard && timeoutSeconds < 0) {
    throw fieldProblem('timeout', 'compute.cloud_cuts_power')
  }
  const cloud = await engine.as(scope)
  const first = before[row.status]
  const args = { isToStop: first !== undefined }
  await engine.command({ name: 'compute.server.stop', subject: subjectOf(row), until: 'settled', scope, args }, () =>
    orInvalidState(engine, id, sendAction(cloud, id, first ?? { 'os-stop': null })),
  )
  return refreshed(engine, id)
}

/**
 * Stops an instance that first had to be made active. Uses the service account, because the user's token may have
 * expired.
 */
export const stopSteps = (engine: Engine): TaskSteps => ({
  async onSettled({ subject: { id }, args, state }) {
    if (!args['isToStop']) return null
    const { status, task_state } = await refreshed(engine, id)
    if (status === 'SHUTOFF') return null
    // check again once the cloud has finished
    if (task_state !== null) return { again: lookEveryMs, state }
    if (status !== 'ACTIVE' || state['isSent'])
      throw problem('compute.instance_not_now', { status }, { code: 'conflict' })
    await sendAction(engine.reading.caller, id, { 'os-stop': null })
    await refreshed(engine, id)
    return { again: lookEveryMs, state: { isSent: true } }
  },
})

/**
 * Resets the status to the given one. If null, resets it to active, and stops the instance if the hypervisor reports
 * that it is shut down.
 */
async function resetState(engine: Engine, scope: Scope, id: string, state: 'active' | 'error' | null) {
  await known(engine, scope, id)
  const cloud = await engine.as(scope)
  await orInvalidState(engine, id, sendAction(cloud, id, { 'os-resetState': { state: state ?? 'active' } }))
  if (state === null) {
    const { server } = await cloud.get('compute', `/servers/${id}`, Power)
    if (server['OS-EXT-STS:power_state'] === SHUT_DOWN) {
      await orInvalidState(engine, id, sendAction(cloud, id, { 'os-stop': null }))
    }
  }
  return refreshed(engine, id)
}
