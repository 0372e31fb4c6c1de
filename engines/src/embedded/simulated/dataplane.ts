import type { Applied, Dataplane, ProcessHealth, WantedNetworks } from '../dataplane/wanted'

export interface PretendDataplane extends Dataplane {
  /** What was wanted last. */
  readonly wanted: WantedNetworks | null
  /** What it could not do, by the ids of networks, routers, ports and floating IPs. May be changed at any time. */
  readonly faults: Map<string, string>
}

const facts = { available: true, rootless: true, missing: [], programs: {} }

/** Carries nothing and says that it does: networks of machines that are only simulated. */
export function openPretendDataplane(): PretendDataplane {
  let wanted: WantedNetworks | null = null
  let appliedAt: string | null = null
  const since = new Date().toISOString()
  const faults = new Map<string, string>()
  const running: ProcessHealth = { running: true, since, restarts: 0, lastFault: null }
  const faultsOf = (rows: readonly { id: string }[]) =>
    new Map(rows.flatMap(({ id }) => (faults.has(id) ? [[id, faults.get(id)!] as const] : [])))
  return {
    get wanted() {
      return wanted
    },
    faults,
    probe: async () => facts,
    async apply(next): Promise<Applied> {
      const unchanged = JSON.stringify(next) === JSON.stringify(wanted)
      wanted = structuredClone(next)
      appliedAt = new Date().toISOString()
      const { networks, routers, ports, floating } = next
      return {
        ...{ networks: faultsOf(networks), routers: faultsOf(routers), ports: faultsOf(ports) },
        ...{ floating: faultsOf(floating), unchanged },
      }
    },
    async plug(portId) {
      const port = wanted?.ports.find(({ id }) => id === portId)
      const network = wanted?.networks.find(({ id }) => id === port?.networkId)
      if (!network) throw new Error(`port ${portId} is not wanted`)
      return { device: `t${portId.slice(0, 10)}`, mtu: network.mtu }
    },
    unplug: async () => undefined,
    counters: async () => new Map(),
    health: async () => ({
      ...{ capsule: running, uplink: running, dnsmasq: new Map(), metadata: running },
      applied: appliedAt === null ? null : { at: appliedAt, tookMs: 0, fault: null },
    }),
    check: async () => ({
      ...{ delivered: false, answered: null, tookMs: 0, expected: false },
      fault: 'Machines here are only simulated',
    }),
    answerMetadata: () => undefined,
    close: async () => undefined,
  }
}
