import { says } from '../core/said'
import * as z from 'zod'
import { crud } from '../core/crud'
import { endpoints } from '../core/endpoint'
import { kind } from '../core/kind'
import { Description, ResourceName, Time } from '../core/names'
import { ikeVersions, vpnAuthAlgorithms, vpnEncryptionAlgorithms, vpnGroups } from './algorithms'
import { permissions } from './permissions'

export const MIN_LIFETIME_SECONDS = 60
export const MAX_LIFETIME_SECONDS = 86_400
export const DEFAULT_LIFETIME_SECONDS = 3600
const LIFETIME = says('core.seconds_between', { least: MIN_LIFETIME_SECONDS, most: MAX_LIFETIME_SECONDS })

const Encryption = z.enum(vpnEncryptionAlgorithms)
const Auth = z.enum(vpnAuthAlgorithms)
const Group = z.enum(vpnGroups)
const algorithms = {
  encryption_algorithm: Encryption,
  auth_algorithm: Auth,
  /** Diffie-Hellman group. */
  pfs: Group,
}
const owned = {
  id: z.string(),
  name: z.string(),
  description: z.string(),
}
const tail = {
  /** Lifetime of the keys, after which they are renewed. */
  lifetime: z.object({ units: z.literal('seconds'), value: z.number().int() }),
  project_id: z.string(),
  domain_id: z.string(),
  created_at: Time,
  updated_at: Time,
}

/** IKE policy: algorithms and lifetime of the first phase, in which the peers authenticate each other. */
export const IkePolicy = z.object({ ...owned, ike_version: z.enum(ikeVersions), ...algorithms, ...tail })
export type IkePolicy = z.infer<typeof IkePolicy>

/** IPsec policy: algorithms and lifetime of the second phase, which protects the packets. ESP in tunnel mode. */
export const IpsecPolicy = z.object({ ...owned, ...algorithms, ...tail })
export type IpsecPolicy = z.infer<typeof IpsecPolicy>

const draft = {
  name: ResourceName,
  description: Description.default(''),
  encryption_algorithm: Encryption.default('aes-256'),
  auth_algorithm: Auth.default('sha256'),
  pfs: Group.default('group14'),
  lifetime: z
    .strictObject({
      units: z.literal('seconds').default('seconds'),
      value: z.int(LIFETIME).min(MIN_LIFETIME_SECONDS, LIFETIME).max(MAX_LIFETIME_SECONDS, LIFETIME),
    })
    .default({ units: 'seconds', value: DEFAULT_LIFETIME_SECONDS }),
}

export const IkePolicyDraft = z
  .strictObject({ ...draft, ike_version: z.enum(ikeVersions).default('v2') })
  .meta({ examples: [{ name: 'modern' }, { name: 'older', ike_version: 'v1', pfs: 'group5' }] })
export type IkePolicyDraft = z.infer<typeof IkePolicyDraft>

export const IpsecPolicyDraft = z.strictObject(draft).meta({ examples: [{ name: 'modern' }] })
export type IpsecPolicyDraft = z.infer<typeof IpsecPolicyDraft>

/** The algorithms of an existing policy cannot be changed. */
export const PolicyChange = z
  .strictObject({ name: ResourceName, description: Description })
  .partial()
  .meta({ examples: [{ name: 'renamed' }] })
export type PolicyChange = z.infer<typeof PolicyChange>

const filters = ['id', 'name', 'encryption_algorithm', 'auth_algorithm', 'pfs', 'project_id', 'domain_id'] as const

export const ikePolicyKind = kind({
  name: 'ike_policy',
  entity: IkePolicy,
  visibility: 'project',
  filters: [...filters, 'ike_version'],
  sortKeys: ['name', 'created_at'],
  permissions,
})

export const ipsecPolicyKind = kind({
  name: 'ipsec_policy',
  entity: IpsecPolicy,
  visibility: 'project',
  filters,
  sortKeys: ['name', 'created_at'],
  permissions,
})

export const ikePolicies = endpoints(
  crud(ikePolicyKind, {
    path: '/api/v2/compute/vpn/ikepolicies',
    called: ['an IKE policy', 'IKE policies'],
    draft: IkePolicyDraft,
    change: PolicyChange,
    delete: true,
    summaries: { delete: 'Delete an IKE policy. It must not be used by a connection.' },
  }),
)

export const ipsecPolicies = endpoints(
  crud(ipsecPolicyKind, {
    path: '/api/v2/compute/vpn/ipsecpolicies',
    called: ['an IPsec policy', 'IPsec policies'],
    draft: IpsecPolicyDraft,
    change: PolicyChange,
    delete: true,
    summaries: { delete: 'Delete an IPsec policy. It must not be used by a connection.' },
  }),
)
