/* Settings that both ends of a tunnel must agree on (S2§9). */

export const vpnAuthAlgorithms = ['sha1', 'sha256', 'sha384', 'sha512'] as const
export type VpnAuthAlgorithm = (typeof vpnAuthAlgorithms)[number]

export const vpnEncryptionAlgorithms = ['3des', 'aes-128', 'aes-192', 'aes-256'] as const
export type VpnEncryptionAlgorithm = (typeof vpnEncryptionAlgorithms)[number]

export const ikeVersions = ['v1', 'v2'] as const
export type IkeVersion = (typeof ikeVersions)[number]

/** Diffie-Hellman groups, for the initial key exchange and for perfect forward secrecy. */
export const vpnGroups = ['group2', 'group5', 'group14'] as const
export type VpnGroup = (typeof vpnGroups)[number]

/** Which end initiates the connection: either, or only the peer. */
export const vpnModes = ['bi-directional', 'response-only'] as const
export type VpnMode = (typeof vpnModes)[number]

/**
 * Action to take if the peer no longer responds. `hold`: reconnect when there is traffic for the tunnel. `clear`: do
 * not reconnect. `restart`: reconnect immediately. `disabled`: dead peer detection is off.
 */
export const dpdActions = ['hold', 'clear', 'restart', 'disabled'] as const
export type DpdAction = (typeof dpdActions)[number]

/** Algorithms that are considered weak (RFC 8247). Forms show a warning. */
export const weakAlgorithms: ReadonlySet<string> = new Set<VpnAuthAlgorithm | VpnEncryptionAlgorithm | VpnGroup>([
  'sha1',
  '3des',
  'group2',
  'group5',
])

/** Names in strongSwan, as in the proposal `aes256-sha256-modp2048`. */
const swanNames: Record<VpnAuthAlgorithm | VpnEncryptionAlgorithm | VpnGroup, string> = {
  sha1: 'sha1',
  sha256: 'sha256',
  sha384: 'sha384',
  sha512: 'sha512',
  '3des': '3des',
  'aes-128': 'aes128',
  'aes-192': 'aes192',
  'aes-256': 'aes256',
  group2: 'modp1024',
  group5: 'modp1536',
  group14: 'modp2048',
}

/** Algorithms in a policy. */
export interface Algorithms {
  encryption_algorithm: VpnEncryptionAlgorithm
  auth_algorithm: VpnAuthAlgorithm
  pfs: VpnGroup
}

/** Returns a policy's proposal in strongSwan syntax. */
export const proposalOf = ({ encryption_algorithm, auth_algorithm, pfs }: Algorithms): string =>
  [encryption_algorithm, auth_algorithm, pfs].map((name) => swanNames[name]).join('-')
