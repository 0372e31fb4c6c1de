import * as z from 'zod'
import { create, endpoints, read, remove } from '../core/endpoint'
import { kind } from '../core/kind'
import { Description, Time } from '../core/names'
import { page, PageQuery } from '../core/paging'
import { parsePublicKey, publicKeyFaultText } from './ssh-key-rules'

/** A public key that instances get through cloud-init. Belongs to one user; never changes. */
export const SshKey = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  type: z.enum(['ssh-rsa', 'ecdsa', 'ed25519', 'dss']),
  public_key: z.string(),
  /** `SHA256:` and base64, as ssh-keygen prints it. */
  fingerprint: z.string(),
  weak: z.boolean(),
  /** The project in which its user has it; null where the cloud lets them have it in every one. */
  project_id: z.string().nullable(),
  domain_id: z.string(),
  user_id: z.string(),
  created_at: Time,
})
export type SshKey = z.infer<typeof SshKey>

export const SshKeyName = z
  .string()
  .min(1, 'Enter a name')
  .max(255, 'Use at most 255 characters')
  .regex(/^[A-Za-z0-9_. -]+$/, 'Use letters, digits, spaces, hyphens, underscores and dots')

export const PublicKeyText = z
  .string()
  .max(16_384, 'The key is too long')
  .superRefine((text, context) => {
    const key = parsePublicKey(text)
    if (typeof key === 'string') context.addIssue({ code: 'custom', message: publicKeyFaultText[key] })
  })

export const SshKeyDraft = z.strictObject({
  name: SshKeyName,
  description: Description.default(''),
  public_key: PublicKeyText,
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
  filters: { id: { path: 'id', type: 'id' }, name: { path: 'name', type: 'text' }, type: { path: 'type', type: 'id' } },
  sortKeys: {
    name: { path: 'name', type: 'text' },
    type: { path: 'type', type: 'text' },
    created_at: { path: 'created_at', type: 'time' },
  },
  search: ['name', 'description', 'fingerprint'],
  permissions: { collection: 'compute_keys', item: 'compute_key' },
})

const base = '/api/v2/compute/keys'
export const sshKeys = endpoints({
  list: {
    verb: 'GET',
    path: base,
    needs: read('compute_keys'),
    summary: 'List SSH keys',
    query: PageQuery,
    reply: page(SshKey),
  },
  create: {
    verb: 'POST',
    path: base,
    needs: create('compute_keys'),
    summary: 'Import a public key',
    body: SshKeyDraft,
    status: 201,
    reply: SshKey,
  },
  generate: {
    verb: 'POST',
    path: `${base}/generate`,
    needs: create('compute_keys'),
    summary: 'Generate a key pair; the private key is in this answer only and nowhere kept',
    body: SshKeyGenerate,
    status: 201,
    reply: SshKey.extend({ private_key: z.string() }),
  },
  view: {
    verb: 'GET',
    path: `${base}/:id`,
    needs: read('compute_key'),
    summary: 'Read an SSH key, by id or name',
    reply: SshKey,
  },
  delete: {
    verb: 'DELETE',
    path: `${base}/:id`,
    needs: remove('compute_key'),
    summary: 'Delete an SSH key',
    reply: z.void(),
  },
})
