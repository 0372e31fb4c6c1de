/* What both ends of a tunnel agree on (S2§9). */

export const vpnAuthAlgorithms = ['sha1', 'sha256', 'sha384', 'sha512'] as const
export type VpnAuthAlgorithm = (typeof vpnAuthAlgorithms)[number]

export const vpnEncryptionAlgorithms = ['3des', 'aes-128', 'aes-192', 'aes-256'] as const
export type VpnEncryptionAlgorithm = (typeof vpnEncryptionAlgorithms)[number]

export const ikeVersions = ['v1', 'v2'] as const
export type IkeVersion = (typeof ikeVersions)[number]

/** Groups of the Diffie-Hellman exchange: of the first keys, and of every further one (perfect forward secrecy). */
export const vpnGroups = ['group2', 'group5', 'group14'] as const
export type VpnGroup = (typeof vpnGroups)[number]

/** Who begins: either end, or the other one alone. */
export const vpnModes = ['bi-directional', 'response-only'] as const
export type VpnMode = (typeof vpnModes)[number]

/**
 * What is done when the peer no longer answers. `hold`: the tunnel is made again with the next packet for it. `clear`: nothing.
 * `restart`: it is made again at once. `disabled`: the peer is not asked.
 */
export const dpdActions = ['hold', 'clear', 'restart', 'disabled'] as const
export type DpdAction = (typeof dpdActions)[number]

/** What of these is weak by today's knowledge (RFC 8247): a form says so. */
export const weakAlgorithms: ReadonlySet<string> = new Set<VpnAuthAlgorithm | VpnEncryptionAlgorithm | VpnGroup>([
  'sha1',
  '3des',
  'group2',
  'group5',
])

/** Their names in strongSwan, as in a proposal `aes256-sha256-modp2048`. */
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

/** What a policy says, without its names and times. */
export interface Algorithms {
  encryption_algorithm: VpnEncryptionAlgorithm
  auth_algorithm: VpnAuthAlgorithm
  pfs: VpnGroup
}

/** The proposal of a policy as strongSwan writes it. */
export const proposalOf = ({ encryption_algorithm, auth_algorithm, pfs }: Algorithms): string =>
  [encryption_algorithm, auth_algorithm, pfs].map((name) => swanNames[name]).join('-')
