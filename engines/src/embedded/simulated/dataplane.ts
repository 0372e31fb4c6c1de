import type { Applied, Dataplane, DataplaneFacts, ProcessHealth, WantedNetworks } from '../../network-model/wanted'
import type { AmphoraRole, BalancerReport, MemberReport, WantedBalancer } from '../../network-model/wanted-balancers'
import type { TunnelReport, WantedConnection } from '../../network-model/wanted-vpns'

export interface PretendDataplane extends Dataplane {
  /** The configuration that was last applied. */
  readonly wanted: WantedNetworks | null
  /** Faults to report, keyed by the ID of the affected object. Can be changed at any time. */
  readonly faults: Map<string, string>
}

const facts: DataplaneFacts = {
  ...{ available: true, rootless: true, missing: [], programs: { keepalived: '2.2.7' } },
  vpn: { missing: null, esp: 'userland' },
}

/** Reports all monitored members as up, without any traffic. */
function pretendedReport({ amphoraIds, pools }: WantedBalancer): BalancerReport {
  const members = pools.flatMap(({ monitor, members: some }) =>
    some.map(({ id }): [string, MemberReport] => [
      id,
      { health: monitor ? 'up' : 'unknown', check: monitor ? 'L4OK' : '', code: null },
    ]),
  )
  const roles = amphoraIds.map((id, at): [string, AmphoraRole] => [
    id,
    amphoraIds.length === 1 ? 'alone' : at === 0 ? 'master' : 'backup',
  ])
  return { isCarried: true, roles: new Map(roles), members: new Map(members), traffic: new Map() }
}

/** Reports a tunnel whose peer always agrees and sends nothing. */
const pretendedTunnel = ({ local, remote, esp }: WantedConnection): TunnelReport => ({
  ...{ isUp: true, cause: null, reason: null, log: [], establishedAt: since },
  traffic: { bytesIn: 0, bytesOut: 0, packetsIn: 0, packetsOut: 0 },
  children: [
    ...[{ local, remote, installedAt: since, rekeyAt: null, algorithms: esp.proposal, bytesIn: 0, bytesOut: 0 }],
  ],
})
const since = new Date().toISOString()

/** Opens a dataplane that carries no traffic but reports success, for simulated machines. */
export function openPretendDataplane(): PretendDataplane {
  let wanted: WantedNetworks | null = null
  let appliedAt: string | null = null
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
    onAvailable: () => () => undefined,
    async apply(next): Promise<Applied> {
      const unchanged = JSON.stringify(next) === JSON.stringify(wanted)
      wanted = structuredClone(next)
      appliedAt = new Date().toISOString()
      const { networks, routers, ports, floating, balancers, vpns } = next
      return {
        ...{ networks: faultsOf(networks), routers: faultsOf(routers), ports: faultsOf(ports) },
        ...{ floating: faultsOf(floating), balancers: faultsOf(balancers) },
        ...{ vpns: faultsOf(vpns.flatMap(({ connections }) => connections)), unchanged },
      }
    },
    async plug(portId) {
      const port = wanted?.ports.find(({ id }) => id === portId)
      const network = wanted?.networks.find(({ id }) => id === port?.networkId)
      if (!network) throw new Error(`port ${portId} is not in the configuration`)
      return { device: `t${portId.slice(0, 10)}`, mtu: network.mtu }
    },
    unplug: async () => undefined,
    counters: async () => new Map(),
    health: async () => ({
      ...{
        capsule: running,
        uplink: running,
        dnsmasq: new Map(),
        balancers: new Map(),
        vpns: new Map(),
        metadata: running,
      },
      applied: appliedAt === null ? null : { at: appliedAt, tookMs: 0, fault: null },
    }),
    balancers: async () =>
      new Map((wanted?.balancers ?? []).map((balancer) => [balancer.id, pretendedReport(balancer)])),
    tunnels: async () =>
      new Map((wanted?.vpns ?? []).flatMap(({ connections }) => connections.map((it) => [it.id, pretendedTunnel(it)]))),
    restartTunnel: async () => undefined,
    check: async () => ({
      ...{ delivered: false, answered: null, tookMs: 0, expected: false },
      fault: 'Virtual machines are simulated on this host',
    }),
    answerMetadata: () => undefined,
    close: async () => undefined,
  }
}
