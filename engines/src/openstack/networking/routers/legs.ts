import { Problem, fieldProblem } from '@mainstay/contract/core/problems'
import type { Network } from '@mainstay/contract/networking/networks'
import { overlapFault, type ConnectedSubnet } from '@mainstay/contract/networking/router-rules'
import type { InterfaceDraft, Router } from '@mainstay/contract/networking/routers'
import type { Subnet } from '@mainstay/contract/networking/subnets'
import * as z from 'zod'
import type { Scope } from '../../../ports/scope'
import type { ServiceClient } from '../../client/service-client'
import type { Engine } from '../../engine'
import { deleteRow, markOf } from '../marks'
import { atFields, leftBehind, orElse, refuseFaults } from '../refusals'
import { subnetWith } from '../subnets/body'
import { usableNetwork } from '../visible'

/** A network to connect to a router, with the router's address in each subnet. Null: the cloud chooses the address. */
export interface Leg {
  network_id: string
  subnets: { id: string; address: string | null; gateway: string | null }[]
  /** Field prefix for errors: `internal_interfaces.0.`, or empty. */
  at: string
}

type Connected = Pick<Router, 'interfaces_info' | 'external_interface'>

/** Returns the subnets in which a router has an address, from the index. */
export async function connectedOf(
  engine: Pick<Engine, 'records'>,
  { interfaces_info, external_interface }: Connected,
): Promise<ConnectedSubnet[]> {
  const legs = [...interfaces_info, ...(external_interface ? [external_interface] : [])]
  return engine.records.transaction(async (tx) => {
    const connected = new Map<string, ConnectedSubnet & { addresses: string[] }>()
    for (const { network_id, network_name, fixed_ips } of legs)
      for (const { subnet_id: id, ip_address } of fixed_ips) {
        const one = connected.get(id)
        const subnet = one ? null : await tx.get<Subnet>('subnet', id)
        if (one) one.addresses.push(ip_address)
        else if (subnet) connected.set(id, { id, network_id, network_name, cidr: subnet.cidr, addresses: [ip_address] })
      }
    return [...connected.values()]
  })
}

/** Checks the networks in drafts against the connected networks and against each other. */
export async function attachmentsFor(
  engine: Engine,
  scope: Scope,
  drafts: readonly InterfaceDraft[],
  { connected, at }: { connected: readonly ConnectedSubnet[]; at: (place: number) => string },
): Promise<Leg[]> {
  const legs: Leg[] = []
  const all = [...connected]
  for (const [place, draft] of drafts.entries()) {
    const field = `${at(place)}network_id`
    const network = await usableNetwork(engine, scope, draft.network_id, { action: 'direct', field })
    if (network.router_external) throw fieldProblem(field, 'networking.external_needs_gateway', { name: network.name })
    if (all.some(({ network_id }) => network_id === network.id))
      throw fieldProblem(field, 'networking.connected_to_already', { name: network.name })
    if (network.subnets.length === 0)
      throw fieldProblem(field, 'networking.named_without_subnet', { name: network.name })
    const named = network.subnets.map(({ id, cidr }) => ({ id, cidr, network_name: network.name }))
    const overlap = overlapFault(named, all, field)
    if (overlap) refuseFaults([overlap])
    legs.push(legOf(network, draft, at(place)))
    all.push(...named.map((subnet) => ({ ...subnet, network_id: network.id, addresses: [] })))
  }
  return legs
}

function legOf({ id, subnets }: Network, { ip_address }: InterfaceDraft, at: string): Leg {
  const chosen = ip_address === undefined ? undefined : subnetWith(subnets, ip_address)
  if (ip_address !== undefined && !chosen)
    throw fieldProblem(`${at}ip_address`, 'networking.addresses_of', {
      ranges: subnets.map(({ cidr }) => cidr).join(' or '),
    })
  return {
    network_id: id,
    at,
    subnets: subnets.map((subnet) => ({
      id: subnet.id,
      address: subnet.id === chosen?.id ? (ip_address ?? null) : null,
      gateway: subnet.gateway_ip,
    })),
  }
}

const Connection = z.object({ port_id: z.string() })

/**
 * Connects a router to a network. In each subnet, the router gets the gateway address if it is free, and any
 * other address otherwise. Returns the port IDs. If one connection fails, removes all of them.
 */
export async function connect(
  cloud: ServiceClient,
  routerId: string,
  { network_id, subnets, at }: Leg,
  intent: string,
): Promise<string[]> {
  const path = `/routers/${encodeURIComponent(routerId)}/add_router_interface`
  const send = async (body: { subnet_id: string } | { port_id: string }) =>
    (await cloud.send('PUT', 'network', path, Connection, { body })).port_id
  const byPort = async (subnet_id: string, address: string | null) => {
    const fixed_ips = [{ subnet_id, ...(address !== null && { ip_address: address }) }]
    const port = await makePort(cloud, { network_id, fixed_ips, description: markOf(intent) })
    try {
      return await send({ port_id: port })
    } catch (error) {
      await deleteRow(cloud, 'ports', port)
      throw error
    }
  }
  const fieldsOf = (address: string | null) => ({
    ip_address_in_use: `${at}ip_address`,
    forbidden: `${at}${address === null ? 'network_id' : 'ip_address'}`,
    no_free_addresses: `${at}network_id`,
    overlapping_subnet: `${at}network_id`,
    quota_exceeded: `${at}network_id`,
    validation: `${at}${address === null ? 'network_id' : 'ip_address'}`,
  })
  const made: string[] = []
  try {
    for (const { id, address, gateway } of subnets) {
      const byGateway = gateway !== null && (address ?? gateway) === gateway
      const added = byGateway
        ? orElse(send({ subnet_id: id }), (problem) => {
            if (problem.code !== 'ip_address_in_use' || address !== null) throw problem
            return byPort(id, null)
          })
        : byPort(id, address)
      made.push(await atFields(fieldsOf(address), added))
    }
    return made
  } catch (error) {
    await disconnect(cloud, routerId, made).catch((cause: unknown) => {
      throw leftBehind(cause)
    })
    throw error
  }
}

const MadePort = z.object({ port: z.object({ id: z.string() }) })
const makePort = async (cloud: ServiceClient, port: object): Promise<string> =>
  (await cloud.send('POST', 'network', '/ports', MadePort, { body: { port } })).port.id

/** Removes interfaces from a router; the cloud deletes their ports. Ignores ports that no longer exist. */
export async function disconnect(cloud: ServiceClient, routerId: string, ports: readonly string[]): Promise<void> {
  const path = `/routers/${encodeURIComponent(routerId)}/remove_router_interface`
  for (const port_id of ports) {
    try {
      await cloud.send('PUT', 'network', path, z.void(), { body: { port_id } })
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'not_found') throw error
    }
  }
}
