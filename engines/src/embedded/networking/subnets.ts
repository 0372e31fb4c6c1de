import type { RuleText } from '@mainstay/contract/core/said'
import { notFound, fieldProblem, problem, problemOf, problemOfFields } from '@mainstay/contract/core/problems'
import { DEFAULT_MTU } from '@mainstay/contract/networking/address-texts'
import { isInRange, parseAddress, parseRange } from '@mainstay/contract/networking/addresses'
import type { Network } from '@mainstay/contract/networking/networks'
import { deviceOwners, type Port } from '@mainstay/contract/networking/ports'
import { overlapFault, conflictingRoute } from '@mainstay/contract/networking/router-rules'
import type { Router } from '@mainstay/contract/networking/routers'
import {
  changedSubnet,
  firstOverlap,
  subnetFaults,
  wholeSubnet,
  type WholeSubnet,
} from '@mainstay/contract/networking/subnet-rules'
import type { NetworkSubnetDraft, Subnet, SubnetChange, SubnetDraft } from '@mainstay/contract/networking/subnets'
import { randomUUID } from 'node:crypto'
import type { NetworkingPort } from '../../ports/networking'
import type { RecordsTransaction } from '../../ports/records'
import type { Scope } from '../../ports/scope'
import { actsOn, getOwn } from '../access'
import type { Engine } from '../engine'
import { mtuFault } from '../../network-model/compile/bounds'
import { checkQuotas } from '../quotas'
import { holderOf } from './addresses'
import { connectedBy, joinSubnet } from './router-interfaces'
import { keepService } from './service-port'
import {
  changing,
  gatewayIsHost,
  lockNetworks,
  lockRouting,
  namesOf,
  nameOfUser,
  now,
  ownerOf,
  portsOf,
  requireNetworks,
  usersOf,
} from './rows'

/**
 * Completes a draft with defaults. `at` is its path in the request (`subnets.0.`). Throws a single error that lists all
 * validation errors.
 */
export function validatedSubnet(draft: NetworkSubnetDraft, at: string): WholeSubnet {
  const whole = wholeSubnet(draft)
  throwFaults(whole, at)
  return whole
}

function throwFaults(subnet: WholeSubnet, at: string): void {
  const faults = subnetFaults(subnet)
  const [first] = faults
  if (!first) return
  const fields: Record<string, RuleText[]> = {}
  for (const { field, message } of faults) (fields[`${at}${field}`] ??= []).push(message)
  throw problemOfFields(first.code, fields)
}

/** Throws if this host cannot provide the MTU. */
export function refuseMtu(mtu: number, subnets: readonly Pick<WholeSubnet, 'ip_version'>[], field: string): void {
  const fault = mtuFault(
    mtu,
    subnets.map(({ ip_version }) => ip_version),
  )
  if (fault !== null) throw fieldProblem(field, 'networking.mtu_refused', { reason: fault })
}
export { DEFAULT_MTU }

/**
 * Throws if the range of an external network overlaps another range that is connected to the host itself, that is, the
 * range of another external network or of a network with NAT.
 */
export async function refuseOverlapAtHost(
  tx: RecordsTransaction,
  network: Pick<Network, 'id' | 'router_external'>,
  subnet: Pick<WholeSubnet, 'cidr'>,
  field: string,
): Promise<void> {
  if (!network.router_external) return
  await tx.exclusive('ranges of the host')
  const external = await tx.find<Network>('network', { router_external: true })
  const flat = await tx.find<Network>('network', { type: 'flat', shared: true })
  const others = [...external, ...flat.filter(gatewayIsHost)].filter(({ id }) => id !== network.id)
  const ranges = others.flatMap(({ name, subnets }) => subnets.map(({ cidr }) => ({ cidr, name })))
  const clash = firstOverlap(subnet.cidr, ranges)
  if (clash) throw fieldProblem(field, 'networking.cidr_overlaps', { network: clash.name, cidr: clash.cidr })
}

/** Returns the row for a new subnet. The network's row also lists the subnet. */
export const subnetRow = (
  network: Pick<Network, 'id' | 'shared' | 'project_id' | 'domain_id'>,
  name: string,
  whole: WholeSubnet,
): Subnet => ({
  id: randomUUID(),
  name,
  network_id: network.id,
  ...whole,
  shared: network.shared,
  ...ownerOf(network),
  created_at: now(),
})

/** Writes a network and its subnets. */
export async function putNetwork(tx: RecordsTransaction, network: Network): Promise<Network> {
  await tx.put('network', network)
  const { shared, rbac_policies } = network
  for (const subnet of network.subnets) await tx.put('subnet', { ...subnet, shared, rbac_policies })
  return network
}

async function lockOwnNetwork(tx: RecordsTransaction, scope: Scope, id: string): Promise<Network | null> {
  await lockNetworks(tx, [id])
  const network = await tx.lock<Network>('network', id)
  return network && actsOn(scope, network.project_id) ? network : null
}

const createSubnet = (engine: Engine, scope: Scope, draft: SubnetDraft): Promise<Subnet> =>
  changing(engine, async (tx) => {
    requireNetworks(engine, 'network_id')
    await lockRouting(tx)
    const { network_id, name = '', ...rest } = draft
    const network = await lockOwnNetwork(tx, scope, network_id)
    if (!network) throw fieldProblem('network_id', 'networking.no_such_network')
    const whole = validatedSubnet(rest, '')
    const same = network.subnets.find(({ ip_version }) => ip_version === whole.ip_version)
    if (same)
      throw fieldProblem('cidr', 'networking.network_has_subnet', { version: whole.ip_version, cidr: same.cidr })
    refuseMtu(network.mtu, [whole], 'cidr')
    await refuseOverlapAtHost(tx, network, whole, 'cidr')
    await checkQuotas(engine, tx, network, { subnets: { amount: 1, field: 'network_id' } })
    const routers = await connectedBy(tx, network.id)
    for (const router of routers) await refuseOverlapAtRouter(tx, router, network, whole)
    const subnet = subnetRow(network, name, whole)
    const grown = { ...network, subnets: [...network.subnets, subnet], ipam_enabled: true }
    await keepService(tx, grown)
    await putNetwork(tx, grown)
    for (const router of routers) await joinSubnet(tx, router.id, grown, subnet)
    return { ...subnet, rbac_policies: network.rbac_policies }
  })

/** Throws if a new subnet overlaps with other networks that are connected to the same router. */
async function refuseOverlapAtRouter(
  tx: RecordsTransaction,
  router: Router,
  { id, name }: Network,
  { cidr }: WholeSubnet,
): Promise<void> {
  const others = await Promise.all(
    [...router.interfaces_info, ...(router.external_interface ? [router.external_interface] : [])]
      .filter(({ network_id }) => network_id !== id)
      .map((leg) => tx.get<Network>('network', leg.network_id)),
  )
  const connected = others.flatMap((network) =>
    (network?.subnets ?? []).map((subnet) => ({ ...subnet, network_name: network!.name, addresses: [] })),
  )
  const fault = overlapFault([{ cidr, network_name: name }], connected, 'cidr')
  if (fault) throw problemOf(fault.message, { field: fault.field, code: fault.code, data: { router: router.name } })
  const inTheWay = conflictingRoute([{ cidr, network_name: name }], router.routes)
  if (inTheWay !== null) throw problemOf(inTheWay, { field: 'cidr', data: { router: router.name } })
}

const isInSubnet = (port: Port, subnetId: string) => port.fixed_ips.some((ip) => ip.subnet_id === subnetId)
const isService = ({ device_owner }: Port) => device_owner === deviceOwners.service

async function lockOwnSubnet(tx: RecordsTransaction, scope: Scope, id: string) {
  const seen = await getOwn<Subnet>(tx, 'subnet', scope, id)
  await lockRouting(tx)
  const network = await lockOwnNetwork(tx, scope, seen.network_id)
  const subnet = network?.subnets.find((it) => it.id === id)
  if (!network || !subnet) throw notFound()
  return { network, subnet }
}

const changeSubnet = (engine: Engine, scope: Scope, id: string, change: SubnetChange): Promise<Subnet> =>
  changing(engine, async (tx) => {
    const { network, subnet } = await lockOwnSubnet(tx, scope, id)
    const whole = changedSubnet(subnet as WholeSubnet & Subnet, change)
    throwFaults(whole, '')
    const isMoved = whole.gateway_ip !== subnet.gateway_ip
    if (isMoved) await refuseGateway(tx, network, subnet, whole.gateway_ip)
    const changed: Subnet = { ...subnet, ...whole, ...(change.name !== undefined && { name: change.name }) }
    const after = { ...network, subnets: network.subnets.map((it) => (it.id === id ? changed : it)) }
    await keepService(tx, after)
    await putNetwork(tx, after)
    return { ...changed, rbac_policies: network.rbac_policies }
  })

/** Throws if a router uses the current gateway address, or if the new one is used by anything except a router. */
async function refuseGateway(
  tx: RecordsTransaction,
  network: Network,
  subnet: Subnet,
  gateway: string | null,
): Promise<void> {
  const ports = await portsOf(tx, network.id)
  const has = (address: string) => ports.find((port) => port.fixed_ips.some((ip) => ip.ip_address === address))
  const router = subnet.gateway_ip === null ? undefined : has(subnet.gateway_ip)
  if (router) {
    throw fieldProblem(
      'gateway_ip',
      'networking.gateway_in_use',
      { gateway: subnet.gateway_ip!, name: nameOfUser(router) },
      { data: { used_by: usersOf([router]) } },
    )
  }
  if (gateway === null || (await holderOf(tx, network.id, gateway)) === null) return
  const holder = has(gateway)
  if (holder?.device_owner === deviceOwners.routerInterface) return
  throw holder
    ? fieldProblem('gateway_ip', 'networking.ip_in_use_by', { name: nameOfUser(holder) })
    : fieldProblem('gateway_ip', 'networking.ip_in_use')
}

const deleteSubnet = (engine: Engine, scope: Scope, id: string): Promise<void> =>
  changing(engine, async (tx) => {
    const { network, subnet } = await lockOwnSubnet(tx, scope, id)
    const users = (await portsOf(tx, network.id)).filter((port) => !isService(port) && isInSubnet(port, id))
    const range = parseRange(subnet.cidr)!
    const floating = (
      await tx.find<{ id: string; floating_ip_address: string }>('floating_ip', {
        floating_network_id: network.id,
      })
    ).filter(({ floating_ip_address }) => isInRange(parseAddress(floating_ip_address)!, range))
    if (users.length > 0 || floating.length > 0) {
      const names = [...users.map(nameOfUser), ...floating.map((it) => it.floating_ip_address)]
      throw problem(
        'networking.addresses_in_use',
        { names: namesOf(names), cidr: subnet.cidr },
        {
          data: {
            used_by: [
              ...usersOf(users),
              ...floating.map((it) => ({ kind: deviceOwners.floatingIp, id: it.id, name: it.floating_ip_address })),
            ],
          },
        },
      )
    }
    const subnets = network.subnets.filter((it) => it.id !== id)
    const after = { ...network, subnets, ipam_enabled: subnets.length > 0 }
    await keepService(tx, after)
    await putNetwork(tx, after)
    await tx.remove('subnet', id)
    await tx.removePrivate('subnet', id)
  })

export const subnetCommands = (engine: Engine): NetworkingPort['subnets'] => ({
  create: (scope, draft) => createSubnet(engine, scope, draft),
  update: (scope, id, change) => changeSubnet(engine, scope, id, change),
  delete: (scope, id) => deleteSubnet(engine, scope, id),
})
