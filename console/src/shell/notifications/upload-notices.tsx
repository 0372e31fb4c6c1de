import { sessionId } from '../../api/call'
import { problemText } from '../../api/problem-text'
import { loadTexts, textsNow } from '../../i18n/use-t'
import { notify, removeNotice, useNotices } from '../../notices/notices'
import type { NoticeAction, NoticeDraft, NoticeType } from '../../notices/notice-types'
import { abortUpload, removeUpload, goOn, resumeUploadWith, useUploads, type Upload } from '../../notices/uploads'
import { FileButton } from '../../ui/fields/FileButton'

/** Prefixed with the session ID, because other tabs use the same upload numbers. */
const noticeId = ({ id }: Pick<Upload, 'id'>) => `${sessionId}-${id}`

const doneMs = 3000

/** Button to select the file for an upload that another page started. */
const chooserOf = (id: string) =>
  function ChooseFile() {
    return (
      <FileButton variant="plain" size="small" onSelect={([file]) => file && resumeUploadWith(id, file)}>
        {textsNow('notices')('upload.choose')}
      </FileButton>
    )
  }
const choosers = new Map<string, ReturnType<typeof chooserOf>>()

function chooser(id: string) {
  const found = choosers.get(id) ?? chooserOf(id)
  choosers.set(id, found)
  return found
}

const types: Readonly<Record<Upload['status'], NoticeType>> = {
  PENDING: 'progress',
  PROGRESS: 'progress',
  UPLOADED: 'success',
  FAILED: 'error',
  CANCELED: 'warning',
}
const titles = {
  PENDING: 'upload.pending',
  PROGRESS: 'upload.running',
  UPLOADED: 'upload.uploaded',
  FAILED: 'upload.failed',
  CANCELED: 'upload.canceled',
} as const

function actionsOf({ id, status, canGoOn }: Upload): NoticeAction[] {
  const t = textsNow('notices')
  if (status === 'PENDING' || status === 'PROGRESS')
    return [{ label: t('upload.abort'), name: 'abort', click: () => abortUpload(id) }]
  return canGoOn ? [{ label: t('upload.goOn'), name: 'goOn', click: () => goOn(id) }] : []
}

/** Converts an upload to a notification with its progress, result and actions (S1§4). */
function noticeOf(upload: Upload): NoticeDraft {
  const t = textsNow('notices')
  const { id, name, status, sentBytes, sizeBytes, problem, canGoOn, wanted } = upload
  const waits = canGoOn || wanted !== undefined
  return {
    id: noticeId(upload),
    type: wanted ? 'warning' : types[status],
    title: t(wanted ? 'upload.interrupted' : titles[status], { name }),
    message: wanted
      ? t(wanted.isOther ? 'upload.otherFile' : 'upload.chooseAgain', { file: wanted.file })
      : problem && problemText(problem, textsNow('shell')),
    progress: status === 'PROGRESS' || wanted ? (100 * sentBytes) / Math.max(1, sizeBytes) : undefined,
    preventReload: types[status] === 'progress',
    actions: actionsOf(upload),
    components: wanted ? [chooser(id)] : [],
    onClose: () => removeUpload(id),
    // the notification stays until the user decides what to do
    ...(waits && { duration: null, skipStore: true }),
  }
}

function tell(uploads: readonly Upload[], before: readonly Upload[]) {
  for (const upload of uploads) {
    if (before.includes(upload)) continue
    notify(noticeOf(upload))
    if (upload.status === 'UPLOADED' || upload.status === 'CANCELED') setTimeout(() => removeUpload(upload.id), doneMs)
  }
  // finished uploads stay in the list of notifications
  const { notices } = useNotices.getState()
  for (const upload of before) {
    const id = noticeId(upload)
    const isOver = !notices.some((notice) => notice.id === id && (notice.type === 'progress' || notice.skipStore))
    if (!isOver && !uploads.some((it) => it.id === upload.id)) removeNotice(id)
  }
}

/** Shows uploads as notifications. Returns a function to stop showing them. */
export function followUploads(): () => void {
  let isHere = true
  let stop = () => {}
  void loadTexts('notices').then(() => {
    if (!isHere) return
    tell(useUploads.getState().uploads, [])
    stop = useUploads.subscribe(({ uploads }, before) => tell(uploads, before.uploads))
  })
  return () => {
    isHere = false
    stop()
  }
}
