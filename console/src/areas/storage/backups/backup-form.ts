import { Description, ResourceName } from '@mainstay/contract/core/names'
import type { RestoreDraft, VolumeBackup } from '@mainstay/contract/storage/volume-backups'
import * as z from 'zod'
import type { Translate } from '../../../i18n/use-t'

const longestName = 255

/** Fields of both forms that create recovery points. */
const named = { name: ResourceName, description: Description, full: z.boolean() }

/** Form that creates recovery points of all volumes of a virtual machine. */
export const instantForm = z.object(named)

/** Form that creates a recovery point of a volume. */
export const backupForm = (t: Translate<'storage'>) =>
  z.object({ volume_id: z.string({ error: () => t('backups.volumeMissing') }), ...named })
export type BackupForm = z.output<ReturnType<typeof backupForm>>

/** Form that restores a recovery point. Without a storage policy, the policy of the original volume is used. */
export const restoreForm = z.object({ name: ResourceName, storage_policy: z.string().nullable() })
type RestoreForm = z.output<typeof restoreForm>

const restoredEnd = '-restored'

/** A name for a restored object. Some clouds know only the ID of a deleted original, which cannot be a name. */
export const restoredName = (original: string | null, otherwise: string): string => {
  const name = original !== null && /^\p{L}/u.test(original) ? original : otherwise
  return name.slice(0, longestName - restoredEnd.length) + restoredEnd
}

/** The initial values. */
export const startOfRestore = (
  point: Pick<VolumeBackup, 'name' | 'volume_name' | 'storage_policy_name'>,
): RestoreForm => ({
  name: restoredName(point.volume_name, point.name),
  storage_policy: point.storage_policy_name || null,
})

/** The request body. It names a storage policy only if it is not that of the original volume. */
export const restoreDraftOf = (
  { name, storage_policy: policy }: RestoreForm,
  point: Pick<VolumeBackup, 'storage_policy_name'>,
): RestoreDraft => ({
  name,
  ...(policy !== null && policy !== point.storage_policy_name && { storage_policy: policy }),
})
