import type { NetworkService } from '@mainstay/contract/networking/network-service'
import type { DataplaneFacts, DataplaneHealth, ProcessHealth } from '../../network-model/wanted'

type Host = NonNullable<NetworkService['host']>

type Missing = DataplaneFacts['missing'][number]

const unmet = (needed_for: 'networks' | 'vpn', { what, because, command }: Missing): Host['facts'][number] => ({
  ...{ name: what, ok: false, detail: because, command, needed_for },
})

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
  const info = { command: null }
  const versions = Object.entries(programs).map(([name, version]) => ({ name, ok: true, detail: version, ...info }))
  return {
    facts: [
      { name: 'networks', ok: available, detail: rootless ? 'as an ordinary user' : 'as root', ...info },
      ...missing.map((one) => unmet('networks', one)),
      ...(vpn.missing ? [unmet('vpn', vpn.missing)] : []),
      ...versions,
      ...(applied
        ? [
            {
              name: 'last change',
              ok: applied.fault === null,
              detail: applied.fault ?? `took ${applied.tookMs} ms`,
              at: applied.at,
              ...info,
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
