import { says } from '../core/said'
import * as z from 'zod'
import { create, endpoints, read, remove, update } from '../core/endpoint'
import { Time } from '../core/names'

/* A user's access to object storage: an S3 user, which is created on first use, and its access keys. */

/** Two keys allow rotation without downtime. */
export const MOST_S3_KEYS = 2

export const S3Key = z.object({
  acc_key: z.string(),
  name: z.string().nullable(),
  enabled: z.boolean(),
  created_at: Time,
  last_used_at: Time.nullable(),
})
export type S3Key = z.infer<typeof S3Key>

/** A new access key with its secret, which is returned only once. */
export const NewS3Key = S3Key.extend({ sec_key: z.string() })
export type NewS3Key = z.infer<typeof NewS3Key>

export const S3KeyDraft = z
  .strictObject({
    name: z
      .string()
      .trim()
      .max(64, says('core.too_long', { most: 64 }))
      .optional(),
  })
  .meta({ examples: [{ name: 'backup' }] })

/** Sizes in bytes. */
export const S3Usage = z.object({ buckets: z.number().int(), objects: z.number().int(), size: z.number() })
export type S3Usage = z.infer<typeof S3Usage>

/**
 * An S3 user, who owns buckets. `quota` in bytes and `quota_objects` apply to all buckets together; null: unlimited.
 */
export const S3Account = z.object({
  arn: z.string(),
  enabled: z.boolean(),
  keys: z.array(S3Key),
  usage: S3Usage,
  quota: z.number().int().nullable(),
  quota_objects: z.number().int().nullable(),
})
export type S3Account = z.infer<typeof S3Account>

const path = '/api/v2/s3service'
const resource = 's3_enable'
export const s3Keys = endpoints({
  account: {
    verb: 'GET',
    path: `${path}/user`,
    needs: read(resource),
    summary: 'Get your S3 user and its access keys. The first call creates the S3 user.',
    reply: S3Account,
  },
  create: {
    verb: 'POST',
    path: `${path}/keys`,
    needs: create(resource),
    summary: 'Create an access key. Its secret is returned only once.',
    body: S3KeyDraft,
    reply: NewS3Key,
    status: 201,
  },
  update: {
    verb: 'PUT',
    path: `${path}/keys/:key`,
    needs: update(resource),
    summary: 'Update an access key. Enables, disables or renames it. The first key in the response is the updated key.',
    body: z
      .strictObject({ enabled: z.boolean(), name: S3KeyDraft.shape.name })
      .partial()
      .meta({ examples: [{ enabled: false }] }),
    reply: z.array(S3Key),
  },
  delete: {
    verb: 'DELETE',
    path: `${path}/keys/:key`,
    needs: remove(resource),
    summary: 'Delete an access key. Programs that use it lose access immediately.',
    reply: z.void(),
  },
})
