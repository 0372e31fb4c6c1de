import type { Instance } from '@mainstay/contract/compute/instances'
import type { HeardStates } from '@mainstay/engines/openstack/testing/heard-states'
import type { PlainClient } from '@mainstay/engines/openstack/testing/plain-client'
import type { SocketMirror } from '../../server/src/testing/socket-mirror'
import { quantile, type Row } from '../protocol'

/** Long enough that it is a failure of the bench, not a figure of it. */
const TOLD_WITHIN_MS = 60_000

/**
 * Switches servers off and on again behind our back. How long from Nova's own update, which its notification dates, until
 * a listener of ours was told of the row.
 */
export async function measureChanges(
  servers: readonly Instance[],
  cloud: PlainClient,
  nova: HeardStates,
  mirror: SocketMirror,
): Promise<Row[]> {
  const delays: number[] = []
  const change = async (id: string, action: 'os-stop' | 'os-start', state: string, status: string) => {
    const before = mirror.revision()
    const updated = nova.entered(id, state, TOLD_WITHIN_MS)
    const told = mirror
      .heard((it) => it.id === id && it.revision > before && it.entity?.['status'] === status, TOLD_WITHIN_MS)
      .then(() => Date.now())
    await cloud.call('compute', 'POST', `/servers/${id}/action`, { [action]: null })
    const [then, now] = await Promise.all([updated, told])
    delays.push(now - then)
  }
  for (const { id } of servers) {
    await change(id, 'os-stop', 'stopped', 'SHUTOFF')
    await change(id, 'os-start', 'active', 'ACTIVE')
  }
  const name = `cloud, ${delays.length} changes from Nova's update until a browser is told`
  return [
    { name: `${name}: median`, unit: 'ms', value: quantile(delays, 0.5) },
    { name: `${name}: p95`, unit: 'ms', value: quantile(delays, 0.95) },
    { name: `${name}: longest`, unit: 'ms', value: Math.max(...delays) },
  ]
}
