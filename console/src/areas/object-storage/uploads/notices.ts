import { sessionId } from '../../../api/call'
import { loadTexts, textsNow } from '../../../i18n/use-t'
import { notify, removeNotice, useNotices } from '../../../notices/notices'
import type { NoticeDraft } from '../../../notices/notice-types'
import { isActive, isOpen, type FileUpload } from './file-upload'
import { abortAll, useFileUploads } from './queue'
import { showUploads, useUploadPanel } from './upload-panel'

/** Includes the session ID because batch numbers are not unique across tabs. */
const ownIds = `s3-uploads-${sessionId}`
const idOf = (batch: number) => `${ownIds}-${batch}`
/** Maximum number of names in a notification. */
const MOST_NAMES = 3

/** The notification for one batch of uploads (S1§4). */
export function noticeOf(uploads: readonly FileUpload[]): NoticeDraft {
  const t = textsNow('objectStorage')
  const total = uploads.length
  const loaded = uploads.filter(({ status }) => status === 'UPLOADED').length
  const failed = uploads.filter(({ status }) => status === 'FAILED')
  // the open panel shows more details in the same corner
  const common = { id: idOf(uploads[0]!.batch), showBottom: !useUploadPanel.getState().isOpen }
  const show = { label: t('upload.show'), name: 'show', click: showUploads }
  if (uploads.some(isOpen)) {
    const share = uploads.reduce((sum, it) => sum + (isOpen(it) ? it.progress : 100), 0) / total
    const current = uploads.find(({ status }) => status === 'PROGRESS')
    return {
      ...common,
      type: 'progress',
      title: t('upload.running', { count: total }),
      message:
        current && t('upload.current', { name: current.name, done: total - uploads.filter(isOpen).length, total }),
      progress: share,
      // while uploads are active, warn before the user leaves the page, and do not sign out an inactive user
      preventReload: uploads.some(isActive),
      actions: [show, { label: t('upload.abortAll'), name: 'abort', click: abortAll }],
    }
  }
  const actions = [show]
  if (failed.length === total) {
    const isDenied = failed.every(({ problem }) => problem?.code === 'AccessDenied')
    const bucket = uploads[0]!.bucketName
    return {
      ...{ ...common, type: 'error', actions, progress: undefined, preventReload: false },
      title: t(isDenied ? 'upload.denied' : 'upload.failed', { bucket }),
      message: isDenied ? t('upload.deniedText') : failed[0]!.problem?.message,
    }
  }
  const names = failed.slice(0, MOST_NAMES).map(({ name }) => name)
  return {
    ...{ ...common, type: 'success', actions, progress: undefined, preventReload: false },
    title: t('upload.done', { loaded, total }),
    message:
      failed.length === 0 ? undefined : t('upload.failedNames', { names: names.join(', '), count: failed.length }),
  }
}

function tell(uploads: readonly FileUpload[], before: readonly FileUpload[]) {
  const changed = new Set(uploads.filter((it) => !before.includes(it)).map(({ batch }) => batch))
  for (const batch of changed) notify(noticeOf(uploads.filter((it) => it.batch === batch)))
  // the user has signed out: remove their progress notifications
  if (uploads.length === 0)
    for (const { id, type } of useNotices.getState().notices)
      if (id.startsWith(ownIds) && type === 'progress') removeNotice(id)
}

let isFollowed = false

/** Starts showing upload notifications on all pages. Later calls do nothing. */
export async function followFileUploads(): Promise<void> {
  if (isFollowed) return
  isFollowed = true
  await loadTexts('objectStorage')
  tell(useFileUploads.getState().uploads, [])
  useFileUploads.subscribe(({ uploads }, before) => tell(uploads, before.uploads))
  useUploadPanel.subscribe(() => tell(useFileUploads.getState().uploads.filter(isOpen), []))
}
