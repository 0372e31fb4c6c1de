import { badField } from '@mainstay/contract/core/problems'
import * as z from 'zod'
import type { InstancesPort } from '../../ports/compute'
import type { Scope } from '../../ports/scope'
import type { Engine } from '../engine'
import { act, known, orInvalidState, refreshed, sendAction } from './instances-acts'

type PowerPort = Pick<
  InstancesPort,
  'start' | 'stop' | 'reboot' | 'suspend' | 'resume' | 'pause' | 'unpause' | 'resetState'
>

/** What the hypervisor last said of a machine that is off. */
const SHUT_DOWN = 4

const Power = z.object({ server: z.object({ 'OS-EXT-STS:power_state': z.number().nullish() }) })

/** Commands that switch an instance: the cloud accepts each at once and works on it. */
export function powerCommands(engine: Engine): PowerPort {
  return {
    start: (scope, id) =>
      act(engine, scope, id, { action: 'start', body: { 'os-start': null }, task: 'compute.server.start' }),

    /*
     * The cloud has one way to switch off: the power button, and after a grace time of its own (the image's
     * `os_shutdown_timeout`, else the node's) the power is cut. That is what a cut comes to here as well, and no other
     * time can be asked for; so waiting for ever, which promises that the power is never cut, is refused.
     */
    async stop(scope, id, { hard, timeoutSeconds }) {
      if (!hard && timeoutSeconds < 0) {
        throw badField(
          'timeout',
          'This cloud cuts the power when a guest takes too long; it cannot wait for ever',
          'unsupported',
        )
      }
      const action = hard ? 'powerOff' : 'shutDown'
      return act(engine, scope, id, { action, body: { 'os-stop': null }, task: 'compute.server.stop' })
    },

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
