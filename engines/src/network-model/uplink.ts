/*
 * What is inside a capsule: one device to the outside, and rules about what may be reached by it. All of it is text for
 * `ip -batch`.
 */

/** Of the range for tests of network equipment (RFC 2544), which no network of the host's should use. */
export const uplink = {
  device: 'up0',
  network: '198.18.127.0/24',
  gateway: '198.18.127.2',
  /** slirp4netns passes questions to the name server of the host. */
  nameServer: '198.18.127.3',
  address: '198.18.127.100',
  /** slirp4netns has these two of IPv6, and takes no others. */
  gatewaySix: 'fd00::2',
  nameServerSix: 'fd00::3',
  addressSix: 'fd00::100',
  mtu: 65_520,
}

/** The table of what is refused; it is asked before all others, but for the next one. */
const refusedTable = 100
/** Routes into networks that the edge leads out of: asked before those that are refused. */
export const insideTable = 90

/**
 * Never reached, whatever the host is called: the capsule's own loopback (sockets of other guests are there), the
 * host's (`slirp4netns` has it at the gateway), its neighbours by link-local addresses, among them the metadata of a
 * cloud that it is itself a guest of, and multicast, which the host hears too.
 */
const alwaysRefused = [
  ...['0.0.0.0/8', '127.0.0.0/8', '169.254.0.0/16', '224.0.0.0/4', '240.0.0.0/4'],
  ...[uplink.gateway, uplink.nameServer, uplink.address],
]

/**
 * Of IPv6 only what is routed on the internet or within an organisation leads out, so neither loopbacks nor IPv4 in other words
 * (`::ffff:127.0.0.1`); `throw` goes on to what is asked next. Those of 6to4 and Teredo have an address of IPv4 in them as well.
 */
const openSix = ['2000::/3', 'fc00::/7', 'fe80::/10', 'ff00::/8']
const alwaysRefusedSix = [
  ...['::/0', '2001::/32', '2002::/16'],
  ...[uplink.gatewaySix, uplink.nameServerSix, uplink.addressSix],
]

/**
 * Said once in a new capsule. Answers from outside are let in. The name server of the host may be the host itself: at
 * its address there is nothing but DNS.
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

/** The same for IPv6, of whose multicast nothing but what the capsule's own devices need to find neighbours is sent. */
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

/** Marks packets of connections that came by a published port: their answers go to the uplink's own address. */
export const publishedMark = 0x7fffffff

/** What the edge of networks needs beside it, by its place among the rules. */
export const edgeRules: Readonly<Record<number, string>> = {
  6: 'to 169.254.169.254 lookup local',
  7: `fwmark ${publishedMark} lookup main`,
  15: `lookup ${insideTable}`,
}

/** Brings the device up, after what is refused was said. May be said again. */
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

/** What `ip route` is told to list what is refused now, and its answer. */
export const listRefused = (version: 4 | 6) => [`-${version}`, 'route', 'show', 'table', String(refusedTable)]
export const refusedIn = (listed: string): string[] =>
  [...listed.matchAll(/^prohibit (\S+)/gm)].map(([, address = '']) => (address === 'default' ? '::/0' : address))

/** What to say so that these addresses of the host are refused, and no longer those that it had before. */
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
