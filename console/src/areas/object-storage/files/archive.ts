import { s3Archives } from '@mainstay/contract/object-storage/s3-files'
import { asProblem } from '../../../api/problem'
import { problemText } from '../../../api/problem-text'
import { downloadFrom } from '../../../api/transfers/download'
import { formatNow } from '../../../i18n/use-format'
import { loadTexts, textsNow } from '../../../i18n/use-t'
import { notify, toast } from '../../../notices/notices'
import { archiveAddress, callS3 } from '../client/runs'
import type { FileRow } from './file-row'

/** Downloads files and folders as one ZIP archive, which the server generates while streaming. */
export async function downloadArchive(bucket: string, folder: string, files: readonly FileRow[]): Promise<void> {
  await Promise.all([loadTexts('objectStorage'), loadTexts('shell')])
  const t = textsNow('objectStorage')
  try {
    const keys = files.map(({ Key }) => Key)
    const { id, name, entries } = await callS3(s3Archives.create, { body: { bucket, folder, keys } })
    downloadFrom(archiveAddress(id))
    toast(t('archive.started', { name, count: entries, shown: formatNow().number(entries) }))
  } catch (thrown) {
    notify({ type: 'error', title: t('archive.failed'), message: problemText(asProblem(thrown), textsNow('shell')) })
  }
}
