import { randomBytes, randomUUID } from 'node:crypto'
import type { InstanceDraft, InstanceInterface } from '@mainstay/contract/compute/instances'
import { badField } from '@mainstay/contract/core/problems'
import { isSharedWith, readersOf } from '@mainstay/contract/core/readers'
import { networkKind, type Network } from '@mainstay/contract/networking/networks'
import type { Subnet } from '@mainstay/contract/networking/subnets'
import type { RecordsTransaction } from '../../ports/records'
import type { ProjectScope } from '../../ports/scope'
import { isIpv4, rangeOf, toAddress, toNumber } from './ipv4'

export type NetworkDraft = InstanceDraft['networks'][number]

/** A network card on record: what the API shows, and what the hypervisor needs beside it. */
export interface Port {
  shown: InstanceInterface
  cidr: string
}
interface PortRecord {
  server_id: string
  addresses: string[]
  mac: string
}

const addressKey = (networkId: string, address: string) => `${networkId}/${address}`

/**
 * Gives an instance a card: an address and a MAC that no other card has, chosen or as asked. `at` is the place of
 * the draft in what was sent (`networks.0.`), for the fields of a refusal.
 */
export async function allocatePort(
  tx: RecordsTransaction,
  scope: ProjectScope,
  draft: NetworkDraft,
  serverId: string,
  at: string,
): Promise<Port> {
  const network = await tx.get<Network>('network', draft.id)
  const mayUse =
    network &&
    (scope.kind === 'system' ||
      network.project_id === scope.project_id ||
      isSharedWith(scope, readersOf(networkKind, network)))
  if (!mayUse) throw badField(`${at}id`, 'This network does not exist')
  refuseUnprotected(draft, at)
  const { subnets } = network
  await tx.exclusive(`network:${network.id}`)

  const id = randomUUID()
  const asked = draft.fixed_ips.map((ip) => ip.ip_address)
  const fixedIps =
    asked.length > 0
      ? await takeAsked(tx, network, subnets, asked, id, `${at}fixed_ips`)
      : await takeFree(tx, network, subnets, id, `${at}id`)
  const mac = draft.mac ?? (await freeMac(tx))
  if (await tx.getPrivate('mac', mac)) throw badField(`${at}mac`, 'Another network card has this address', 'conflict')
  await tx.putPrivate('mac', mac, { port_id: id })
  const record: PortRecord = {
    server_id: serverId,
    addresses: fixedIps.map((ip) => addressKey(network.id, ip.ip_address)),
    mac,
  }
  await tx.putPrivate('port', id, record)
  const subnet = subnets.find((one) => one.id === fixedIps[0]?.subnet_id) ?? subnets[0]
  return {
    shown: {
      id,
      port_id: id,
      network_id: network.id,
      network_name: network.name,
      mac_addr: mac,
      fixed_ips: fixedIps,
      spoofing_protection: true,
    },
    cidr: subnet?.cidr ?? '10.0.2.0/24',
  }
}

/** Cards here send from their own addresses only, and nothing filters what they are sent. */
export function refuseUnprotected(
  { spoofing_protection, security_groups = [] }: Pick<NetworkDraft, 'spoofing_protection' | 'security_groups'>,
  at: string,
): void {
  if (spoofing_protection === false)
    throw badField(`${at}spoofing_protection`, 'Spoofing protection cannot be switched off here', 'unsupported')
  if (security_groups.length > 0)
    throw badField(`${at}security_groups`, 'There are no security groups here', 'unsupported')
}

/** Gives a card another address of its network, and the one that it had back. */
export async function moveAddress(tx: RecordsTransaction, card: InstanceInterface, asked: string[]): Promise<Port> {
  const network = await tx.get<Network>('network', card.network_id)
  const port = await tx.getPrivate<PortRecord>('port', card.port_id)
  if (!network || !port) throw badField('fixed_ips', 'The network of this card does not exist any more', 'conflict')
  await tx.exclusive(`network:${network.id}`)
  const fixedIps = await takeAsked(tx, network, network.subnets, asked, card.port_id, 'fixed_ips')
  for (const key of port.addresses) await tx.removePrivate('address', key)
  const addresses = fixedIps.map((ip) => addressKey(network.id, ip.ip_address))
  await tx.putPrivate('port', card.port_id, { ...port, addresses } satisfies PortRecord)
  const subnet = network.subnets.find((one) => one.id === fixedIps[0]?.subnet_id)
  return { shown: { ...card, fixed_ips: fixedIps }, cidr: subnet?.cidr ?? '10.0.2.0/24' }
}

/** Gives a card's address and MAC back. Twice is no error. */
export async function releasePort(tx: RecordsTransaction, portId: string): Promise<void> {
  const port = await tx.getPrivate<PortRecord>('port', portId)
  if (!port) return
  for (const key of port.addresses) await tx.removePrivate('address', key)
  await tx.removePrivate('mac', port.mac)
  await tx.removePrivate('port', portId)
}

type FixedIp = InstanceInterface['fixed_ips'][number]

async function takeAsked(
  tx: RecordsTransaction,
  network: Network,
  subnets: Subnet[],
  asked: string[],
  portId: string,
  field: string,
): Promise<FixedIp[]> {
  if (asked.length > 1) throw badField(field, 'A network card gets one address in this network')
  const address = asked[0]!
  const subnet = subnets.find(({ cidr }) => {
    const { first, last } = rangeOf(cidr)
    return isIpv4(address) && toNumber(address) > first && toNumber(address) < last
  })
  if (!subnet) {
    throw badField(
      field,
      `Use an address of ${subnets.map(({ cidr }) => cidr).join(' or ') || 'a subnet of the network'}`,
    )
  }
  const isTaken =
    address === subnet.gateway_ip ||
    subnet.dns_nameservers.includes(address) ||
    (await tx.getPrivate('address', addressKey(network.id, address))) !== null
  if (isTaken) throw badField(field, 'This address is in use', 'ip_address_in_use')
  await tx.putPrivate('address', addressKey(network.id, address), { port_id: portId })
  return [{ subnet_id: subnet.id, ip_address: address }]
}

/** The next free address after the one that was given out last, round and round the pool. */
async function takeFree(
  tx: RecordsTransaction,
  network: Network,
  subnets: Subnet[],
  portId: string,
  field: string,
): Promise<FixedIp[]> {
  for (const subnet of subnets.filter(({ ip_version }) => ip_version === 4)) {
    const pools = subnet.allocation_pools.map(({ start, end }) => ({ start: toNumber(start), end: toNumber(end) }))
    const size = pools.reduce((sum, { start, end }) => sum + end - start + 1, 0)
    const from = (await tx.getPrivate<{ next: number }>('subnet', subnet.id))?.next ?? 0
    for (let tried = 0; tried < size; tried++) {
      const place = (from + tried) % size
      const address = toAddress(nthOf(pools, place))
      if (await tx.getPrivate('address', addressKey(network.id, address))) continue
      await tx.putPrivate('address', addressKey(network.id, address), { port_id: portId })
      await tx.putPrivate('subnet', subnet.id, { next: (place + 1) % size })
      return [{ subnet_id: subnet.id, ip_address: address }]
    }
  }
  throw badField(field, 'This network has no free address', 'conflict')
}

function nthOf(pools: { start: number; end: number }[], place: number): number {
  let left = place
  for (const { start, end } of pools) {
    if (left <= end - start) return start + left
    left -= end - start + 1
  }
  throw new Error('the place is outside the pools')
}

async function freeMac(tx: RecordsTransaction): Promise<string> {
  for (;;) {
    const mac = `52:54:00:${[...randomBytes(3)].map((byte) => byte.toString(16).padStart(2, '0')).join(':')}`
    if (!(await tx.getPrivate('mac', mac))) return mac
  }
}
