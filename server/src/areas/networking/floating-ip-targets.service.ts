import { routerForFloatingIp } from '@mainstay/contract/networking/floating-ip-rules'
import { floatingIpKind, type FloatingIp, type FloatingIpTarget } from '@mainstay/contract/networking/floating-ips'
import { versionOf } from '@mainstay/contract/networking/addresses'
import { networkKind, type Network } from '@mainstay/contract/networking/networks'
import { portKind, type Port } from '@mainstay/contract/networking/ports'
import { routerKind, type Router } from '@mainstay/contract/networking/routers'
import type { Scope } from '@mainstay/engines/ports/scope'
import type { Tools } from '../../tools'
import { everyRow } from '../../http/rows/every-row'

const MOST_TARGETS = 500
const MOST_ROUTERS = 5000
/** Whether a port belongs to a router, service or floating IP, and therefore cannot be a target of a floating IP. */
const isOfNetworking = ({ device_owner }: Port): boolean => device_owner.startsWith('network:')

/**
 * Lists the ports of the floating IP's project, possible targets first. The other ports are listed with the reason,
 * which is also why engines refuse to assign the floating IP to them.
 */
export async function targetsOf(
  tools: Pick<Tools, 'inventory' | 'capabilities'>,
  scope: Scope,
  id: string,
  { search }: { search?: string | undefined },
): Promise<{ data: FloatingIpTarget[]; truncated: boolean }> {
  const floating = await tools.inventory.view<FloatingIp>(floatingIpKind, scope, id)
  const own = { project_id: floating.project_id }
  const [ports, routers, taken] = await Promise.all([
    everyRow<Port>(tools, portKind, scope, { most: MOST_TARGETS, ...own, ...(search ? { search } : {}) }),
    everyRow<Router>(tools, routerKind, scope, { most: MOST_ROUTERS, ...own }),
    everyRow<FloatingIp>(tools, floatingIpKind, scope, { most: MOST_ROUTERS, ...own, assigned: 'true' }),
  ])
  const candidates = ports.rows.filter((port) => !isOfNetworking(port))
  const networks = await tools.inventory.several<Network>(networkKind, scope, [
    ...new Set(candidates.map(({ network_id }) => network_id)),
  ])
  const subnets = networks.flatMap((network) => network.subnets)
  // only the embedded engine has host networks; the networks on a cloud's hosts are unknown
  const isOurs = tools.capabilities.networking.published_ports
  const ofHost = new Set(
    networks
      .filter(({ type, router_external }) => isOurs && type === 'flat' && !router_external)
      .map(({ id: its }) => its),
  )
  const external = new Set(networks.filter(({ router_external }) => router_external).map((network) => network.id))
  const led = new Set(
    taken.rows.filter((other) => other.id !== id).map((other) => `${other.port_id} ${other.fixed_ip_address}`),
  )

  const data = candidates.flatMap((port) => {
    const addresses = port.fixed_ips.filter(({ ip_address }) => versionOf(ip_address) === 4)
    const target = (
      address: string,
      reason: FloatingIpTarget['reason'],
      router_id: string | null,
    ): FloatingIpTarget => ({
      port_id: port.id,
      fixed_ip_address: address,
      ...{ network_id: port.network_id, network_name: port.network_name },
      ...{ object_id: port.device_id, object_name: port.device_name || port.name, device_owner: port.device_owner },
      ...{ router_id, reason },
    })
    if (external.has(port.network_id)) return []
    if (addresses.length === 0) return [target(port.fixed_ips[0]?.ip_address ?? '', 'no_ipv4_address', null)]
    return addresses.map(({ ip_address, subnet_id }) => {
      const subnet = subnets.find(({ id: its }) => its === subnet_id) ?? { id: subnet_id, gateway_ip: null }
      const { router, reason } = routerForFloatingIp(subnet, floating.floating_network_id, routers.rows)
      if (led.has(`${port.id} ${ip_address}`)) return target(ip_address, 'has_floating_ip', router?.id ?? null)
      const isOfHost = reason === 'no_router' && ofHost.has(port.network_id)
      return target(ip_address, isOfHost ? 'host_network' : reason, router?.id ?? null)
    })
  })
  const rank = ({ reason }: FloatingIpTarget) => (reason === null ? 0 : 1)
  return { data: data.toSorted((a, b) => rank(a) - rank(b)), truncated: ports.truncated }
}
