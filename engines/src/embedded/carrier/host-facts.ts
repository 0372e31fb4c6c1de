import type { NetworkService } from '@mainstay/contract/networking/network-service'
import type { DataplaneFacts, DataplaneHealth, ProcessHealth } from '../../network-model/wanted'

type Host = NonNullable<NetworkService['host']>

const processOf = (name: string, { since, restarts, lastFault }: ProcessHealth): Host['processes'][number] => ({
  name,
  running_since: since,
  restarts,
  last_fault: lastFault,
})

/**
 * Returns the networking details for operators: which requirements this host meets, which are missing, and the state of
 * the networking processes.
 */
export function hostFacts(
  { available, rootless, missing, vpn, programs }: DataplaneFacts,
  { capsule, uplink, dnsmasq, balancers, vpns, metadata, applied }: DataplaneHealth,
  named: readonly { id: string; name: string }[],
): Host {
  const nameOf = (id: string) => named.find((it) => it.id === id)?.name ?? id
  const versions = Object.entries(programs).map(([name, version]) => ({ name, ok: true, detail: version }))
  return {
    facts: [
      { name: 'networks', ok: available, detail: rootless ? 'as an ordinary user' : 'as root' },
      ...[...missing, ...(vpn.missing ? [vpn.missing] : [])].map(({ what, because, command }) => ({
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
      ...[...balancers].map(([id, health]) => processOf(`load balancer ${nameOf(id)}`, health)),
      ...[...vpns].map(([id, health]) => processOf(`VPN of ${nameOf(id)}`, health)),
      ...(metadata ? [processOf('metadata', metadata)] : []),
    ],
  }
}
