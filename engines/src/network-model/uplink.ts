/*
 * The IP setup of a capsule: one uplink device, and rules that define which addresses can be reached through it. The
 * commands are in the format of `ip -batch`.
 */

/** Addresses from the benchmarking range (RFC 2544), which the host's networks should not use. */
export const uplink = {
  device: 'up0',
  network: '198.18.127.0/24',
  gateway: '198.18.127.2',
  /** slirp4netns forwards queries to the host's name server. */
  nameServer: '198.18.127.3',
  address: '198.18.127.100',
  /** slirp4netns has these two fixed IPv6 addresses. */
  gatewaySix: 'fd00::2',
  nameServerSix: 'fd00::3',
  addressSix: 'fd00::100',
  mtu: 65_520,
}

/** Table of refused addresses. It is looked up before all other tables except `insideTable`. */
const refusedTable = 100
/** Table of routes into the networks behind the edge. It is looked up before the refused addresses. */
export const insideTable = 90

/**
 * Never reachable: the capsule's own loopback (with sockets of other guests), the host's loopback (`slirp4netns`
 * exposes it at the gateway), the host's link-local neighbors (including the metadata service if the host itself runs
 * in a cloud), and multicast, which the host also receives.
 */
const alwaysRefused = [
  ...['0.0.0.0/8', '127.0.0.0/8', '169.254.0.0/16', '224.0.0.0/4', '240.0.0.0/4'],
  ...[uplink.gateway, uplink.nameServer, uplink.address],
]

/**
 * For IPv6, only globally or privately routed ranges are allowed, which excludes loopback and IPv4-mapped addresses
 * (`::ffff:127.0.0.1`); `throw` continues with the next table. 6to4 and Teredo addresses embed an IPv4 address, so they
 * are also refused.
 */
const openSix = ['2000::/3', 'fc00::/7', 'fe80::/10', 'ff00::/8']
const alwaysRefusedSix = [
  ...['::/0', '2001::/32', '2002::/16'],
  ...[uplink.gatewaySix, uplink.nameServerSix, uplink.addressSix],
]

/**
 * Applied once to a new capsule. Responses from outside are allowed. The host's name server may be the host itself,
 * so only DNS is reachable at its address.
 */
export const rulesOnce = `
rule add pref 5 iif ${uplink.device} lookup local
rule add pref 10 to ${uplink.nameServer} ipproto udp dport 53 lookup main
rule add pref 11 to ${uplink.nameServer} ipproto tcp dport 53 lookup main
rule add pref 20 lookup ${refusedTable}
rule add pref 30 lookup local
rule del pref 0
${alwaysRefused.map((address) => `route add prohibit ${address} table ${refusedTable}`).join('\n')}
`

/** The same rules for IPv6. Multicast is limited to the neighbor discovery of the capsule's own devices. */
export const rulesOnceSix = `
rule add pref 5 iif ${uplink.device} lookup local
rule add pref 15 lookup ${insideTable}
rule add pref 18 iif lo to ff00::/8 prohibit
rule add pref 20 lookup ${refusedTable}
rule add pref 30 lookup local
rule del pref 0
${openSix.map((range) => `route add throw ${range} table ${refusedTable}`).join('\n')}
${alwaysRefusedSix.map((address) => `route add prohibit ${address} table ${refusedTable}`).join('\n')}
`

/** Marks connections that came in through a published port, because their responses go to the uplink's own address. */
export const publishedMark = 0x7fffffff

/** Additional routing rules for the edge, by priority. */
export const edgeRules: Readonly<Record<number, string>> = {
  6: 'to 169.254.169.254 lookup local',
  7: `fwmark ${publishedMark} lookup main`,
  15: `lookup ${insideTable}`,
}

/** Brings the uplink up once the refused addresses are set. Idempotent. */
export const bringUp = `
link set dev ${uplink.device} mtu ${uplink.mtu} up
address replace ${uplink.address}/24 dev ${uplink.device}
route replace default via ${uplink.gateway} dev ${uplink.device}
`

/** The same for IPv6. */
export const bringUpSix = `
address replace ${uplink.addressSix}/128 dev ${uplink.device} nodad
route replace ${uplink.gatewaySix}/128 dev ${uplink.device}
route replace default via ${uplink.gatewaySix} dev ${uplink.device}
`

/** Returns the arguments of `ip route` to list the refused addresses, and the parser of its output. */
export const listRefused = (version: 4 | 6) => [`-${version}`, 'route', 'show', 'table', String(refusedTable)]
export const refusedIn = (listed: string): string[] =>
  [...listed.matchAll(/^prohibit (\S+)/gm)].map(([, address = '']) => (address === 'default' ? '::/0' : address))

/** Returns the commands that refuse the host's current addresses, and no longer refuse its previous ones. */
export function refuseInstead(version: 4 | 6, before: readonly string[], own: readonly string[]): string {
  const wanted = new Set([
    ...(version === 4 ? alwaysRefused : alwaysRefusedSix),
    ...own.filter((address) => address.includes(':') === (version === 6)),
  ])
  return [
    ...[...wanted]
      .filter((address) => !before.includes(address))
      .map((address) => `route replace prohibit ${address} table ${refusedTable}`),
    ...before
      .filter((address) => !wanted.has(address))
      .map((address) => `route del prohibit ${address} table ${refusedTable}`),
  ].join('\n')
}
