import type { PortCounters } from '../../../network-model/wanted'

/**
 * Returns a shell script for the capsule that prints link statistics and packets refused by the switches, for
 * `parseCounters`.
 */
export const countersScript = (slot: string) => `
nsenter --net=/run/netns/sw sh <<'END'
ip -s -j link; echo
for s in "bridge ms_${slot} forged" "bridge ms_${slot} throttled" "inet ms_${slot} refused_egress" "inet ms_${slot} refused_ingress"; do
  nft -j list set $s; echo
done
END`

interface LinkJson {
  ifname: string
  stats64: Record<'rx' | 'tx', { bytes: number; packets: number; dropped: number }>
}
interface SetJson {
  nftables: { set?: { elem?: { elem: { val: string | number; counter: { packets: number } } }[] } }[]
}

/**
 * Parses counters by port ID. `ports` lists the tap device and port number of each port. Packets sent by a guest are
 * counted as received on its tap.
 */
export function parseCounters(
  output: string,
  ports: Iterable<{ id: string; device: string; number: number }>,
): Map<string, PortCounters> {
  const [links, ...sets] = output
    .split('\n')
    .filter((line) => /^[[{]/.test(line))
    .map((line) => JSON.parse(line) as unknown) as [LinkJson[], ...SetJson[]]
  const refused = sets.map(
    ({ nftables }) =>
      new Map(
        nftables
          .flatMap(({ set }) => set?.elem ?? [])
          .map(({ elem }) => [String(elem.val), elem.counter.packets] as const),
      ),
  )
  const [forged, throttled, egress, ingress] = refused
  const byName = new Map(links.map((link) => [link.ifname, link.stats64]))
  const found = new Map<string, PortCounters>()
  for (const { id, device, number } of ports) {
    const stats = byName.get(device)
    if (!stats) continue
    const at = (set: Map<string, number> | undefined, key: string | number) => set?.get(String(key)) ?? 0
    const { rx, tx } = stats
    found.set(id, {
      fromGuest: {
        ...{ bytes: rx.bytes, packets: rx.packets },
        dropped: rx.dropped + at(forged, device) + at(throttled, device) + at(egress, number),
      },
      toGuest: { bytes: tx.bytes, packets: tx.packets, dropped: tx.dropped + at(ingress, number) },
    })
  }
  return found
}
