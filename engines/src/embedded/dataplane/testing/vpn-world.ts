import { isRoot } from '../capsule/processes'
import { vpnKeyOf } from '../../../network-model/names'
import type { WantedNetworks, WantedRouter } from '../../../network-model/wanted'
import type { TunnelReport, WantedConnection } from '../../../network-model/wanted-vpns'
import { createSampleNetworks, openBed, tryPing, type Bed } from './bed'
import { groupOf, networkOf, openOut, portOf, routerOf, wantedOf } from '../../../network-model/testing/wanted-examples'

/*
 * Two routers connected by an external network, each with a network and a guest. The right router also has an empty
 * network.
 */

export interface VpnWorld {
  bed: Bed
  /** Why tunnels are unavailable on this host; null if they are available. */
  why: string | null
  left: ReturnType<typeof routerOf>
  right: ReturnType<typeof routerOf>
  /** Port ID of the guest behind the left router. */
  guest: string
  /** Applies connections to both routers. Returns faults by connection ID. */
  apply(ofLeft: readonly WantedConnection[], ofRight: readonly WantedConnection[]): Promise<Map<string, string>>
  reportOf(connection: WantedConnection): Promise<TunnelReport | undefined>
  isUp(connection: WantedConnection): Promise<boolean>
  /** Pings the right guest from the left one: `answered` or `silent`. */
  ping(seconds?: number): Promise<string>
  /** Returns the PID of a router's strongSwan, or null if it is not running. */
  charonOf(router: WantedRouter): Promise<number | null>
}

export async function openVpnWorld(): Promise<VpnWorld> {
  const bed = await openBed({ rootless: !isRoot() })
  const outside = networkOf(['198.51.100.0/24'], { external: { vlan: null } })
  const [east, west, empty] = [networkOf(['10.40.0.0/24']), networkOf(['10.30.0.0/24']), networkOf(['10.31.0.0/24'])]
  const group = groupOf([...openOut(), {}])
  const guests = [portOf(east, 11, { securityGroups: [group.id] }), portOf(west, 11, { securityGroups: [group.id] })]
  const [left, right] = [
    routerOf([east], { network: outside, at: 11 }),
    routerOf([west, empty], { network: outside, at: 12 }),
  ]
  const stateOf = (ofLeft: readonly WantedConnection[], ofRight: readonly WantedConnection[]): WantedNetworks =>
    wantedOf({
      ...{ networks: [outside, east, west, empty], ports: guests, routers: [left, right], groups: [group] },
      vpns: [
        { routerId: left.id, connections: [...ofLeft] },
        { routerId: right.id, connections: [...ofRight] },
      ].filter(({ connections }) => connections.length > 0),
    })
  const { available, vpn } = await bed.calls.probe()
  const why = available ? (vpn.missing?.because ?? null) : 'no networks'
  if (why === null) {
    await bed.calls.apply(stateOf([], []))
    for (const { id } of guests) await bed.calls.plug(id)
    await createSampleNetworks(bed, stateOf([], []))
  }
  const guest = guests[0]!.id
  const reportOf = async ({ id }: WantedConnection) => (await bed.calls.tunnels()).get(id)
  return {
    ...{ bed, why, left, right, guest, reportOf },
    apply: async (ofLeft, ofRight) => (await bed.calls.apply(stateOf(ofLeft, ofRight))).vpns,
    isUp: async (connection) => (await reportOf(connection))?.isUp ?? false,
    ping: (seconds = 1) => bed.from(guest, tryPing('10.30.0.11', seconds)).then((said) => said.trim()),
    charonOf: async ({ id }) => {
      const said = await bed.run(
        'edge',
        `for s in /proc/[0-9]*; do read -r name <$s/comm && [ "$name" = charon ] && [ $s/cwd -ef '${bed.folder}/networks/${vpnKeyOf(id)}' ] && echo \${s#/proc/}; done 2>/dev/null`,
      )
      const pid = /^\d+$/m.exec(said)?.[0]
      return pid === undefined ? null : Number(pid)
    },
  }
}
