import { randomUUID } from 'node:crypto'
import { fieldProblem } from '@mainstay/contract/core/problems'
import type { LoadBalancer } from '@mainstay/contract/load-balancing/load-balancers'
import type { MemberDraft, PoolMember } from '@mainstay/contract/load-balancing/members'
import { addressText, isInRange, parseAddress, parseRange, usable } from '@mainstay/contract/networking/addresses'
import { deviceOwners } from '@mainstay/contract/networking/device-owners'
import type { Network } from '@mainstay/contract/networking/networks'
import type { Port } from '@mainstay/contract/networking/ports'
import type { RecordsTransaction } from '../../ports/records'
import { holderOf } from '../networking/addresses'
import { connectedBy } from '../networking/router-interfaces'

interface ReachableSubnet {
  network_id: string
  cidr: string
}

type Place = Pick<LoadBalancer, 'network_id' | 'address' | 'ip_version' | 'project_id'>

/**
 * Returns the subnets that a load balancer can reach: those in its own network, those that its project's routers
 * connect to it, and those in the external networks behind these routers. Networks behind other projects' routers are
 * excluded, even if packets would reach them.
 */
async function reachableSubnets(
  tx: RecordsTransaction,
  { network_id, address, project_id }: Place,
): Promise<ReachableSubnet[]> {
  const own = await tx.get<Network>('network', network_id)
  if (!own) return []
  const at = parseAddress(address)!
  const subnet = own.subnets.find(({ cidr }) => isInRange(at, parseRange(cidr)!))
  const routers = (await connectedBy(tx, network_id)).filter(
    (router) =>
      router.project_id === project_id &&
      router.interfaces_info.some(({ fixed_ips }) => fixed_ips.some(({ subnet_id }) => subnet_id === subnet?.id)),
  )
  const networks = new Set([network_id])
  for (const { interfaces_info, external_gateway_info } of routers) {
    for (const it of interfaces_info) networks.add(it.network_id)
    if (external_gateway_info) networks.add(external_gateway_info.network_id)
  }
  const found: ReachableSubnet[] = []
  for (const id of networks) {
    const network = id === network_id ? own : await tx.get<Network>('network', id)
    for (const { cidr, ip_version } of network?.subnets ?? [])
      if (ip_version === at.version) found.push({ network_id: id, cidr })
  }
  return found
}

/** Returns the port with this address, if it belongs to the project. */
async function portAt(tx: RecordsTransaction, place: Place, networkId: string, address: string): Promise<Port | null> {
  const holder = await holderOf(tx, networkId, address)
  const port = holder && 'port_id' in holder ? await tx.get<Port>('port', holder.port_id) : null
  return port?.project_id === place.project_id ? port : null
}

/**
 * Returns the new members of a pool. Existing members keep their IDs and health. Throws `validation` and
 * `lb_member_unreachable` errors on the field of the member. `at` is the path of the pool in the request.
 */
export async function resolveMembers(
  tx: RecordsTransaction,
  place: Place,
  drafts: readonly MemberDraft[],
  before: readonly PoolMember[],
  at = '',
): Promise<PoolMember[]> {
  if (drafts.length === 0) return []
  const subnets = await reachableSubnets(tx, place)
  const seen = new Set<string>()
  const members: PoolMember[] = []
  for (const [index, draft] of drafts.entries()) {
    const field = `${at}members.${index}.address`
    const parsed = parseAddress(draft.address)!
    if (parsed.version !== place.ip_version)
      throw fieldProblem(field, 'loadBalancing.address_version', { version: place.ip_version })
    const address = addressText(parsed)
    if (address === place.address) throw fieldProblem(field, 'loadBalancing.address_of_balancer')
    if (seen.has(address)) throw fieldProblem(field, 'loadBalancing.address_twice')
    seen.add(address)
    const subnet = subnets.find(({ cidr }) => isInRange(parsed, parseRange(cidr)!))
    const { first, last } = usable(parseRange(subnet?.cidr ?? '0.0.0.0/0')!)
    if (!subnet || parsed.value < first || parsed.value > last) {
      const ranges = subnets.slice(0, 5).map(({ cidr }) => cidr)
      throw fieldProblem(field, 'loadBalancing.member_unreachable', { ranges: ranges.join(' or ') })
    }
    const known = before.find(({ id }) => id === draft.id) ?? before.find((it) => it.address === address)
    if (draft.id !== undefined && known?.id !== draft.id)
      throw fieldProblem(`${at}members.${index}.id`, 'loadBalancing.no_such_member')
    const port = await portAt(tx, place, subnet.network_id, address)
    const isAsBefore = known?.address === address && known.enabled && draft.enabled
    members.push({
      id: known?.id ?? randomUUID(),
      address,
      name: draft.name ?? (known?.address === address && known.name !== '' ? known.name : (port?.device_name ?? '')),
      weight: draft.weight,
      enabled: draft.enabled,
      health: draft.enabled ? (isAsBefore ? known.health : 'UNKNOWN') : 'DISABLED',
      reason: isAsBefore ? known.reason : null,
      port_id: port?.id ?? null,
      instance_id: port?.device_owner === deviceOwners.instance ? port.device_id : null,
    })
  }
  const ids = new Set(members.map(({ id }) => id))
  if (ids.size < members.length) throw fieldProblem(`${at}members`, 'loadBalancing.member_twice')
  return members
}

/** Resets the health of members to unknown until they are checked again. */
export const withUnknownHealth = (members: readonly PoolMember[]): PoolMember[] =>
  members.map((member) => ({ ...member, health: member.enabled ? 'UNKNOWN' : 'DISABLED', reason: null }))
