import { fillPath } from '@mainstay/contract/core/endpoint'
import { backupFiles, type FileEntry } from '@mainstay/contract/storage/backup-files'
import { addressOf } from '../../../../api/address'
import { call } from '../../../../api/call'
import { asProblem } from '../../../../api/problem'
import { problemText } from '../../../../api/problem-text'
import { downloadFrom } from '../../../../api/transfers/download'
import { formatNow } from '../../../../i18n/use-format'
import { loadTexts, textsNow } from '../../../../i18n/use-t'
import { notify, toast } from '../../../../notices/notices'
import { isAllTenants, sessionNow } from '../../../../session/session'

/** A folder of a file system in a recovery point. */
export interface FolderPlace {
  pointId: string
  fileSystem: string
  path: string
}

/** The project for a download by the browser, whose session cookie does not identify one. */
function ownProject(): string | undefined {
  const session = sessionNow()
  return isAllTenants(session) ? undefined : session.project?.id
}

/** Lets the browser download a file of a recovery point. */
export function downloadFile({ pointId, fileSystem }: FolderPlace, { path }: FileEntry): void {
  const query = { file_system: fileSystem, path, project_id: ownProject() }
  downloadFrom(addressOf(fillPath(backupFiles.download.path, { id: pointId }), query))
}

/** Downloads files and folders as one ZIP archive, which the server creates while it is downloaded. */
export async function downloadZip(place: FolderPlace, entries: readonly FileEntry[]): Promise<void> {
  await Promise.all([loadTexts('storage'), loadTexts('shell')])
  const t = textsNow('storage')
  const params = { id: place.pointId }
  try {
    const body = { file_system: place.fileSystem, folder: place.path, paths: entries.map(({ path }) => path) }
    const prepared = await call(backupFiles.prepareArchive, { params, body })
    const query = { archive: prepared.id, project_id: ownProject() }
    downloadFrom(addressOf(fillPath(backupFiles.archive.path, params), query))
    const count = prepared.entries
    toast(t('backups.files.zipStarted', { name: prepared.name, count, shown: formatNow().number(count) }))
  } catch (thrown) {
    const message = problemText(asProblem(thrown), textsNow('shell'))
    notify({ type: 'error', title: t('backups.files.zipFailed'), message })
  }
}
