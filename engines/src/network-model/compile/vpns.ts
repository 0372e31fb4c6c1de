import { bare, cidrText, readCidr, versionOf } from '../addresses'
import { routerEndOf, routerSpaceOf, tunnelDevice, vpnKeyOf } from '../names'
import type { WantedRouter } from '../wanted'
import type { WantedConnection, WantedVpn } from '../wanted-vpns'
import { userPlace, type VpnPlan } from './plan'

/*
 * A router's VPN tunnels: the strongSwan configuration, and firewall rules that let packets for a peer's ranges leave
 * only through the tunnel.
 */

/** Whether the kernel handles ESP, or strongSwan itself with its own device. */
export type Esp = 'kernel' | 'userland'

export const vpnPlan = ({ routerId, connections }: WantedVpn, esp: Esp): VpnPlan => ({
  routerId,
  key: vpnKeyOf(routerId),
  space: routerSpaceOf(routerId),
  config: configOf(connections, esp),
  connections,
})

/**
 * Returns the retransmission settings that meet the shortest dead peer timeout of all connections: the initial wait in
 * seconds, its growth factor, and the number of retries.
 */
export function retransmission(connections: readonly WantedConnection[]): {
  timeout: number
  base: number
  tries: number
} {
  const asked = connections.filter(({ dpd }) => dpd.action !== 'disabled')
  const within = Math.min(60, ...asked.map(({ dpd }) => dpd.timeout - dpd.interval))
  const base = 1.4
  const timeout = Math.min(2, Math.max(0.2, within / 4))
  let tries = 0
  for (let total = timeout; total + timeout * base ** (tries + 1) <= within; tries++)
    total += timeout * base ** (tries + 1)
  return { timeout, base, tries: Math.max(1, tries) }
}

/** Contains no keys. */
function configOf(connections: readonly WantedConnection[], esp: Esp): string {
  const { timeout, base, tries } = retransmission(connections)
  const plugins = [
    ...['random', 'nonce', 'openssl', 'pem', 'pkcs1', 'pubkey', 'x509', 'constraints', 'kdf'],
    ...(esp === 'userland' ? ['kernel-libipsec'] : []),
    ...['kernel-netlink', 'socket-default', 'vici'],
  ]
  return `charon {
  load = ${plugins.join(' ')}
  load_modular = no
  user = ${userPlace}
  group = ${userPlace}
  port = 500
  port_nat_t = 4500
  install_routes = yes
  retransmit_timeout = ${timeout}
  retransmit_base = ${base}
  retransmit_tries = ${tries}
  filelog {
    stdout {
      flush_line = yes
      default = -1
      dmn = 0
      lib = 0
      knl = 0
      net = 0
    }
  }
  plugins {
    vici {
      socket = unix://vici.sock
    }
  }
}
`
}

/** Firewall rules for the tunnels of a router, by chain. */
export interface VpnRules {
  counters: string[]
  /** Placed first in the forward chain. */
  forward: string[]
  /** Placed before address translation. */
  source: string[]
  input: string[]
}

export const noVpnRules: VpnRules = { counters: [], forward: [], source: [], input: [] }

/** Returns the name of the counter for packets that are dropped because their tunnel is not up yet. */
export const waitingCounterOf = (id: string) => `waits_${id.replaceAll('-', '')}`

export function vpnRules({ gateway }: WantedRouter, vpn: WantedVpn | undefined, esp: Esp): VpnRules {
  if (!vpn || !gateway) return noVpnRules
  const outside = `"${routerEndOf(gateway.portId)}"`
  const [isOut, isIn, notOut] =
    esp === 'userland'
      ? [`oifname "${tunnelDevice}"`, `iifname "${tunnelDevice}"`, `oifname != "${tunnelDevice}"`]
      : [`oifname ${outside} rt ipsec exists`, `iifname ${outside} meta secpath exists`, 'rt ipsec missing']
  const pairs = vpn.connections.flatMap(({ id, local, remote }) =>
    ([4, 6] as const).flatMap((version) => {
      const [here, there] = [local, remote].map((all) => all.filter((cidr) => readCidr(cidr).version === version))
      return here!.length > 0 && there!.length > 0
        ? [{ id, family: version === 4 ? 'ip' : 'ip6', here: listed(here!), there: listed(there!) }]
        : []
    }),
  )
  return {
    counters: vpn.connections.map(({ id }) => ` counter ${waitingCounterOf(id)} { }`),
    forward: [
      `  ${isOut} tcp flags syn tcp option maxseg size set rt mtu`,
      // packets for the peer's ranges go through the tunnel or are dropped
      ...pairs.map(
        ({ id, family, here, there }) =>
          `  ${family} saddr ${here} ${family} daddr ${there} ${notOut} counter name "${waitingCounterOf(id)}" drop`,
      ),
      ...pairs.map(({ family, here, there }) => `  ${isIn} ${family} saddr ${there} ${family} daddr ${here} accept`),
      `  ${isIn} drop`,
    ],
    source: [`  ${isOut} accept`],
    input: [
      ...peersOf(vpn).map(
        ([family, peers]) => `  iifname ${outside} ${family} saddr ${peers} udp dport { 500, 4500 } accept`,
      ),
      ...(esp === 'kernel' ? [`  iifname ${outside} meta l4proto esp accept`] : []),
    ],
  }
}

const listed = (cidrs: readonly string[]) => `{ ${cidrs.map((cidr) => cidrText(readCidr(cidr))).join(', ')} }`

/** Returns the addresses of the peers. Only these addresses may connect. */
function peersOf({ connections }: WantedVpn): [family: string, peers: string][] {
  const all = [...new Set(connections.map(({ peerAddress }) => bare(peerAddress)))]
  return ([4, 6] as const).flatMap((version): [string, string][] => {
    const some = all.filter((address) => versionOf(address) === version)
    return some.length === 0 ? [] : [[version === 4 ? 'ip' : 'ip6', `{ ${some.join(', ')} }`]]
  })
}
