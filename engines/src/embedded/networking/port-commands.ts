import { says, type RuleText } from '@mainstay/contract/core/said'
import { isOfLoadBalancer } from '@mainstay/contract/networking/device-owners'
import type { Instance, InstanceInterfaceChange } from '@mainstay/contract/compute/instances'
import { networksOf } from '@mainstay/contract/compute/instances'
import { fieldProblem, problem, problemOf } from '@mainstay/contract/core/problems'
import type { Network } from '@mainstay/contract/networking/networks'
import { deviceOwners, type Port, type PortChange, type PortDraft } from '@mainstay/contract/networking/ports'
import type { PortsPort } from '../../ports/networking'
import type { RecordsTransaction } from '../../ports/records'
import type { ProjectScope, Scope } from '../../ports/scope'
import { getOwn } from '../access'
import { getPlan, putPlan } from '../rows/instance-plan'
import type { Engine } from '../engine'
import { checkQuotas } from '../quotas'
import { giveBack, takeAddresses } from './addresses'
import { protectionOf } from './groups-of-ports'
import { cardOf, changePort, nicOf, putPort, releasePort } from './ports'
import { moveLeg } from './router-interfaces'
import {
  changing,
  hasNat,
  lockNetworks,
  nameOfUser,
  now,
  ownerOf,
  requireNetworks,
  usableNetwork,
  usersOf,
  type Owner,
} from './rows'

/** Fields that only operators may set. */
const ofOperators = ['device_id', 'device_owner', 'binding:host_id'] as const

function refuseOthersWords(scope: Scope, said: PortDraft | PortChange, before: Partial<Port>): void {
  for (const field of ofOperators) {
    const value = said[field]
    if (value === undefined || value === (before[field] ?? '') || scope.kind === 'system') continue
    throw fieldProblem(field, 'networking.operators_only')
  }
  if (said['binding:vnic_type'] === 'direct') throw fieldProblem('binding:vnic_type', 'networking.no_direct_interfaces')
}

/** Returns the owner of a new port; an operator may create it for another project. */
async function ownerFor(tx: RecordsTransaction, scope: ProjectScope, projectId: string | undefined): Promise<Owner> {
  if (projectId === undefined || projectId === scope.project_id) return ownerOf(scope)
  if (scope.kind !== 'system') throw fieldProblem('project_id', 'networking.ports_of_others')
  const project = await tx.get<{ id: string; domain_id: string }>('project', projectId)
  if (!project) throw fieldProblem('project_id', 'identity.no_such_project')
  return { project_id: projectId, domain_id: project.domain_id }
}

const createPort = (engine: Engine, scope: ProjectScope, draft: PortDraft): Promise<Port> =>
  changing(engine, async (tx) => {
    refuseOthersWords(scope, draft, {})
    const network = await usableNetwork(tx, scope, draft.network_id, { action: 'direct', field: 'network_id' })
    if (!hasNat(network)) requireNetworks(engine, 'network_id')
    const owner = await ownerFor(tx, scope, draft.project_id)
    await lockNetworks(tx, [network.id])
    await checkQuotas(engine, tx, owner, { ports: { amount: 1, field: 'network_id' } })
    const before = { spoofing_protection: network.spoofing_protection, security_groups: [] }
    const { name, description, admin_state_up, tags } = draft
    const port = await putPort(
      tx,
      {
        ...{ network, owner, mac: draft.mac_address ?? null, addresses: draft.fixed_ips ?? null },
        ...(name !== undefined && { name }),
        ...(description !== undefined && { description }),
        ...(admin_state_up !== undefined && { admin_state_up }),
        tags: [...new Set(tags)],
        device: { id: draft.device_id ?? '', owner: draft.device_owner ?? '', name: '' },
        protection: await protectionOf(tx, { scope, network, owner }, draft, before, ''),
      },
      { network: 'network_id', addresses: 'fixed_ips', mac: 'mac_address' },
    )
    return port
  })

/** Fields that clients may send but not change. */
const settledOfPort = ['network_id', 'mac_address', 'project_id'] as const

const isOfNetworking = ({ device_owner }: Port) => device_owner.startsWith('network:') || isOfLoadBalancer(device_owner)
const isOfInstance = ({ device_owner }: Port) => device_owner === deviceOwners.instance

const changePortOf = (engine: Engine, scope: Scope, id: string, change: PortChange): Promise<Port> =>
  changing(engine, async (tx) => {
    const seen = await getOwn<Port>(tx, 'port', scope, id)
    for (const field of settledOfPort)
      if (change[field] !== undefined && change[field] !== seen[field])
        throw fieldProblem(field, 'networking.field_is_fixed', { value: seen[field] })
    refuseOthersWords(scope, change, seen)
    const { name, description, admin_state_up, tags, fixed_ips, device_id, device_owner } = change
    const isLeg = seen.device_owner === deviceOwners.routerInterface
    if (isOfNetworking(seen) && (admin_state_up === false || (fixed_ips && !isLeg) || change.security_groups))
      throw problem('networking.port_belongs_to', { name: nameOfUser(seen) })
    if (isOfInstance(seen) && ((device_id ?? seen.device_id) !== seen.device_id || (device_owner ?? '') === ''))
      if (device_id !== undefined || device_owner !== undefined)
        throw fieldProblem('device_id', 'networking.detach_port')
    const server = isOfInstance(seen) ? await tx.lock<Instance>('server', seen.device_id) : null
    const port =
      isLeg && fixed_ips
        ? await moveLeg(tx, seen, fixed_ips)
        : await changeLinks(engine, tx, scope, { seen, server, change, at: '' })
    const changed = await changePort(tx, port, {
      ...(name !== undefined && { name }),
      ...(description !== undefined && { description }),
      ...(admin_state_up !== undefined && { admin_state_up }),
      ...(tags && { tags: [...new Set(tags)] }),
      ...(device_id !== undefined && { device_id }),
      ...(device_owner !== undefined && { device_owner }),
      ...(change['binding:host_id'] !== undefined && { 'binding:host_id': change['binding:host_id'] }),
    })
    return changed
  })

/**
 * Changes the addresses and protection of a port and its interface. Guests get their addresses at startup, so the
 * instance must be shut down before its addresses are changed. `server` must be locked.
 */
export async function changeLinks(
  engine: Engine,
  tx: RecordsTransaction,
  scope: Scope,
  {
    seen,
    server,
    change,
    at,
  }: {
    seen: Port
    server: Instance | null
    change: Pick<PortChange, 'fixed_ips' | 'spoofing_protection' | 'security_groups'> | InstanceInterfaceChange
    at: string
  },
): Promise<Port> {
  const asked = change.fixed_ips
  if (asked) await lockNetworks(tx, [seen.network_id])
  const port = await tx.lock<Port>('port', seen.id)
  if (!port) throw problem('networking.port_deleted')
  const network = await tx.get<Network>('network', port.network_id)
  if (!network) throw fieldProblem(`${at}fixed_ips`, 'networking.network_of_interface_gone')
  const isMoved = asked !== undefined && !isSame(asked, port.fixed_ips)
  if (isMoved && server && (server.status !== 'SHUTOFF' || server.task_state !== null)) {
    throw problem('networking.shut_down_first', {}, { data: { status: server.status } })
  }
  if (isMoved && port.floating_ips.length > 0) throw fieldProblem(`${at}fixed_ips`, 'networking.port_has_floating_ip')
  const isProtected = change.spoofing_protection !== undefined || change.security_groups !== undefined
  const changed = await changePort(tx, port, {
    ...(isMoved && { fixed_ips: await moved(tx, port, network, asked, `${at}fixed_ips`) }),
    ...(isProtected && (await protectionOf(tx, { scope, network, owner: port }, change, port, at))),
  })
  if (server) await showCard(tx, server, changed, network)
  return changed
}

const isSame = (asked: readonly { ip_address: string }[], known: Port['fixed_ips']) =>
  asked.length === known.length && known.every((it) => asked.some(({ ip_address }) => ip_address === it.ip_address))

/** Replaces the addresses of a port. The current addresses are released first, so that they can be requested again. */
async function moved(
  tx: RecordsTransaction,
  port: Port,
  network: Network,
  asked: readonly { ip_address: string; subnet_id?: string | undefined }[],
  field: string,
): Promise<Port['fixed_ips']> {
  await giveBack(
    tx,
    network.id,
    port.fixed_ips.map(({ ip_address }) => ip_address),
  )
  const holder = { port_id: port.id }
  return takeAddresses(tx, asked, port.mac_address, { network, holder, field, askedField: field })
}

async function showCard(tx: RecordsTransaction, server: Instance, port: Port, network: Network): Promise<void> {
  const shown = cardOf(port)
  const cards = server.network_data.map((card) => (card.port_id === port.id ? shown : card))
  const plan = await getPlan(tx, server.id)
  const nics = plan.nics.map((nic) => (nic.id === port.id ? nicOf(shown, network) : nic))
  await putPlan(tx, server.id, { ...plan, nics })
  await tx.put('server', { ...server, network_data: cards, networks: networksOf(cards), updated: now() })
}

const deletePort = (engine: Engine, scope: Scope, id: string): Promise<void> =>
  changing(engine, async (tx) => {
    const port = await getOwn<Port>(tx, 'port', scope, id)
    const inUse = (what: RuleText) => problemOf(what, { data: { used_by: usersOf([port]) } })
    if (port.device_id !== '') throw inUse(says('networking.port_in_use_by', { name: nameOfUser(port) }))
    await lockNetworks(tx, [port.network_id])
    const locked = await tx.lock<Port>('port', id)
    if (locked && locked.floating_ips.length > 0) throw inUse(says('networking.port_has_floating_ip_now'))
    await releasePort(tx, id)
  })

export const portCommands = (engine: Engine): PortsPort => ({
  create: (scope, draft) => createPort(engine, scope, draft),
  update: (scope, id, change) => changePortOf(engine, scope, id, change),
  delete: (scope, id) => deletePort(engine, scope, id),
})
