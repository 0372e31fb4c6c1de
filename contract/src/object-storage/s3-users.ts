import { says } from '../core/said'
import * as z from 'zod'
import { create, endpoints, read, remove, update } from '../core/endpoint'
import { NewS3Key, S3Key, S3KeyDraft, S3Usage } from './s3-keys'

/* S3 users as operators see them. Their ids are those of the people they belong to. */

export const S3User = z.object({
  id: z.string(),
  email: z.string().nullable(),
  name: z.string(),
  domain_id: z.string(),
  arn: z.string(),
  is_enabled: z.boolean(),
  keys: z.array(S3Key),
  usage: S3Usage,
  /** Bytes, and objects of all buckets together; null: no limit but the disk. */
  quota: z.number().int().nullable(),
  quota_objects: z.number().int().nullable(),
})
export type S3User = z.infer<typeof S3User>

const MOST_AT_ONCE = 100

const Limit = z
  .number()
  .int()
  .min(0, says('core.at_least', { least: 0 }))
  .nullable()

/** `:scope` is a domain's id, or `cluster` for all of them. */
const path = '/api/v2/:scope/s3/users'
export const s3Users = endpoints({
  list: {
    verb: 'GET',
    path,
    needs: read('s3_users'),
    summary: 'The S3 users of a domain, or of all, by their ids',
    query: z.object({
      count: z.coerce.number().int().min(1).max(MOST_AT_ONCE).default(MOST_AT_ONCE),
      marker: z.string().optional().describe('`next_marker` of the page before'),
    }),
    reply: z.object({ data: z.array(S3User), next_marker: z.string().nullable(), is_truncated: z.boolean() }),
  },
  update: {
    verb: 'PUT',
    path: `${path}/:id`,
    needs: update('s3_users'),
    summary: 'Enables or disables an S3 user, or says how much it may store',
    body: z
      .strictObject({ is_enabled: z.boolean(), quota: Limit, quota_objects: Limit })
      .partial()
      .meta({ examples: [{ is_enabled: true, quota: 1024 ** 3 }] }),
    reply: S3User,
  },
  keys: {
    verb: 'GET',
    path: `${path}/:id/keys`,
    needs: read('s3_keys'),
    summary: 'The access keys of an S3 user',
    reply: z.object({ data: z.array(S3Key) }),
  },
  createKey: {
    verb: 'POST',
    path: `${path}/:id/keys`,
    needs: create('s3_keys'),
    summary: 'Makes an access key of an S3 user; its secret is in this answer and nowhere else',
    body: S3KeyDraft,
    reply: NewS3Key,
    status: 201,
  },
  deleteKey: {
    verb: 'DELETE',
    path: `${path}/:id/keys/:key`,
    needs: remove('s3_keys'),
    summary: 'Deletes an access key of an S3 user',
    reply: z.void(),
  },
})
