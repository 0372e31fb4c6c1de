import * as z from 'zod'
import { create, endpoints, read, remove, update } from '../core/endpoint'
import { Id } from '../core/names'

/* Object storage of the installation: whether it is there, where programs reach it, and which domains have it. */

/** Clients have to name a region; any is accepted. The console names this one. */
export const S3_REGION = 'us-east-1'

/** An upload in parts that nobody completes ends after so many days, and its parts are dropped. */
export const S3_UPLOAD_DAYS = 7

/** What object storage can do, where engines differ. */
export const S3Capabilities = z.object({
  disabling_keys: z.boolean().describe('whether a single access key can be disabled'),
  key_use: z.boolean().describe('whether it is known when an access key was used last'),
  policy_validation: z.boolean().describe('whether a bucket policy can be checked without being kept'),
})
export type S3Capabilities = z.infer<typeof S3Capabilities>
export const noS3Capabilities: S3Capabilities = { disabling_keys: false, key_use: false, policy_validation: false }

export const S3Service = z.object({
  s3_enabled: z.boolean().describe('whether there is object storage'),
  state: z.enum(['healthy', 'degraded', 'failed', 'absent']),
  /** What is wrong and what to do about it, for operators; null where nothing is. */
  detail: z.string().nullable(),
  /** Where ordinary S3 clients reach it; null where nobody does. */
  endpoint: z.string().nullable(),
  protocol: z.enum(['http', 'https']).nullable(),
  region: z.string(),
  capabilities: S3Capabilities,
  /** Told to operators only: all buckets together. Sizes in bytes. */
  usage: z.object({ buckets: z.number().int(), objects: z.number().int(), size: z.number() }).nullable(),
})
export type S3Service = z.infer<typeof S3Service>

/** Whether the users of a domain have object storage. What is stored stays when they have not. */
export const S3DomainStatus = z.object({ domain_id: z.string(), enabled: z.boolean() })
export type S3DomainStatus = z.infer<typeof S3DomainStatus>

const path = '/api/v2/s3service'
export const s3Service = endpoints({
  view: {
    verb: 'GET',
    path,
    needs: 'signed-in',
    summary: 'Whether there is object storage, and where programs reach it',
    reply: S3Service,
  },
  create: {
    verb: 'POST',
    path,
    needs: create('s3_service'),
    summary: 'Makes object storage available; what was stored before is there again',
    reply: S3Service,
    status: 201,
  },
  delete: {
    verb: 'DELETE',
    path,
    needs: remove('s3_service'),
    summary: 'Takes object storage away from everybody; what is stored stays on the disks',
    reply: z.void(),
  },
  domainStatus: {
    verb: 'GET',
    path: `${path}/domain/:domain_id`,
    needs: read('s3_domain_status'),
    summary: 'Whether the users of a domain have object storage',
    reply: S3DomainStatus,
  },
  setDomainStatus: {
    verb: 'PUT',
    path: `${path}/domain/:domain_id`,
    needs: update('s3_domain_status'),
    summary: 'Gives object storage to the users of a domain, or takes it from them, as a task',
    body: z.strictObject({ enabled: z.boolean() }).meta({ examples: [{ enabled: true }] }),
    reply: z.object({ task_id: Id }),
    status: 202,
  },
})
