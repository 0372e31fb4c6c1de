import type { Instance } from '@mainstay/contract/compute/instances'
import type { HeardStates } from '@mainstay/engines/openstack/testing/heard-states'
import type { PlainClient } from '@mainstay/engines/openstack/testing/plain-client'
import type { SocketMirror } from '../../server/src/testing/socket-mirror'
import { quantile, type Row } from '../protocol'
import type { WatchedList } from './watched-list'

/** Long enough that it is a failure of the bench, not a figure of it. */
const TOLD_WITHIN_MS = 60_000

/** The words by which the list shows the states of Nova that are gone through. */
const through = [
  { action: 'os-stop', state: 'stopped', status: 'SHUTOFF', word: 'Shut down' },
  { action: 'os-start', state: 'active', status: 'ACTIVE', word: 'Active' },
] as const

/**
 * Switches servers off and on again behind our back while somebody looks at their list. How long from Nova's own update,
 * which its notification dates, until a listener of ours was told of the row, and until the browser has painted it.
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
