/*
 * The fixed part of the switch rules. Chains with hooks come last, after all sets are filled; until then the previous
 * table stays in effect.
 */

const metadataAddress = '169.254.169.254'

/** Sets in the bridge table by name, with their nft type. */
export const bridgeSets: Record<string, { kind: 'set' | 'map'; type: string }> = {
  guarded: { kind: 'set', type: 'type ifname' },
  macs: { kind: 'set', type: 'typeof iifname . ether saddr' },
  from4: { kind: 'set', type: 'typeof iifname . ip saddr' },
  pairs4: { kind: 'set', type: 'typeof iifname . ip saddr\n  flags interval' },
  own6: { kind: 'set', type: 'typeof iifname . @nh,64,128' },
  pairs6: { kind: 'set', type: 'typeof iifname . @nh,64,128\n  flags interval' },
  segments6: { kind: 'map', type: 'typeof iifname . @nh,64,64 : meta priority' },
  assigned6: { kind: 'set', type: 'typeof meta priority . @nh,128,64' },
  numbered: { kind: 'set', type: 'typeof iifname . meta mark' },
  in_number: { kind: 'map', type: 'type ifname : mark' },
  out_number: { kind: 'map', type: 'type ifname : mark' },
  limits: { kind: 'map', type: 'type ifname : limit' },
}

export const inetSets: Record<string, { kind: 'set' | 'map'; type: string }> = {
  zones: { kind: 'map', type: 'typeof iifname : ct zone' },
  egress: { kind: 'map', type: 'type mark : verdict' },
  ingress: { kind: 'map', type: 'type mark : verdict' },
}

/** Counts refused packets per sender and receiver. */
export const counters = `
 set refused_egress { type mark
  size 65535
  flags dynamic
  counter
 }
 set refused_ingress { type mark
  size 65535
  flags dynamic
  counter
 }`

/**
 * IPv6 addresses that guests chose: maps a segment number and the last 64 bits of the address to the port number.
 * `newcomers` limits how fast a port may start using new addresses.
 */
export const chosenMap = 'chosen6'
const chosenSets = `
 map ${chosenMap} { typeof meta priority . @nh,128,64 : meta mark
  size 262144
  flags dynamic,timeout
  timeout 10m
 }
 set newcomers { type ifname
  size 65535
  flags dynamic
 }`
export const filledInBridge = `${chosenSets}
 set forged { type ifname
  size 65535
  flags dynamic
  counter
 }
 set throttled { type ifname
  size 65535
  flags dynamic
  counter
 }`

/**
 * Returns if the port may use an IPv6 address, and drops the packet otherwise. The address starts at bit 64 of `base`:
 * it is the source in the network header, or the target of neighbor discovery in the transport header (after any
 * extension headers).
 *
 * An assigned address may be used only by its port. In a segment where guests choose addresses, the first port to use
 * an address keeps it until it expires unused. Adding to a map does not change existing elements, so if two ports start
 * at the same time, one of them wins; reading the map again shows which one. The packet's mark and priority temporarily
 * hold the numbers.
 */
const checkAddress = (name: string, base: '@nh' | '@th') => {
  const place = `meta priority . ${base},128,64`
  const toItsUser = `meta mark set ${place} map @${chosenMap} goto ${name}_used`
  return `
 chain ${name}_used {
  iifname . meta mark != @numbered jump forgery
  update @${chosenMap} { ${place} : meta mark }
  meta priority set 0
 }
 chain ${name}_chosen {
  ${place} @assigned6 jump forgery
  ${toItsUser}
  update @newcomers { iifname limit rate over 4/minute burst 32 packets } jump forgery
  meta mark set iifname map @in_number
  add @${chosenMap} { ${place} : meta mark }
  ${toItsUser}
  jump forgery
 }
 chain ${name} {
  iifname . ${base},64,128 @own6 return
  iifname . ${base},64,128 @pairs6 return
  meta priority set iifname . ${base},64,64 map @segments6 goto ${name}_chosen
  jump forgery
 }`
}

/**
 * Chains without hooks in the bridge table. They drop packets with a forged identity: those with the MAC, IP or ARP
 * sender address of another port, and those that only a DHCP server or IPv6 router may send. For neighbor discovery,
 * they check the target of advertisements, and of solicitations from the unspecified address, which are used for
 * duplicate address detection (DAD). Otherwise, a guest could prevent others from using their addresses. The same
 * applies to ARP probes.
 */
export const bridgeChains = `
 chain forgery { update @forged { iifname }
  drop
 }
 chain throttle { update @throttled { iifname }
  drop
 }${checkAddress('source6', '@nh')}${checkAddress('target6', '@th')}
 chain guard_arp {
  iifname . arp saddr ether != @macs jump forgery
  arp saddr ip 0.0.0.0 iifname . arp daddr ip @from4 return
  arp saddr ip 0.0.0.0 iifname . arp daddr ip @pairs4 return
  iifname . arp saddr ip @from4 return
  iifname . arp saddr ip @pairs4 return
  jump forgery
 }
 chain guard_ip4 {
  udp sport 67 udp dport 68 jump forgery
  ip saddr 0.0.0.0 udp sport 68 udp dport 67 return
  iifname . ip saddr @from4 return
  iifname . ip saddr @pairs4 return
  jump forgery
 }
 chain guard_ip6 {
  icmpv6 type { nd-router-advert, nd-redirect } jump forgery
  udp sport 547 udp dport 546 jump forgery
  icmpv6 type nd-neighbor-advert jump target6
  ip6 saddr :: icmpv6 type nd-neighbor-solicit goto target6
  ip6 saddr :: icmpv6 type { nd-router-solicit, mld-listener-report, mld2-listener-report } return
  goto source6
 }
 chain guard {
  iifname . ether saddr != @macs jump forgery
  ether type arp goto guard_arp
  ether type ip goto guard_ip4
  ether type ip6 goto guard_ip6
  jump forgery
 }`

/**
 * The metadata service identifies guests by address. A port may therefore send requests only from its own addresses and
 * receive responses only at these addresses, even if it may send from other addresses or if another interface takes
 * over its MAC. Interfaces of networks and routers have no mark. DHCP offers may have the metadata address as their
 * source.
 */
const ownMetadata = {
  asked: `meta mark != 0 ip daddr ${metadataAddress} iifname . ip saddr != @from4 jump forgery`,
  answered: `meta mark != 0 ip saddr ${metadataAddress} tcp sport 80 oifname . ip daddr != @from4 drop`,
}

/**
 * `enter` runs before br_netfilter (priority 0) passes packets to the inet family, `leave` after the bridge has
 * selected the output port.
 */
export const bridgeHooks = `
 chain enter { type filter hook prerouting priority -300; policy accept;
  iifname @guarded jump guard
  limit name iifname map @limits jump throttle
  meta mark set iifname map @in_number
  ${ownMetadata.asked}
 }
 chain leave { type filter hook forward priority -200; policy accept;
  meta mark set 0
  meta mark set oifname map @out_number
  ${ownMetadata.answered}
 }`

/**
 * Traffic that guests need to get an address is allowed regardless of security groups. Harmful variants have already
 * been dropped in the bridge family.
 */
export const inetHooks = `
 chain zone { type filter hook prerouting priority raw; policy accept;
  ct zone set iifname map @zones
 }
 chain from_port { type filter hook prerouting priority filter; policy accept;
  ct state established,related accept
  udp sport 68 udp dport 67 accept
  udp sport 546 udp dport 547 accept
  icmpv6 type { nd-router-solicit, nd-neighbor-solicit, nd-neighbor-advert, mld-listener-report, mld2-listener-report, mld-listener-done } accept
  meta mark vmap @egress
 }
 chain to_port { type filter hook forward priority filter; policy accept;
  ct state established,related accept
  udp sport 67 udp dport 68 accept
  udp sport 547 udp dport 546 accept
  icmpv6 type { nd-router-advert, nd-neighbor-solicit, nd-neighbor-advert, mld-listener-query } accept
  meta mark vmap @ingress
 }`
