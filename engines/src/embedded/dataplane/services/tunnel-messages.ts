import { selectorPairs } from '@mainstay/contract/vpn/rules'
import type { Esp } from '../../../network-model/compile/vpns'
import type { TunnelReport, WantedConnection } from '../../../network-model/wanted-vpns'
import type { ViciSection } from './vici'

/* Converts connections and tunnels to and from strongSwan messages. */

/** Returns the child SAs of a connection: one for all ranges, or one per pair of ranges. */
export const childrenOf = ({ isSplit, local, remote }: WantedConnection) =>
  (isSplit
    ? selectorPairs({ local, remote }).map((pair) => ({ local: [pair.local], remote: [pair.remote] }))
    : [{ local, remote }]
  ).map((pair, at) => ({ ...pair, name: `net-${at + 1}` }))

/**
 * Actions to take when the peer is lost or closes a tunnel. `hold` is implemented by the tunnel watch, because not
 * every kernel supports traps.
 */
const actions = {
  hold: { dpd_action: 'clear', close_action: 'none' },
  clear: { dpd_action: 'clear', close_action: 'none' },
  restart: { dpd_action: 'restart', close_action: 'start' },
  disabled: { dpd_action: 'clear', close_action: 'none' },
} as const

/**
 * Rekeys in the last tenth of the lifetime. Old keys remain valid for another tenth of it, or at least 30 s, so that a
 * busy host or a lost packet does not interrupt the tunnel.
 */
const renewal = (lifetime: number) => ({
  rekey_time: `${lifetime}s`,
  rand_time: `${Math.floor(lifetime / 10)}s`,
  spare: Math.max(30, Math.ceil(lifetime / 10)),
})

export function asConnection(connection: WantedConnection, esp: Esp): ViciSection {
  const { version, localAddress, peerAddress, localId, peerId, ike, dpd, begins } = connection
  const [ofIke, ofEsp] = [renewal(ike.lifetime), renewal(connection.esp.lifetime)]
  const child = {
    mode: 'tunnel',
    esp_proposals: [connection.esp.proposal],
    ...{ rekey_time: ofEsp.rekey_time, rand_time: ofEsp.rand_time },
    life_time: `${connection.esp.lifetime + ofEsp.spare}s`,
    start_action: begins ? 'start' : 'none',
    ...actions[dpd.action],
    ...(!begins && { dpd_action: 'clear', close_action: 'none' }),
  }
  return {
    ...{ version: String(version), local_addrs: [localAddress], remote_addrs: [peerAddress] },
    ...{ rekey_time: ofIke.rekey_time, rand_time: ofIke.rand_time, over_time: `${ofIke.spare}s` },
    ...{ proposals: [ike.proposal], keyingtries: '0', unique: 'replace', mobike: 'no' },
    ...(dpd.action !== 'disabled' && { dpd_delay: `${dpd.interval}s`, dpd_timeout: `${dpd.timeout}s` }),
    // without ESP in the kernel, packets are encapsulated in UDP
    encap: esp === 'userland' ? 'yes' : 'no',
    local: { auth: 'psk', id: localId },
    remote: { auth: 'psk', id: peerId },
    children: Object.fromEntries(
      childrenOf(connection).map(({ name, local, remote }) => [name, { ...child, local_ts: local, remote_ts: remote }]),
    ),
  }
}

/** An IKE SA that is established or being negotiated. */
export interface StandingTunnel {
  number: string
  isEstablished: boolean
  isInitiator: boolean
  establishedSeconds: number | null
  children: {
    name: string
    number: string
    isInstalled: boolean
    local: string[]
    remote: string[]
    installedSeconds: number
    rekeySeconds: number | null
    algorithms: string
    bytesIn: number
    bytesOut: number
    packetsIn: number
    packetsOut: number
  }[]
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const texts = (value: unknown): string[] => (Array.isArray(value) ? (value as string[]) : [])
const seconds = (value: unknown): number | null =>
  typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : null
const carrying = new Set(['INSTALLED', 'REKEYING', 'REKEYED', 'UPDATING'])

/** Returns the tunnels by connection ID. */
export function tunnelsIn(messages: readonly ViciSection[]): Map<string, StandingTunnel[]> {
  const found = new Map<string, StandingTunnel[]>()
  for (const message of messages) {
    for (const [id, ike] of Object.entries(message) as [string, ViciSection][]) {
      const children = Object.values((ike['child-sas'] ?? {}) as ViciSection) as ViciSection[]
      const one: StandingTunnel = {
        number: text(ike['uniqueid']),
        isEstablished: ike['state'] === 'ESTABLISHED',
        isInitiator: ike['initiator'] === 'yes',
        establishedSeconds: seconds(ike['established']),
        children: children.map((child) => ({
          ...{ name: text(child['name']), number: text(child['uniqueid']) },
          isInstalled: carrying.has(text(child['state'])),
          ...{ local: texts(child['local-ts']), remote: texts(child['remote-ts']) },
          ...{ installedSeconds: seconds(child['install-time']) ?? 0, rekeySeconds: seconds(child['rekey-time']) },
          algorithms: [child['encr-alg'], child['encr-keysize'], child['integ-alg'], child['dh-group']]
            .map(text)
            .filter((it) => it !== '')
            .join(' '),
          ...{ bytesIn: Number(child['bytes-in'] ?? 0), bytesOut: Number(child['bytes-out'] ?? 0) },
          ...{ packetsIn: Number(child['packets-in'] ?? 0), packetsOut: Number(child['packets-out'] ?? 0) },
        })),
      }
      found.set(id, [...(found.get(id) ?? []), one])
    }
  }
  return found
}

const ago = (seconds_: number): string => new Date(Date.now() - seconds_ * 1000).toISOString()

/** Returns the child SAs that carry traffic, as shown in reports. */
export const childReports = (standing: readonly StandingTunnel[]): TunnelReport['children'] =>
  standing.flatMap(({ children }) =>
    children.flatMap(({ isInstalled, local, remote, installedSeconds, rekeySeconds, algorithms, bytesIn, bytesOut }) =>
      isInstalled
        ? [
            {
              ...{ local, remote, algorithms, bytesIn, bytesOut, installedAt: ago(installedSeconds) },
              rekeyAt: rekeySeconds === null ? null : ago(-rekeySeconds),
            },
          ]
        : [],
    ),
  )

export const establishedAt = (standing: readonly StandingTunnel[]): string | null => {
  const all = standing.flatMap(({ isEstablished, establishedSeconds }) =>
    isEstablished && establishedSeconds !== null ? [establishedSeconds] : [],
  )
  return all.length === 0 ? null : ago(Math.max(...all))
}
