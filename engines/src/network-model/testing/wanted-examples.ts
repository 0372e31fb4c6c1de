import { randomUUID } from 'node:crypto'
import type {
  WantedFloatingIp,
  WantedGroup,
  WantedNetwork,
  WantedNetworks,
  WantedPort,
  WantedRouter,
  WantedRule,
  WantedSubnet,
} from '../wanted'

/* Wanted states for specs, with defaults for all omitted fields. */

let last = 0
export const macFor = () => {
  const hex = (++last).toString(16).padStart(6, '0')
  return `52:54:00:${hex.slice(0, 2)}:${hex.slice(2, 4)}:${hex.slice(4, 6)}`
}

const nth = (cidr: string, at: number): string => {
  const base = cidr.split('/')[0]!
  return base.includes(':') ? `${base}${at}` : `${base.split('.').slice(0, 3).join('.')}.${at}`
}

export const subnetOf = (cidr: string, change: Partial<WantedSubnet> = {}): WantedSubnet => ({
  ...{ id: randomUUID(), cidr, version: cidr.includes(':') ? 6 : 4, gateway: nth(cidr, 1), dhcp: true },
  ...{ mode: cidr.includes(':') ? 'slaac' : null, pools: [], nameServers: [], serviceAddress: nth(cidr, 2) },
  ...change,
})

export const networkOf = (cidrs: (string | WantedSubnet)[], change: Partial<WantedNetwork> = {}): WantedNetwork => ({
  ...{ id: randomUUID(), mtu: 1450, up: true, external: null, nat: false, spoofingProtection: true },
  ...{ subnets: cidrs.map((cidr) => (typeof cidr === 'string' ? subnetOf(cidr) : cidr)), dnsDomain: 'cloud.internal' },
  ...change,
})

/** Returns the port of an instance, with this host number in each subnet. */
export const portOf = ({ id, subnets }: WantedNetwork, at: number, change: Partial<WantedPort> = {}): WantedPort => ({
  ...{ id: randomUUID(), networkId: id, mac: macFor(), addresses: subnets.map(({ cidr }) => nth(cidr, at)) },
  ...{ hostname: `host-${at}`, owner: 'instance', up: true, spoofingProtection: true, securityGroups: [], rate: null },
  ...change,
})

export const ruleOf = (change: Partial<WantedRule> = {}): WantedRule => ({
  ...{ id: randomUUID(), direction: 'ingress', version: 4, protocol: null, portMin: null, portMax: null, remote: null },
  ...change,
})

export const groupOf = (rules: Partial<WantedRule>[], id: string = randomUUID()): WantedGroup => ({
  ...{ id, stateful: true },
  rules: rules.map(ruleOf),
})

/** Returns the rules that allow all egress. Specs add rules that allow ingress. */
export const openOut = (): Partial<WantedRule>[] => [{ direction: 'egress' }, { direction: 'egress', version: 6 }]

/** Returns a router with the gateway address of each network, and an optional external gateway. */
export function routerOf(
  inside: WantedNetwork[],
  outside: { network: WantedNetwork; at: number; snat?: boolean } | null,
  change: Partial<WantedRouter> = {},
): WantedRouter {
  const prefixed = (address: string, cidr: string) => `${address}/${cidr.split('/')[1]}`
  return {
    ...{ id: randomUUID(), up: true, routes: [] },
    interfaces: inside.map(({ id, subnets }) => ({
      ...{ portId: randomUUID(), networkId: id, mac: macFor() },
      addresses: subnets.flatMap(({ gateway, cidr }) => (gateway === null ? [] : [prefixed(gateway, cidr)])),
    })),
    gateway: outside && {
      ...{ portId: randomUUID(), networkId: outside.network.id, mac: macFor() },
      ...{ snat: outside.snat ?? true, snatSix: outside.snat ?? true },
      addresses: outside.network.subnets.map(({ cidr }) => prefixed(nth(cidr, outside.at), cidr)),
    },
    ...change,
  }
}

export const floatingOf = (
  address: string,
  router: WantedRouter,
  port: WantedPort,
  change: Partial<WantedFloatingIp> = {},
): WantedFloatingIp => ({
  ...{
    id: randomUUID(),
    address,
    routerId: router.id,
    portId: port.id,
    fixedAddress: port.addresses[0]!,
    published: [],
  },
  ...change,
})

export const wantedOf = (change: Partial<WantedNetworks>): WantedNetworks => ({
  ...{ networks: [], ports: [], routers: [], groups: [], floating: [], balancers: [], vpns: [] },
  ...change,
})
