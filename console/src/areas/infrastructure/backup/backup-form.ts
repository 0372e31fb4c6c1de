import {
  BackupPlace,
  ManagementBackupChange,
  type ManagementBackup,
} from '@mainstay/contract/infrastructure/management-backup'
import * as z from 'zod'

const [Folder, Bucket] = BackupPlace.options

/**
 * The form has the fields of both kinds of backup location, a folder and a bucket. Each schema removes the fields of
 * the other kind.
 */
export const BackupForm = z.object({
  hour: z.string(),
  keep: ManagementBackupChange.required().shape.keep,
  place: z.discriminatedUnion('kind', [Folder.strip(), Bucket.strip()]),
  // an empty field keeps the saved secret key
  secret_access_key: z.string().trim().max(256),
})

const noPlace = {
  ...{ kind: 'folder' as const, path: '' },
  ...{ endpoint: '', region: 'us-east-1', bucket: '', prefix: '', access_key_id: '' },
}

export const startOf = ({ hour, keep, place }: ManagementBackup) => ({
  ...{ hour: String(hour), keep, secret_access_key: '' },
  place: { ...noPlace, ...place },
})

export function bodyOf({ hour, keep, place, secret_access_key }: z.output<typeof BackupForm>): ManagementBackupChange {
  const body = { hour: Number(hour), keep }
  // send only the fields of the chosen kind, including in the code shown for an incomplete form
  if (place.kind === 'folder') return { ...body, place: { kind: 'folder', path: place.path } }
  const { endpoint, region, bucket, prefix, access_key_id } = place
  return {
    ...body,
    place: { kind: 's3', endpoint, region, bucket, prefix, access_key_id },
    ...(secret_access_key !== '' && { secret_access_key }),
  }
}
