import { mayUseNetwork, type AccessAction } from '@mainstay/contract/networking/access'
import type { Network } from '@mainstay/contract/networking/networks'
import type { Port } from '@mainstay/contract/networking/ports'
import { fieldProblem, problem } from '@mainstay/contract/core/problems'
import type { Records, RecordsTransaction } from '../../ports/records'
import type { Scope } from '../../ports/scope'

export interface Owner {
  project_id: string
  domain_id: string
}
export const ownerOf = ({ project_id, domain_id }: Owner): Owner => ({ project_id, domain_id })

export const now = (): string => new Date().toISOString()

/** The part of the carrier that commands use. */
export interface Carried {
  carrier: { changed(): void; unavailable(): string | null }
}

/** Runs a transaction that changes networks, and applies the changes to this host after the commit. */
export async function changing<Result>(
  { records, carrier }: Carried & { records: Records },
  work: (tx: RecordsTransaction) => Promise<Result>,
): Promise<Result> {
  const result = await records.transaction(work)
  carrier.changed()
  return result
}

/*
 * Lock order: routing (routers and floating IPs), networks by ID, quotas, rows. Locking in a different order may
 * deadlock, in which case the transaction is retried.
 */
export const lockRouting = (tx: RecordsTransaction): Promise<void> => tx.exclusive('routing')
export async function lockNetworks(tx: RecordsTransaction, ids: Iterable<string>): Promise<void> {
  for (const id of [...new Set(ids)].toSorted()) await tx.exclusive(`network:${id}`)
}

/** Throws `networking_unavailable` with the reason if this host has no networking. */
export function requireNetworks({ carrier }: Carried, field?: string): void {
  const because = carrier.unavailable()
  if (because === null) return
  throw problem('networking.unavailable', { reason: because }, field === undefined ? {} : { field })
}

/**
 * Whether guests reach external networks through the host, without a router, as in the default network. Such a network
 * has no physical network and is not external.
 */
export const hasNat = ({ type, router_external, physical_network }: Network): boolean =>
  type === 'flat' && !router_external && !physical_network

/** Whether the gateway address belongs to the host rather than to a router. */
export const gatewayIsHost = (network: Network): boolean => network.router_external || hasNat(network)

/** Returns the network. Throws if it does not exist or if the scope may not use it for this action. */
export async function usableNetwork(
  tx: RecordsTransaction,
  scope: Scope,
  id: string,
  { action, field }: { action: AccessAction; field: string },
): Promise<Network> {
  const network = await tx.get<Network>('network', id)
  if (!network || !mayUseNetwork(scope, network, action)) throw fieldProblem(field, 'networking.no_such_network')
  return network
}

export const portsOf = (tx: RecordsTransaction, networkId: string): Promise<Port[]> =>
  tx.find<Port>('port', { network_id: networkId })

/** Returns names for a message, e.g. `web-1, edge and 3 more`. */
export function namesOf(names: readonly string[], most = 5): string {
  const shown = [...new Set(names)]
  const more = shown.length - most
  return more > 0 ? `${shown.slice(0, most).join(', ')} and ${more} more` : shown.join(', ')
}

export const nameOfUser = ({ device_name, name, id }: Port): string => device_name || name || id
/** Returns the devices that use ports, for `used_by` in an error. */
export const usersOf = (ports: readonly Port[]) =>
  ports
    .slice(0, 100)
    .map((port) => ({ kind: port.device_owner, id: port.device_id || port.id, name: nameOfUser(port) }))
