import * as z from 'zod'
import { create, endpoints, read, remove, update } from '../core/endpoint'
import { Id } from '../core/names'

/* The installation's object storage: whether it is available, its endpoint, and the domains that can use it. */

/** S3 clients must specify a region, but any value is accepted. The console uses this one. */
export const S3_REGION = 'us-east-1'

/** Days after which an incomplete multipart upload is aborted and its parts are deleted. */
export const S3_UPLOAD_DAYS = 7

/** Capabilities of object storage that differ between engines. */
export const S3Capabilities = z.object({
  disabling_keys: z.boolean().describe('Whether a single access key can be disabled.'),
  key_use: z.boolean().describe('Whether the last use of an access key is known.'),
  policy_validation: z.boolean().describe('Whether a bucket policy can be validated without saving it.'),
})
export type S3Capabilities = z.infer<typeof S3Capabilities>
export const noS3Capabilities: S3Capabilities = { disabling_keys: false, key_use: false, policy_validation: false }

export const S3Service = z.object({
  s3_enabled: z.boolean().describe('Whether object storage is available.'),
  state: z.enum(['healthy', 'degraded', 'failed', 'absent']),
  /** Message for operators with the problem and the recommended action; null if there is no problem. */
  detail: z.string().nullable(),
  /** URL for S3 clients; null if there is none. */
  endpoint: z.string().nullable(),
  protocol: z.enum(['http', 'https']).nullable(),
  region: z.string(),
  capabilities: S3Capabilities,
  /** Usage of all buckets, for operators only. Sizes in bytes. */
  usage: z.object({ buckets: z.number().int(), objects: z.number().int(), size: z.number() }).nullable(),
})
export type S3Service = z.infer<typeof S3Service>

/** Whether users of a domain can use object storage. Disabling it keeps the stored data. */
export const S3DomainStatus = z.object({ domain_id: z.string(), enabled: z.boolean() })
export type S3DomainStatus = z.infer<typeof S3DomainStatus>

const path = '/api/v2/s3service'
export const s3Service = endpoints({
  view: {
    verb: 'GET',
    path,
    needs: 'signed-in',
    summary: 'Get the state and the endpoint of object storage',
    reply: S3Service,
  },
  create: {
    verb: 'POST',
    path,
    needs: create('s3_service'),
    summary: 'Enable object storage. Data that was stored before becomes available again.',
    reply: S3Service,
    status: 201,
  },
  delete: {
    verb: 'DELETE',
    path,
    needs: remove('s3_service'),
    summary: 'Disable object storage for all users. Stored data is kept.',
    reply: z.void(),
  },
  domainStatus: {
    verb: 'GET',
    path: `${path}/domain/:domain_id`,
    needs: read('s3_domain_status'),
    summary: 'Check whether a domain has object storage',
    reply: S3DomainStatus,
  },
  setDomainStatus: {
    verb: 'PUT',
    path: `${path}/domain/:domain_id`,
    needs: update('s3_domain_status'),
    summary: 'Enable or disable object storage for a domain. Runs as a task.',
    body: z.strictObject({ enabled: z.boolean() }).meta({ examples: [{ enabled: true }] }),
    reply: z.object({ task_id: Id }),
    status: 202,
  },
})
