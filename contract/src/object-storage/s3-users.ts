import { says } from '../core/said'
import * as z from 'zod'
import { create, endpoints, read, remove, update } from '../core/endpoint'
import { NewS3Key, S3Key, S3KeyDraft, S3Usage } from './s3-keys'

/* S3 users for operators. An S3 user has the same ID as the user it belongs to. */

export const S3User = z.object({
  id: z.string(),
  email: z.string().nullable(),
  name: z.string(),
  domain_id: z.string(),
  arn: z.string(),
  is_enabled: z.boolean(),
  keys: z.array(S3Key),
  usage: S3Usage,
  /** In bytes, and in objects, for all buckets together; null: unlimited. */
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

/** `:scope` is a domain ID, or `cluster` for all domains. */
const path = '/api/v2/:scope/s3/users'
export const s3Users = endpoints({
  list: {
    verb: 'GET',
    path,
    needs: read('s3_users'),
    summary: 'List the S3 users of a domain or of all domains. Sorted by ID.',
    query: z.object({
      count: z.coerce.number().int().min(1).max(MOST_AT_ONCE).default(MOST_AT_ONCE),
      marker: z.string().optional().describe('`next_marker` of the previous page.'),
    }),
    reply: z.object({ data: z.array(S3User), next_marker: z.string().nullable(), is_truncated: z.boolean() }),
  },
  update: {
    verb: 'PUT',
    path: `${path}/:id`,
    needs: update('s3_users'),
    summary: 'Update an S3 user. Enables or disables it, or sets its quotas.',
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
    summary: 'List the access keys of an S3 user',
    reply: z.object({ data: z.array(S3Key) }),
  },
  createKey: {
    verb: 'POST',
    path: `${path}/:id/keys`,
    needs: create('s3_keys'),
    summary: 'Create an access key for an S3 user. Its secret is returned only once.',
    body: S3KeyDraft,
    reply: NewS3Key,
    status: 201,
  },
  deleteKey: {
    verb: 'DELETE',
    path: `${path}/:id/keys/:key`,
    needs: remove('s3_keys'),
    summary: 'Delete an access key of an S3 user',
    reply: z.void(),
  },
})
