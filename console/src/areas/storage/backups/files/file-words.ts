import type { FileEntry, FileSystem } from '@mainstay/contract/storage/backup-files'
import type { Key } from '../../../../i18n/catalogues'
import type { Formats } from '../../../../i18n/use-format'
import type { Translate } from '../../../../i18n/use-t'
import type { Status } from '../../../../patterns/table/columns'

const reasonKeys: Readonly<Record<NonNullable<FileSystem['reason']>, Key<'storage'>>> = {
  no_driver: 'backups.files.reason.noDriver',
  encrypted: 'backups.files.reason.encrypted',
  damaged: 'backups.files.reason.damaged',
}

/** Why a file system cannot be read; undefined if it can. */
export const unreadableText = ({ reason }: FileSystem, t: Translate<'storage'>): string | undefined =>
  reason === null ? undefined : t(reasonKeys[reason])

/** "ext4, 380 GiB, 152 GiB used" */
export function fileSystemText({ type, size, used }: FileSystem, t: Translate<'storage'>, format: Formats): string {
  const parts = [type, format.bytes(size)]
  if (used !== null) parts.push(t('backups.files.used', { size: format.bytes(used) }))
  return parts.join(', ')
}

/** What the other recovery point has in the place of a file. */
export function comparedStatus({ compared }: Pick<FileEntry, 'compared'>, t: Translate<'storage'>): Status | null {
  if (compared === null) return null
  if (compared === 'same') return { tone: 'idle', text: t('backups.files.same') }
  return compared === 'changed'
    ? { tone: 'busy', text: t('backups.files.changed') }
    : { tone: 'warn', text: t('backups.files.gone') }
}

/** The file system that is shown first: the one with most content among those that can be read. */
export const firstReadable = (all: readonly FileSystem[]): FileSystem | undefined =>
  all
    .filter(({ readable }) => readable)
    .toSorted((one, other) => (other.used ?? other.size) - (one.used ?? one.size))[0]
