/*
 * The fixed part of the switches' rules. The chains with hooks are said last, when all that they refer to is filled: until
 * then those of the table before them serve.
 */

const metadataAddress = '169.254.169.254'

/** Sets of the bridge table, by name, with what nft is to be told of their type. */
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

/** Counts packets by what was refused, for each sender or receiver. */
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
 * Addresses of IPv6 that guests chose for themselves: which port (its number) uses an address, given by its prefix (the number of
 * `segments6`) and its last 64 bits. `newcomers` bounds how fast a port may begin to use others.
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
 * Returns if the port may use an address of IPv6, and drops the packet otherwise. The address is at bit 64 behind `base`: the source
 * in the network header, or the target of neighbour discovery in the transport header (behind extension headers, if there are any).
 *
 * An assigned address is its port's alone. In a segment where guests choose addresses, the first port that uses one keeps it until it
 * is silent. Adding to a map changes no element that exists, so of two ports that begin at the same time one is the first: the map
 * is read again to find out which. The mark and the priority of the packet hold the numbers meanwhile.
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
 * Chains of the bridge table without hooks. What a guest may not claim to be ends here: another MAC, IP or ARP sender, a
 * DHCP server, an IPv6 router. Of neighbour discovery the target of an advertisement is looked at, and that of a question from no
 * address, which is how a guest looks whether an address is free (DAD): by it a guest could keep others from their addresses. The
 * same is true of a question of ARP from no address.
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
 * The metadata service knows a guest by its address, so a port asks from its own addresses only, and gets answers to these only:
 * whatever else it may send as, and whoever takes its MAC. Legs of networks and routers have no mark. Offers of DHCP may
 * have the address of the metadata service as their source.
 */
const ownMetadata = {
  asked: `meta mark != 0 ip daddr ${metadataAddress} iifname . ip saddr != @from4 jump forgery`,
  answered: `meta mark != 0 ip saddr ${metadataAddress} tcp sport 80 oifname . ip daddr != @from4 drop`,
}

/** Before br_netfilter (priority 0) hands the packet to the inet family, and behind the switch's choice of a port. */
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
 * What guests need to have an address at all passes whatever their groups say; what they could do harm with was dropped
 * in the bridge family.
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
