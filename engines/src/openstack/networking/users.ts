import type { Port } from '@mainstay/contract/networking/ports'
import type { FieldMatch } from '../../ports/records'
import type { Scope } from '../../ports/scope'
import type { Engine } from '../engine'

/** An object that uses an address or security group, for display. */
interface User {
  kind: string
  id: string
  name: string
}

const mostNamed = 20

/** Returns the owner of a port, or the port itself. */
function holderOf({ id, name, device_id, device_owner, device_name }: Port): User {
  if (device_owner.startsWith('compute:')) return { kind: 'server', id: device_id, name: device_name || device_id }
  if (device_owner.startsWith('network:router_'))
    return { kind: 'router', id: device_id, name: device_name || device_id }
  if (device_owner === 'network:floatingip')
    return { kind: 'floating_ip', id: device_id, name: device_name || device_id }
  return { kind: 'port', id, name: name || id }
}

/** Returns false for ports that the cloud itself uses, which do not prevent their network from being deleted. */
const isForOthers = ({ device_owner }: Port): boolean => !/^network:(dhcp|distributed|ha_|router_ha)/.test(device_owner)

/**
 * Returns the objects that use these ports, from the index. Names only those in the caller's project, and otherwise
 * mentions only that there are others.
 */
export async function usersOf(
  engine: Pick<Engine, 'records'>,
  scope: Scope,
  where: Record<string, FieldMatch>,
  also: (port: Port) => boolean = () => true,
): Promise<{ used_by: User[]; words: string }> {
  const ports = (
    await engine.records.transaction((tx) => tx.find<Port & { [field: string]: unknown }>('port', where))
  ).filter((port) => isForOthers(port) && also(port))
  const seen = ports.filter(({ project_id }) => scope.kind === 'system' || project_id === scope.project_id)
  const users = new Map(seen.map(holderOf).map((user) => [`${user.kind} ${user.id}`, user]))
  const used_by = [...users.values()].slice(0, mostNamed)
  const names = used_by.map(({ name }) => name)
  const others = ports.length > seen.length
  const words = [...names, ...(users.size > mostNamed ? ['more'] : []), ...(others ? ['others'] : [])].join(', ')
  return { used_by, words }
}
