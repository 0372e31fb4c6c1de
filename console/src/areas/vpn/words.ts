import {
  weakAlgorithms,
  type Algorithms,
  type DpdAction,
  type IkeVersion,
  type VpnAuthAlgorithm,
  type VpnEncryptionAlgorithm,
  type VpnGroup,
  type VpnMode,
} from '@mainstay/contract/vpn/algorithms'
import { vpnStatuses, type TunnelPart, type VpnStatus } from '@mainstay/contract/vpn/connection-status'
import type { IpsecSiteConnection } from '@mainstay/contract/vpn/connections'
import type { Key } from '../../i18n/catalogues'
import type { Translate } from '../../i18n/use-t'
import type { Status } from '../../patterns/table/columns'
import type { Tone } from '../../ui/tone'

type T = Translate<'vpn'>

const statusWords: Readonly<Record<VpnStatus, readonly [Tone, Key<'vpn'>]>> = {
  ACTIVE: ['ok', 'is.active'],
  DOWN: ['warn', 'is.down'],
  BUILD: ['busy', 'is.build'],
  ERROR: ['bad', 'is.error'],
  PENDING_CREATE: ['busy', 'is.pendingCreate'],
  PENDING_UPDATE: ['busy', 'is.pendingUpdate'],
  PENDING_DELETE: ['busy', 'is.pendingDelete'],
}
export { vpnStatuses }

export const vpnStatusText = (status: VpnStatus, t: T): string => t(statusWords[status][1])

/** A connection's status, with the reason if known. */
export function vpnStatus({ status, reason }: Pick<IpsecSiteConnection, 'status' | 'reason'>, t: T): Status {
  const [tone, key] = statusWords[status]
  return { tone, text: t(key), detail: reason ?? undefined }
}

/** Algorithm names are not translated. */
export const encryptionNames: Readonly<Record<VpnEncryptionAlgorithm, string>> = {
  '3des': '3DES',
  'aes-128': 'AES-128',
  'aes-192': 'AES-192',
  'aes-256': 'AES-256',
}
export const authNames: Readonly<Record<VpnAuthAlgorithm, string>> = {
  sha1: 'SHA-1',
  sha256: 'SHA-256',
  sha384: 'SHA-384',
  sha512: 'SHA-512',
}
/** Modulus size in bits (RFC 2409, RFC 3526). */
const groupBits: Readonly<Record<VpnGroup, number>> = { group2: 1024, group5: 1536, group14: 2048 }

export const groupText = (group: VpnGroup, t: T): string =>
  t('policy.groupOf', { number: Number(group.slice('group'.length)), bits: groupBits[group] })
export const ikeVersionText = (version: IkeVersion, t: T): string =>
  t('ike.versionOf', { number: Number(version.slice(1)) })

/** Describes the algorithms of a policy: "AES-256, SHA-256, DH group 14 (2048 bits)". */
export const algorithmsText = ({ encryption_algorithm, auth_algorithm, pfs }: Algorithms, t: T): string =>
  [encryptionNames[encryption_algorithm], authNames[auth_algorithm], groupText(pfs, t)].join(', ')

/** Returns the names of the weak algorithms in a policy. */
export const weakOf = ({ encryption_algorithm, auth_algorithm, pfs }: Algorithms, t: T): string[] => [
  ...(weakAlgorithms.has(encryption_algorithm) ? [encryptionNames[encryption_algorithm]] : []),
  ...(weakAlgorithms.has(auth_algorithm) ? [authNames[auth_algorithm]] : []),
  ...(weakAlgorithms.has(pfs) ? [groupText(pfs, t)] : []),
]

export const modeKeys = {
  'bi-directional': 'mode.both',
  'response-only': 'mode.answer',
} as const satisfies Record<VpnMode, Key<'vpn'>>
export const modeHelpKeys = {
  'bi-directional': 'mode.bothHelp',
  'response-only': 'mode.answerHelp',
} as const satisfies Record<VpnMode, Key<'vpn'>>

export const dpdKeys = {
  hold: 'dpd.hold',
  clear: 'dpd.clear',
  restart: 'dpd.restart',
  disabled: 'dpd.disabled',
} as const satisfies Record<DpdAction, Key<'vpn'>>
export const dpdHelpKeys = {
  hold: 'dpd.holdHelp',
  clear: 'dpd.clearHelp',
  restart: 'dpd.restartHelp',
  disabled: 'dpd.disabledHelp',
} as const satisfies Record<DpdAction, Key<'vpn'>>

/** Describes the dead peer detection: "Reconnect on traffic (DPD interval 30 s, timeout 120 s)". */
export const dpdText = ({ action, interval, timeout }: IpsecSiteConnection['dpd'], t: T): string =>
  action === 'disabled' ? t('dpd.disabled') : t('dpd.text', { action: t(dpdKeys[action]), interval, timeout })

/** Title and advice for each check in the tunnel diagnosis. */
export const partKeys = {
  router: ['part.router', 'fix.router'],
  address: ['part.address', 'fix.address'],
  proposal: ['part.proposal', 'fix.proposal'],
  identity: ['part.identity', 'fix.identity'],
  key: ['part.key', 'fix.key'],
  selectors: ['part.selectors', 'fix.selectors'],
} as const satisfies Record<TunnelPart, readonly [Key<'vpn'>, Key<'vpn'>]>
