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
/** What the hypervisor last said of a machine that is off. */
const SHUT_DOWN = 4

const Power = z.object({ server: z.object({ 'OS-EXT-STS:power_state': z.number().nullish() }) })

/** Commands that switch an instance: the cloud accepts each at once and works on it. */
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

/** What has to come first, since the cloud switches off only what runs by itself. */
const before: Partial<Record<Instance['status'], Record<string, unknown>>> = {
  PAUSED: { unpause: null },
  RESCUE: { unrescue: null },
}

/**
 * The cloud has one way to switch off: the power button, and after a grace time of its own (the image's
 * `os_shutdown_timeout`, else the node's) the power is cut. That is what a cut comes to here as well, and no other time
 * can be asked for; so waiting for ever, which promises that the power is never cut, is refused.
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

/** What ran by itself first is switched off now, by the service account: who asked may have signed out meanwhile. */
export const stopSteps = (engine: Engine): TaskSteps => ({
  async onSettled({ subject: { id }, args, state }) {
    if (!args['isToStop']) return null
    const { status, task_state } = await refreshed(engine, id)
    if (status === 'SHUTOFF') return null
    // the job looks again once the cloud is no longer at it
    if (task_state !== null) return { again: lookEveryMs, state }
    if (status !== 'ACTIVE' || state['isSent'])
      throw problem('compute.instance_not_now', { status }, { code: 'conflict' })
    await sendAction(engine.reading.caller, id, { 'os-stop': null })
    await refreshed(engine, id)
    return { again: lookEveryMs, state: { isSent: true } }
  },
})

/** The cloud sets the status that it is told; one that is off is then said to be, which is what its node sees. */
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
