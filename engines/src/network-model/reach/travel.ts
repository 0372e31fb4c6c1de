import type { Packet } from '../compile/match'
import type { MissingRule, ReachObstacle, ReachStep } from './types'
import type { WantedRouter } from '../wanted'

/* A packet in transit, with its address translations. */

/** Protocol numbers of the supported protocols, by name. */
export const numbers = { icmp: 1, tcp: 6, udp: 17, icmpv6: 58 }

/** Returns the rule that would allow a packet. */
export function missingRule({ version, protocol: number, port }: Packet): MissingRule {
  const protocol = (Object.keys(numbers) as (keyof typeof numbers)[]).find((name) => numbers[name] === number)!
  return { version, protocol, port }
}

/**
 * The addresses of a connection before and after translation by a router or the edge, which also translates the
 * responses back.
 */
interface Translation {
  by: WantedRouter | 'edge'
  before: { source: string; destination: string }
  after: { source: string; destination: string }
}

export interface Travel {
  packet: Packet
  steps: ReachStep[]
  translations: Translation[]
  hops: number
  /** False for a response, which security groups allow as part of its connection. */
  isAsked: boolean
  /** Whether the sender is behind the peer of a tunnel. */
  isOfPeer: boolean
  /** Whether the outside sender's address is preserved instead of being translated by the edge. */
  isSeen: boolean
  /** Set if a tunnel matches the destination, but not the source. */
  beside: ReachObstacle | null
}

export const ends = ({ source, destination }: Packet) => ({ source, destination })

export function redirect(travel: Travel, change: { source?: string; destination?: string }): void {
  travel.packet = { ...travel.packet, ...change }
}

export function remember(travel: Travel, by: Translation['by'], before: Translation['before']): void {
  if (travel.isAsked) travel.translations.push({ by, before, after: ends(travel.packet) })
}

/** Reverses the translation of a response. Returns whether there was one. */
export function takenBack(travel: Travel, by: Translation['by']): boolean {
  if (travel.isAsked) return false
  const { source, destination } = travel.packet
  const known = travel.translations.find(
    (it) => it.by === by && it.after.source === destination && it.after.destination === source,
  )
  if (!known) return false
  redirect(travel, { source: known.before.destination, destination: known.before.source })
  return true
}
