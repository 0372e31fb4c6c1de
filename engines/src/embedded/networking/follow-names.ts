import { networksOf, type Instance } from '@mainstay/contract/compute/instances'
import type { FloatingIp } from '@mainstay/contract/networking/floating-ips'
import type { LoadBalancer } from '@mainstay/contract/load-balancing/load-balancers'
import { isOfLoadBalancer } from '@mainstay/contract/networking/device-owners'
import type { Network } from '@mainstay/contract/networking/networks'
import { deviceOwners, type Port } from '@mainstay/contract/networking/ports'
import type { Router } from '@mainstay/contract/networking/routers'
import type { RecordsTransaction } from '../../ports/records'
import { now, portsOf } from './rows'

/* Rows contain the names of the objects that they refer to. Renaming an object updates them in the same transaction. */

export async function followNetworkName(tx: RecordsTransaction, { id, name }: Network): Promise<void> {
  const ports = await portsOf(tx, id)
  for (const { device_id, device_owner } of ports) {
    if (device_owner === deviceOwners.instance) await renameInInstance(tx, device_id, id, name)
    if (device_owner === deviceOwners.routerInterface || device_owner === deviceOwners.routerGateway)
      await renameInRouter(tx, device_id, id, name)
    if (isOfLoadBalancer(device_owner)) {
      const balancer = await tx.lock<LoadBalancer>('load_balancer', device_id)
      if (balancer) await tx.put('load_balancer', { ...balancer, network_name: name })
    }
  }
  for (const port of ports) await tx.put('port', { ...port, network_name: name, updated_at: now() })
  for (const floating of await tx.find<FloatingIp>('floating_ip', { floating_network_id: id }))
    await tx.put('floating_ip', { ...floating, floating_network_name: name, updated_at: now() })
}

async function renameInInstance(tx: RecordsTransaction, id: string, networkId: string, name: string): Promise<void> {
  const server = await tx.lock<Instance>('server', id)
  if (!server) return
  const cards = server.network_data.map((card) =>
    card.network_id === networkId ? { ...card, network_name: name } : card,
  )
  await tx.put('server', { ...server, network_data: cards, networks: networksOf(cards) })
}

async function renameInRouter(tx: RecordsTransaction, id: string, networkId: string, name: string): Promise<void> {
  const router = await tx.lock<Router>('router', id)
  if (!router) return
  const named = <Leg extends { network_id: string; network_name: string }>(leg: Leg): Leg =>
    leg.network_id === networkId ? { ...leg, network_name: name } : leg
  const { external_interface: leg, external_gateway_info: gateway } = router
  await tx.put('router', {
    ...router,
    interfaces_info: router.interfaces_info.map(named),
    external_interface: leg && named(leg),
    external_gateway_info: gateway && named(gateway),
  })
}

/** Whether the instance is running and its ports are therefore active. */
export const hasRunning = ({ status }: Pick<Instance, 'status'>): boolean =>
  status === 'ACTIVE' || status === 'PAUSED' || status === 'RESCUE'

export const portStatusOf = (server: Pick<Instance, 'status'>): Port['status'] => {
  if (server.status === 'BUILD') return 'BUILD'
  return hasRunning(server) ? 'ACTIVE' : 'DOWN'
}

export const LOST_CARD = 'The virtual machine lost this network interface. Reboot the virtual machine'

/** Copies an instance's name and power state to its ports, and its name to their floating IPs. */
export async function followInstance(tx: RecordsTransaction, before: Instance, after: Instance): Promise<void> {
  const isRenamed = before.name !== after.name
  const known = new Set(before.network_data.map(({ port_id }) => port_id))
  const isChanged = isRenamed || portStatusOf(before) !== portStatusOf(after)
  for (const { port_id } of after.network_data) {
    if (!isChanged && known.has(port_id)) continue
    const port = await tx.lock<Port>('port', port_id)
    if (!port) continue
    const status = port.status === 'ERROR' ? 'ERROR' : portStatusOf(after)
    const fault = port.fault === LOST_CARD ? null : port.fault
    if (port.status === status && port.fault === fault && port.device_name === after.name) continue
    await tx.put('port', { ...port, status, fault, device_name: after.name, updated_at: now() })
    if (!isRenamed) continue
    for (const id of port.floating_ips) {
      const floating = await tx.lock<FloatingIp>('floating_ip', id)
      if (!floating?.attachment) continue
      const attachment = { ...floating.attachment, object_name: after.name }
      await tx.put('floating_ip', { ...floating, attachment, attached_to: after.name, updated_at: now() })
    }
  }
}
