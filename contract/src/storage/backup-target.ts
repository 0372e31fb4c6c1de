import * as z from 'zod'
import { isVisible, NOT_VISIBLE } from '../core/names'
import { says } from '../core/said'

/** `posix`: a folder on the host, which may be a mounted share. */
export const BackupDriver = z.enum(['posix', 's3'])

const text = (most: number) => z.string().min(1).max(most).regex(isVisible, NOT_VISIBLE)

/** The location where recovery points are stored, in the form that clients of the compute cluster expect. */
export const BackupTarget = z.object({
  /** Null: the cloud determines where recovery points are stored. */
  driver: BackupDriver.nullable(),
  posix_path: z.string().nullable(),
  s3_endpoint_url: z.string().nullable(),
  s3_region: z.string().nullable(),
  s3_store_bucket: z.string().nullable(),
  s3_prefix: z.string().nullable(),
  s3_store_access_key: z.string().nullable(),
  has_s3_store_secret_key: z.boolean(),
  on_same_disk: z.boolean().describe('Whether the folder is on the same disk as the volumes.'),
  encrypted: z.boolean().describe('Whether recovery points are encrypted before they are stored.'),
  free: z.number().int().nullable().describe('Free space in bytes. Null: not known.'),
  error: z.string().nullable().describe('Why the target cannot be used now. Null if it can.'),
})
export type BackupTarget = z.infer<typeof BackupTarget>

export const noBackupTarget: BackupTarget = {
  ...{ driver: null, posix_path: null, s3_endpoint_url: null, s3_region: null, s3_store_bucket: null, s3_prefix: null },
  ...{ s3_store_access_key: null, has_s3_store_secret_key: false, on_same_disk: false, encrypted: false, free: null },
  error: null,
}

/** A new target. Fields of the other driver are not accepted. */
export const BackupTargetChange = z.discriminatedUnion('driver', [
  z.strictObject({
    driver: z.literal('posix'),
    posix_path: text(1024).regex(/^\//, says('infrastructure.absolute_path')),
  }),
  z.strictObject({
    driver: z.literal('s3'),
    s3_endpoint_url: z.url({ protocol: /^https?$/, error: says('infrastructure.s3_endpoint') }).max(1024),
    s3_region: text(64).default('us-east-1'),
    s3_store_bucket: text(255),
    s3_prefix: z.string().max(512).regex(isVisible, NOT_VISIBLE).default(''),
    s3_store_access_key: text(255),
    s3_store_secret_key: text(1024)
      .optional()
      .describe('Can be omitted if the endpoint and the access key are unchanged.'),
  }),
])
export type BackupTargetChange = z.infer<typeof BackupTargetChange>
