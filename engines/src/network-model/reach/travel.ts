import type { Packet } from '../compile/match'
import type { MissingRule, ReachObstacle, ReachStep } from './types'
import type { WantedRouter } from '../wanted'

/* A packet on its way, with what is made of its addresses. */

/** Protocols that are asked for, by their names. */
export const numbers = { icmp: 1, tcp: 6, udp: 17, icmpv6: 58 }

/** What a rule has to name so that it lets a packet pass. */
export function missingRule({ version, protocol: number, port }: Packet): MissingRule {
  const protocol = (Object.keys(numbers) as (keyof typeof numbers)[]).find((name) => numbers[name] === number)!
  return { version, protocol, port }
}

/** What a router or the edge has made of a connection's addresses: its answer is changed back there. */
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
  /** False for an answer: rules of groups know its connection. */
  isAsked: boolean
  /** Who asks is behind the other end of a tunnel. */
  isOfPeer: boolean
  /** Who asks from outside is not translated at the edge. */
  isSeen: boolean
  /** A tunnel that has where it goes, and not where it comes from. */
  beside: ReachObstacle | null
}

export const ends = ({ source, destination }: Packet) => ({ source, destination })

export function redirect(travel: Travel, change: { source?: string; destination?: string }): void {
  travel.packet = { ...travel.packet, ...change }
}

export function remember(travel: Travel, by: Translation['by'], before: Translation['before']): void {
  if (travel.isAsked) travel.translations.push({ by, before, after: ends(travel.packet) })
}

/** Gives an answer the addresses that its connection had before it came through here. */
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
