import { fieldProblem } from '@mainstay/contract/core/problems'
import type { FloatingIp } from '@mainstay/contract/networking/floating-ips'
import type { Network } from '@mainstay/contract/networking/networks'
import { deviceOwners, type Port } from '@mainstay/contract/networking/ports'
import type { RecordsTransaction } from '../../ports/records'
import type { ProjectScope } from '../../ports/scope'
import { protectionOf } from './groups-of-ports'
import { cardOf, changePort, freeDnsName, releasePort, type Card, type CardHolder, type NetworkDraft } from './ports'
import { nameOfUser, now } from './rows'

/* Ports created by users. An instance uses such a port as a network interface, and the port outlives the instance. */

/** Marks a port that is kept when its instance releases it. */
const KEPT = 'kept_port'

/** Returns the network for a new interface: the given one, or that of the given port. */
export async function networkOfDraft(tx: RecordsTransaction, draft: NetworkDraft, at: string): Promise<string> {
  if (draft.port_id === undefined) return draft.id
  const port = await tx.get<Port>('port', draft.port_id)
  if (!port) throw fieldProblem(`${at}port_id`, 'networking.no_such_port')
  return port.network_id
}

const heldBy = async (tx: RecordsTransaction, port: Port, { id, name, hostName }: CardHolder) => ({
  ...{ device_id: id, device_owner: deviceOwners.instance, device_name: name },
  dns_name: await freeDnsName(tx, port.network_id, hostName, port.id),
})

/** Attaches an existing port to an instance. Its network must be locked. */
export async function takePort(
  tx: RecordsTransaction,
  scope: ProjectScope,
  { port_id = '', security_groups: named = [], spoofing_protection }: NetworkDraft,
  server: CardHolder,
  at: string,
): Promise<Card> {
  const port = await tx.lock<Port>('port', port_id)
  if (port?.project_id !== scope.project_id) throw fieldProblem(`${at}port_id`, 'networking.no_such_port')
  if (port.device_id !== '' || port.device_owner !== '')
    throw fieldProblem(`${at}port_id`, 'networking.port_is_used_by', { name: nameOfUser(port) })
  const network = await tx.get<Network>('network', port.network_id)
  if (!network) throw fieldProblem(`${at}port_id`, 'networking.network_of_port_gone')
  const asked = {
    ...(spoofing_protection !== undefined && { spoofing_protection }),
    // an empty list from a client means that no group was chosen
    ...(named.length > 0 && { security_groups: named }),
  }
  const taken = await changePort(tx, port, {
    ...(Object.keys(asked).length > 0 && (await protectionOf(tx, { scope, network, owner: scope }, asked, port, at))),
    ...(await heldBy(tx, port, server)),
  })
  await tx.putPrivate(KEPT, port.id, {})
  await tellFloatingIps(tx, taken)
  return { shown: cardOf(taken), network }
}

/** Attaches a restored instance's former port, which must still be unused. Its network must be locked. */
export async function takeFreePort(tx: RecordsTransaction, port: Port, server: CardHolder): Promise<Port> {
  if (port.device_id === server.id) return port
  const taken = await changePort(tx, port, await heldBy(tx, port, server))
  await tx.putPrivate(KEPT, port.id, {})
  await tellFloatingIps(tx, taken)
  return taken
}

/**
 * Detaches an interface from its instance: deletes the port or, if a user created it, keeps it for reuse. Idempotent.
 */
export async function releaseCard(tx: RecordsTransaction, portId: string): Promise<void> {
  if (!(await tx.getPrivate(KEPT, portId))) return releasePort(tx, portId)
  await tx.removePrivate(KEPT, portId)
  const port = await tx.lock<Port>('port', portId)
  if (!port) return
  const left = await changePort(tx, port, {
    ...{ device_id: '', device_owner: '', device_name: '', dns_name: '' },
    status: 'DOWN',
  })
  await tellFloatingIps(tx, left)
}

/** Updates the device shown by a port's floating IPs. */
export async function tellFloatingIps(tx: RecordsTransaction, port: Port): Promise<void> {
  const { device_id: object_id, device_name: object_name, device_owner } = port
  const attachment = object_id === '' ? null : { object_name, object_id, device_owner }
  for (const id of port.floating_ips) {
    const floating = await tx.lock<FloatingIp>('floating_ip', id)
    if (floating)
      await tx.put('floating_ip', { ...floating, attachment, attached_to: nameOfUser(port), updated_at: now() })
  }
}
