import { bare } from '../../../network-model/addresses'
import type { Compiled } from '../../../network-model/compile/plan'
import {
  balancerLegOf,
  balancerSpaceOf,
  bridgeOf,
  dnsLegOf,
  edgeEndOf,
  edgeLegOf,
  networkLegOf,
  networkSpaceOf,
  pairBridgeOf,
  pairLegOf,
  routerLegOf,
  routerSpaceOf,
  tapOf,
  vpnKeyOf,
} from '../../../network-model/names'
import { pairServiceOf } from '../services/pairs'
import { metadataKey } from '../services/services'
import type { TellCause } from './tell-cause'
import type { Applied, WantedNetworks } from '../../../network-model/wanted'
import type { StepFault } from './script'

interface Found {
  faults: readonly StepFault[]
  /** Faults by service key. */
  services: ReadonlyMap<string, string>
  /** Faults by connection ID. */
  vpns: ReadonlyMap<string, string>
  /** Faults by floating IP address. */
  unpublished: ReadonlyMap<string, string>
}

/** Assigns each fault to the affected object. A fault that belongs to no object is reported on every network. */
export function answerOf(
  wanted: WantedNetworks,
  plan: Compiled,
  found: Found,
  { unchanged, tell }: { unchanged: boolean; tell: TellCause },
): Applied {
  const applied: Applied = {
    networks: new Map(plan.faults.networks),
    routers: new Map(plan.faults.routers),
    ports: new Map(plan.faults.ports),
    floating: new Map(plan.faults.floating),
    balancers: new Map(plan.faults.balancers),
    vpns: new Map([...plan.faults.vpns, ...found.vpns]),
    unchanged,
  }
  const owners = new Map<string, { of: Map<string, string>; id: string }>()
  for (const { id } of wanted.networks) {
    for (const name of [bridgeOf, edgeLegOf, edgeEndOf, networkLegOf, dnsLegOf, networkSpaceOf])
      owners.set(name(id), { of: applied.networks, id })
  }
  for (const { id } of wanted.ports) owners.set(tapOf(id), { of: applied.ports, id })
  for (const { id, interfaces, gateway } of wanted.routers) {
    owners.set(routerSpaceOf(id), { of: applied.routers, id })
    for (const { portId } of [...interfaces, ...(gateway ? [gateway] : [])])
      owners.set(routerLegOf(portId), { of: applied.routers, id })
  }
  for (const { id, amphoraIds } of wanted.balancers) {
    owners.set(pairBridgeOf(id), { of: applied.balancers, id })
    for (const name of [balancerSpaceOf, balancerLegOf, pairLegOf, pairServiceOf])
      for (const amphoraId of amphoraIds) owners.set(name(amphoraId), { of: applied.balancers, id })
  }
  const blame = (name: string | null, message: string) => {
    const owner = name === null ? undefined : owners.get(name)
    if (owner) owner.of.set(owner.id, message)
    else for (const { id } of wanted.networks) if (!applied.networks.has(id)) applied.networks.set(id, message)
  }
  for (const { owner, space, message } of found.faults) {
    const isNetworksOwn = owner === null && space !== null && owners.has(space)
    blame(isNetworksOwn ? space : owner, tell('It could not be created on this host', message))
  }
  for (const [key, why] of found.services) {
    const vpn = wanted.vpns.find(({ routerId }) => vpnKeyOf(routerId) === key)
    if (vpn) {
      for (const { id } of vpn.connections) applied.vpns.set(id, tell('strongSwan is not running', why))
      continue
    }
    const owner = owners.get(key)
    if (owner?.of === applied.balancers) {
      // HAProxy faults come first and take precedence, because keepalived does not start without HAProxy
      if (!owner.of.has(owner.id)) blame(key, tell('The load balancer is not running', why))
    } else if (key !== metadataKey) blame(key, tell('DHCP and DNS are not available', why))
    else for (const { networkId } of plan.doors) applied.networks.set(networkId, tell('Metadata is not available', why))
  }
  for (const { id, address } of wanted.floating) {
    const why = applied.floating.has(id) ? undefined : found.unpublished.get(bare(address))
    if (why !== undefined) applied.floating.set(id, why)
  }
  return applied
}
