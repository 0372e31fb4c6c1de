import type { Instance } from '@mainstay/contract/compute/instances'
import type { HeardStates } from '@mainstay/engines/openstack/testing/heard-states'
import type { PlainClient } from '@mainstay/engines/openstack/testing/plain-client'
import type { SocketMirror } from '../../server/src/testing/socket-mirror'
import { quantile, type Row } from '../protocol'
import type { WatchedList } from './watched-list'

/** Time limit for a change to arrive. If it is exceeded, the bench fails instead of reporting a slow value. */
const TOLD_WITHIN_MS = 60_000

/** Nova actions, with the resulting state and the text that the list shows for it. */
const through = [
  { action: 'os-stop', state: 'stopped', status: 'SHUTOFF', word: 'Shut down' },
  { action: 'os-start', state: 'active', status: 'ACTIVE', word: 'Active' },
] as const

/**
 * Stops and starts servers directly in Nova while a browser shows the server list. Measures the delay from Nova's own
 * update (the timestamp of its notification) until a socket client receives the row, and until the browser paints it.
 */
export async function measureChanges(tools: {
  servers: readonly Instance[]
  cloud: PlainClient
  nova: HeardStates
  mirror: SocketMirror
  list: WatchedList
}): Promise<Row[]> {
  const { servers, cloud, nova, mirror, list } = tools
  const told: number[] = []
  const painted: number[] = []
  for (const { id, name } of servers) {
    for (const { action, state, status, word } of through) {
      const before = mirror.revision()
      await list.look()
      const updated = nova.entered(id, state, TOLD_WITHIN_MS)
      const heard = mirror
        .heard((it) => it.id === id && it.revision > before && it.entity?.['status'] === status, TOLD_WITHIN_MS)
        .then(() => Date.now())
      await cloud.call('compute', 'POST', `/servers/${id}/action`, { [action]: null })
      const [then, now] = await Promise.all([updated, heard])
      told.push(now - then)
      painted.push((await list.seenAt(name, word)) - then)
    }
  }
  const rows = (name: string, delays: number[]): Row[] => [
    { name: `${name}: median`, unit: 'ms', value: quantile(delays, 0.5) },
    { name: `${name}: p95`, unit: 'ms', value: quantile(delays, 0.95) },
    { name: `${name}: longest`, unit: 'ms', value: Math.max(...delays) },
  ]
  return [
    ...rows("cloud, from Nova's update until the socket tells it", told),
    ...rows("cloud, from Nova's update until the browser shows it", painted),
  ]
}
