import type { Network } from '@mainstay/contract/networking/networks'
import type { NetworkService } from '@mainstay/contract/networking/network-service'
import type { DataplaneFacts, DataplaneHealth, ProcessHealth } from '../dataplane/wanted'

type Host = NonNullable<NetworkService['host']>

const processOf = (name: string, { since, restarts, lastFault }: ProcessHealth): Host['processes'][number] => ({
  name,
  running_since: since,
  restarts,
  last_fault: lastFault,
})

/** What networks need of this host and have, and the processes that carry them, for operators. */
export function hostFacts(
  { available, rootless, missing, programs }: DataplaneFacts,
  { capsule, uplink, dnsmasq, metadata, applied }: DataplaneHealth,
  networks: readonly Pick<Network, 'id' | 'name'>[],
): Host {
  const nameOf = (id: string) => networks.find((it) => it.id === id)?.name ?? id
  const versions = Object.entries(programs).map(([name, version]) => ({ name, ok: true, detail: version }))
  return {
    facts: [
      { name: 'networks', ok: available, detail: rootless ? 'as an ordinary user' : 'as root' },
      ...missing.map(({ what, because, command }) => ({
        name: what,
        ok: false,
        detail: command ? `${because}: ${command}` : because,
      })),
      ...versions,
      ...(applied
        ? [
            {
              name: 'last change',
              ok: applied.fault === null,
              detail: applied.fault ?? `took ${applied.tookMs} ms`,
              at: applied.at,
            },
          ]
        : []),
    ],
    processes: [
      processOf('capsule', capsule),
      processOf('uplink', uplink),
      ...[...dnsmasq].map(([id, health]) => processOf(`dnsmasq of ${nameOf(id)}`, health)),
      ...(metadata ? [processOf('metadata', metadata)] : []),
    ],
  }
}
