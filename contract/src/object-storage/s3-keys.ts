import { says } from '../core/said'
import * as z from 'zod'
import { create, endpoints, read, remove, update } from '../core/endpoint'
import { Time } from '../core/names'

/* A person's own access to object storage: one S3 user, made when it is first asked for, and the keys of programs. */

/** Two, so that one can take the place of the other without a break. */
export const MOST_S3_KEYS = 2

export const S3Key = z.object({
  acc_key: z.string(),
  name: z.string().nullable(),
  enabled: z.boolean(),
  created_at: Time,
  last_used_at: Time.nullable(),
})
export type S3Key = z.infer<typeof S3Key>

/** A key as it is answered once, when it is made: nobody can read its secret later. */
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

/** Who owns buckets. `quota` in bytes, `quota_objects` of all buckets together; null: no limit but the disk. */
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
    summary: 'Your S3 user and its keys; it is made when this is first asked',
    reply: S3Account,
  },
  create: {
    verb: 'POST',
    path: `${path}/keys`,
    needs: create(resource),
    summary: 'Makes an access key; its secret is in this answer and nowhere else',
    body: S3KeyDraft,
    reply: NewS3Key,
    status: 201,
  },
  update: {
    verb: 'PUT',
    path: `${path}/keys/:key`,
    needs: update(resource),
    summary: 'Enables or disables an access key, or names it; the first of the answer is that key',
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
    summary: 'Deletes an access key; programs that use it are refused at once',
    reply: z.void(),
  },
})
