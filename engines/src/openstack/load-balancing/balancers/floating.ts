import { Problem, fieldProblem, withField } from '@mainstay/contract/core/problems'
import type { LoadBalancer, LoadBalancerDraft } from '@mainstay/contract/load-balancing/load-balancers'
import type { FloatingIp } from '@mainstay/contract/networking/floating-ips'
import * as z from 'zod'
import { says } from '@mainstay/contract/core/said'
import type { Scope } from '../../../ports/scope'
import type { ServiceClient } from '../../client/service-client'
import type { Engine } from '../../engine'
import { floatingIpReader } from '../../networking/floating-ips/reader'
import { deleteRow } from '../../networking/marks'
import { portReader } from '../../networking/ports/reader'
import { orElse } from '../../networking/refusals'
import { usableNetwork } from '../../networking/visible'
import { unlessGone } from '../../read-each'

/** A floating IP to assign to a load balancer, either existing or created for it. */
export interface Reached {
  id: string
  /** The field that requested it. */
  field: 'floating_ip' | 'floating_network_id'
  isNew: boolean
}

/**
 * Finds one of the project's floating IPs by its address or ID, and returns its ID. The floating IP must be unassigned
 * or assigned to this port; otherwise, throws an error on the field.
 */
async function freeFloatingIp(
  { records }: Pick<Engine, 'records'>,
  project_id: string,
  named: string,
  port_id: string | null,
): Promise<string> {
  const rows = await records.transaction((tx) =>
    tx.find<FloatingIp & { [field: string]: unknown }>('floating_ip', { project_id }),
  )
  const found = rows.find(({ id, floating_ip_address }) => id === named || floating_ip_address === named)
  if (!found) throw fieldProblem('floating_ip', 'networking.no_such_floating_ip')
  if (found.port_id !== null && found.port_id !== port_id) {
    throw fieldProblem('floating_ip', 'networking.floating_ip_assigned', { name: found.attached_to ?? found.port_id })
  }
  return found.id
}

/** Returns the floating IP that a draft requests, or null if it requests none. Creates new floating IPs unassigned. */
export async function floatingIpFor(
  engine: Engine,
  cloud: ServiceClient,
  scope: Scope & { project_id: string },
  { floating_ip, floating_network_id }: Pick<LoadBalancerDraft, 'floating_ip' | 'floating_network_id'>,
): Promise<Reached | null> {
  if (floating_ip) {
    const id = await freeFloatingIp(engine, scope.project_id, floating_ip, null)
    return { id, field: 'floating_ip', isNew: false }
  }
  if (floating_network_id === undefined) return null
  const field = 'floating_network_id'
  const { name } = await usableNetwork(engine, scope, floating_network_id, { action: 'routed', field })
  const Made = z.object({ floatingip: z.object({ id: z.string() }) })
  const sent = cloud.send('POST', 'network', '/floatingips', Made, { body: { floatingip: { floating_network_id } } })
  const { floatingip } = await orElse(sent, (problem) => {
    if (problem.code === 'no_free_addresses')
      throw withField(problem, { field, message: says('networking.addresses_used_up', { network: name }) })
    throw withField(problem, { field })
  })
  return { id: floatingip.id, field, isNew: true }
}

/** Assigns a floating IP to a port, or unassigns it if the port is null. Throws a `not_routable` error on the field. */
export async function leadTo(
  cloud: ServiceClient,
  id: string,
  port_id: string | null,
  field: Reached['field'],
): Promise<void> {
  const body = { floatingip: { port_id } }
  await orElse(
    cloud.send('PUT', 'network', `/floatingips/${encodeURIComponent(id)}`, z.void(), { body }),
    (problem) => {
      if (problem.code !== 'not_routable') throw withField(problem, { field })
      const message = says('loadBalancing.no_router_to_floating_ip')
      throw withField(problem, { field, message })
    },
  )
}

/** Releases a floating IP that was created for a load balancer whose creation has failed. */
export const takeBack = async (cloud: ServiceClient, reached: Reached | null): Promise<void> => {
  if (reached?.isNew) await deleteRow(cloud, 'floatingips', reached.id)
}

/** Refreshes these floating IPs and their port. */
export async function refreshFloatingIps(
  engine: Engine,
  port_id: string,
  floating: readonly (string | null | undefined)[],
): Promise<void> {
  for (const id of new Set(floating)) if (id) await unlessGone(engine.refresh(floatingIpReader, id))
  if (port_id !== '') await unlessGone(engine.refresh(portReader, port_id))
}

/** Replaces the floating IP of a load balancer, or removes it if null. */
export async function replaceFloatingIp(
  engine: Engine,
  cloud: ServiceClient,
  balancer: LoadBalancer,
  named: string | null,
): Promise<void> {
  const { port_id, floating_ip_id: before, floating_ip, project_id } = balancer
  if (named !== null && (named === before || named === floating_ip)) return
  const next = named === null ? null : await freeFloatingIp(engine, project_id, named, port_id)
  if (before) await leadTo(cloud, before, null, 'floating_ip')
  if (next)
    try {
      await leadTo(cloud, next, port_id, 'floating_ip')
    } catch (error) {
      // restore the previous assignment
      if (before && error instanceof Problem) await leadTo(cloud, before, port_id, 'floating_ip')
      throw error
    }
  await refreshFloatingIps(engine, port_id, [before, next])
}
