import type { WantedNetworks } from '../wanted'

/** Numbers that stand for ids in the kernel. They are kept, as connections and marks of packets have them. */
export interface Numbers {
  /** Zones of connection tracking, by network. */
  zones: Record<string, number>
  /** Marks of packets, by port. */
  ports: Record<string, number>
  /** Ports at the edge, by what is published there. */
  forwards: Record<string, number>
}

export const noNumbers: Numbers = { zones: {}, ports: {}, forwards: {} }

/** What is published is known by where it is reached on this host. */
export const forwardKey = ({
  protocol,
  hostAddress,
  hostPort,
}: {
  protocol: string
  hostAddress: string
  hostPort: number
}) => `${protocol} ${hostAddress} ${hostPort}`

const firstForward = 20_000
export const mostZones = 16_000
const mostPorts = 1_000_000
const mostForwards = 40_000

/** Keeps what is still wanted and gives the lowest free numbers to what is new. Throws `RangeError` where there is none. */
export function assignNumbers(wanted: WantedNetworks, before: Numbers): Numbers {
  const published = wanted.floating.flatMap((it) => it.published)
  return {
    zones: assigned(
      wanted.networks.map(({ id }) => id),
      before.zones,
      1,
      mostZones,
    ),
    ports: assigned(
      wanted.ports.map(({ id }) => id),
      before.ports,
      1,
      mostPorts,
    ),
    forwards: assigned(published.map(forwardKey), before.forwards, firstForward, mostForwards),
  }
}

function assigned(keys: string[], before: Record<string, number>, first: number, most: number) {
  const kept = keys.filter((key) => before[key] !== undefined).map((key) => [key, before[key]!] as const)
  const taken = new Set(kept.map(([, number]) => number))
  const found = new Map<string, number>(kept)
  let next = first
  for (const key of keys) {
    if (found.has(key)) continue
    while (taken.has(next)) next++
    if (next >= first + most)
      throw new RangeError('There are more networks, ports or published ports than one host can have')
    taken.add(next)
    found.set(key, next)
  }
  return Object.fromEntries(found)
}
