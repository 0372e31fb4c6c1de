import type { WantedNetworks } from '../wanted'

/**
 * Numbers that represent objects in the kernel. They must not change, because existing connections and packet marks
 * refer to them.
 */
export interface Numbers {
  /** Connection tracking zones by network ID. */
  zones: Record<string, number>
  /** Packet marks by port ID. */
  ports: Record<string, number>
  /** Edge ports by published port; see `forwardKey`. */
  forwards: Record<string, number>
}

export const noNumbers: Numbers = { zones: {}, ports: {}, forwards: {} }

/** Returns the key of a published port: its protocol, address and port on this host. */
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

/**
 * Keeps the numbers of wanted objects and assigns the lowest free ones to new objects. Throws a `RangeError` if none
 * are left.
 */
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
      throw new RangeError('This host has reached its maximum number of networks, ports or published ports')
    taken.add(next)
    found.set(key, next)
  }
  return Object.fromEntries(found)
}
