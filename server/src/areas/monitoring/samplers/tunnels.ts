import { connectionKind, type IpsecSiteConnection, type VpnStats } from '@mainstay/contract/vpn/connections'
import type { Sample } from '../../../metrics/sample'
import type { Sampler } from '../../../metrics/sampling'
import { serverScope } from '../../../tasks/server-scope'
import type { Tools } from '../../../tools'

/** Number of connections sampled per round. If there are more, each one is sampled only every few rounds. */
const MOST_PER_ROUND = 200
const EVERY_MS = 30_000

/** Samples the traffic of VPN tunnels. Returns null if the engine does not provide it. */
export function tunnelSampler({
  inventory,
  ports,
  areas,
  capabilities,
}: Pick<Tools, 'inventory' | 'ports' | 'areas' | 'capabilities'>): Sampler | null {
  if (!areas.vpn.engine || !capabilities.vpn.stats) return null
  let marker: string | undefined

  return {
    name: 'VPN connections',
    everyMs: EVERY_MS,
    by: 'one',
    async take(signal) {
      const query = { limit: MOST_PER_ROUND, sort: 'created_at:asc', ...(marker && { marker }) }
      const page = await inventory.list<IpsecSiteConnection>(connectionKind, serverScope, query)
      marker = page.pages[0]?.marker
      const samples: Sample[] = []
      for (const row of page.data) {
        if (signal.aborted) return samples
        // a connection that has been deleted since it was listed has no stats
        const stats = await ports.vpn.ipsecSiteConnections.stats(serverScope, row.id).catch(() => null)
        if (stats) samples.push(...samplesOf(row, stats))
      }
      return samples
    },
  }
}

function samplesOf({ id, status, project_id, domain_id }: IpsecSiteConnection, stats: VpnStats): Sample[] {
  const labels = { project_id, domain_id, vpn_connection_id: id }
  const one = (name: string, value: number): Sample => ({ name: `mainstay_vpn_${name}`, value, labels })
  return [
    one('up', status === 'ACTIVE' ? 1 : 0),
    one('bytes_in_total', stats.bytes_in),
    one('bytes_out_total', stats.bytes_out),
    one('packets_in_total', stats.packets_in),
    one('packets_out_total', stats.packets_out),
  ]
}
