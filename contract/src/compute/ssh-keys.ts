import { says } from '../core/said'
import * as z from 'zod'
import { crud } from '../core/crud'
import { create, endpoints } from '../core/endpoint'
import { kind } from '../core/kind'
import { Description, Time } from '../core/names'
import { parsePublicKey, publicKeyFaultText } from './ssh-key-rules'

/** A public key that cloud-init installs in instances. It belongs to one user and is immutable. */
export const SshKey = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  type: z.enum(['ssh-rsa', 'ecdsa', 'ed25519', 'dss']),
  public_key: z.string(),
  /** `SHA256:` followed by base64, as printed by ssh-keygen. */
  fingerprint: z.string(),
  weak: z.boolean(),
  /** Project that the key belongs to; null if the cloud makes the key available to its user in every project. */
  project_id: z.string().nullable(),
  domain_id: z.string(),
  user_id: z.string(),
  created_at: Time,
})
export type SshKey = z.infer<typeof SshKey>

export const SshKeyName = z
  .string()
  .min(1, says('core.enter_name'))
  .max(255, says('core.too_long', { most: 255 }))
  .regex(/^[A-Za-z0-9_. -]+$/, says('compute.key_name_form'))

export const PublicKeyText = z
  .string()
  .max(16_384, says('compute.key_too_long'))
  .superRefine((text, context) => {
    const key = parsePublicKey(text)
    if (typeof key === 'string') context.addIssue({ code: 'custom', message: publicKeyFaultText[key] })
  })

export const SshKeyDraft = z
  .strictObject({
    name: SshKeyName,
    description: Description.default(''),
    public_key: PublicKeyText,
  })
  .meta({
    examples: [
      {
        name: 'laptop',
        public_key: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOkBU3ydBHvR9CoLDurNuQ4ZLeb+BuOqZl9WjfaWQRS4 ada@laptop',
      },
    ],
  })
export type SshKeyDraft = z.infer<typeof SshKeyDraft>

export const SshKeyGenerate = z.strictObject({
  name: SshKeyName,
  description: Description.default(''),
  type: z.enum(['ed25519', 'ssh-rsa', 'ecdsa']).default('ed25519'),
})

export const sshKeyKind = kind({
  name: 'key',
  entity: SshKey,
  visibility: 'owner',
  alias: 'name',
  hasUniqueName: true,
  filters: ['id', 'name', 'type'],
  sortKeys: ['name', 'type', 'created_at'],
  search: ['name', 'description', 'fingerprint'],
  permissions: { collection: 'compute_keys', item: 'compute_key' },
})

const path = '/api/v2/compute/keys'
export const sshKeys = endpoints({
  ...crud(sshKeyKind, {
    path,
    called: ['an SSH key', 'SSH keys'],
    draft: SshKeyDraft,
    delete: true,
    summaries: { create: 'Import an SSH public key', view: 'Get an SSH key by ID or name' },
  }),
  generate: {
    verb: 'POST',
    path: `${path}/generate`,
    needs: create('compute_keys'),
    summary: 'Generate an SSH key pair. The private key is returned only once and is not stored.',
    body: SshKeyGenerate,
    status: 201,
    reply: SshKey.extend({ private_key: z.string() }),
  },
})
