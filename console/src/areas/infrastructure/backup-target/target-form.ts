import { BackupTargetChange, type BackupTarget } from '@mainstay/contract/storage/backup-target'
import * as z from 'zod'

const [Folder, Bucket] = BackupTargetChange.options

/** The form has the fields of both kinds of target. Each schema strips the fields of the other kind. */
export const BackupTargetForm = z.object({
  backup: z.discriminatedUnion('driver', [
    Folder.strip(),
    // an empty field keeps the saved secret key
    Bucket.strip().extend({ s3_store_secret_key: z.string().trim().max(1024) }),
  ]),
})

export const startOf = (target: BackupTarget) => ({
  backup: {
    driver: target.driver ?? ('posix' as const),
    posix_path: target.posix_path ?? '',
    s3_endpoint_url: target.s3_endpoint_url ?? '',
    s3_region: target.s3_region ?? 'us-east-1',
    s3_store_bucket: target.s3_store_bucket ?? '',
    s3_prefix: target.s3_prefix ?? '',
    s3_store_access_key: target.s3_store_access_key ?? '',
    s3_store_secret_key: '',
  },
})

export function bodyOf({ backup }: z.output<typeof BackupTargetForm>): { backup: BackupTargetChange } {
  // send only the fields of the chosen kind, including in the code shown for an incomplete form
  if (backup.driver === 'posix') return { backup: { driver: 'posix', posix_path: backup.posix_path } }
  const { s3_endpoint_url, s3_region, s3_store_bucket, s3_prefix, s3_store_access_key, s3_store_secret_key } = backup
  return {
    backup: {
      ...{ driver: 's3', s3_endpoint_url, s3_region, s3_store_bucket, s3_prefix, s3_store_access_key },
      ...(s3_store_secret_key !== '' && { s3_store_secret_key }),
    },
  }
}

type Location = Pick<BackupTarget, 'driver' | 'posix_path' | 's3_endpoint_url' | 's3_store_bucket' | 's3_prefix'>

/** Returns a line that says where recovery points are stored: a folder, or a bucket with its prefix. */
export const locationOf = ({ driver, posix_path, s3_store_bucket, s3_prefix }: Location): string =>
  driver === 's3' ? `s3://${s3_store_bucket ?? ''}/${s3_prefix ?? ''}` : (posix_path ?? '')

/** Whether recovery points would be stored elsewhere, so that existing ones are no longer found. */
export const isElsewhere = (target: Location, { backup }: { backup: BackupTargetChange }): boolean =>
  backup.driver === 'posix'
    ? target.driver !== 'posix' || target.posix_path !== backup.posix_path
    : target.driver !== 's3' ||
      target.s3_endpoint_url !== backup.s3_endpoint_url ||
      target.s3_store_bucket !== backup.s3_store_bucket ||
      (target.s3_prefix ?? '') !== backup.s3_prefix

/** Maps the path of a field in an API error to a form field. Some errors omit the object that contains the field. */
export const targetField = (path: string): string =>
  path === '' || path.startsWith('backup') ? path : `backup.${path}`
