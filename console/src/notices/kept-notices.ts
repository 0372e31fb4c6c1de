import { storageVersion } from './notice-settings'
import { noticeTypes, type Notice } from './notice-types'

/** Storage key for notifications that survive a reload. Cleared on sign-out (session/kept.ts). */
export const keptKey = 'notifications'

let isRefused = false

/** Progress notifications are not stored; the operation shows them again if it is still running. */
export const isKept = ({ type, skipStore }: Notice) => type !== 'progress' && !skipStore

const text = (value: unknown) => (typeof value === 'string' ? value : undefined)

/** Restores a stored notification for the list. It is not shown in the corner again. */
function revived(value: unknown): Notice[] {
  if (typeof value !== 'object' || value === null) return []
  const kept = value as Partial<Record<keyof Notice, unknown>>
  const type = noticeTypes.find((it) => it === kept.type)
  const [id, title] = [text(kept.id), text(kept.title)]
  if (!type || type === 'progress' || id === undefined || title === undefined) return []
  if (typeof kept.timestamp !== 'number') return []
  return [
    {
      id,
      type,
      title,
      message: text(kept.message),
      timestamp: kept.timestamp,
      isSeen: kept.isSeen === true,
      count: typeof kept.count === 'number' ? kept.count : 1,
      duration: null,
      showBottom: false,
      showClose: true,
      preventReload: false,
      skipStore: false,
      operationId: text(kept.operationId),
      requestId: text(kept.requestId),
      actions: (Array.isArray(kept.actions) ? kept.actions : []) as Notice['actions'],
      components: [],
      task: kept.task as Notice['task'],
    },
  ]
}

/** The user’s stored notifications, newest first; undefined if the browser blocks storage. */
export function readKeptNotices(user: string | null): Notice[] | undefined {
  if (isRefused) return undefined
  try {
    const kept = JSON.parse(localStorage.getItem(keptKey) ?? 'null') as Record<string, unknown> | null
    if (kept?.['version'] !== storageVersion || kept['user'] !== user || !Array.isArray(kept['notices'])) return []
    return kept['notices'].flatMap(revived)
  } catch (thrown) {
    // invalid JSON is treated as empty
    return thrown instanceof SyntaxError ? [] : undefined
  }
}

const keptFields = [
  ...['id', 'type', 'title', 'message', 'timestamp', 'isSeen', 'count', 'operationId', 'requestId', 'task'],
] as (keyof Notice)[]

/** Stores this user's storable notifications, replacing those of any other user. */
export function keepNotices(user: string | null, notices: readonly Notice[]) {
  const kept = notices.filter(isKept).map((notice) => ({
    ...Object.fromEntries(keptFields.map((field) => [field, notice[field]])),
    // actions with a callback work only on this page
    actions: notice.actions.filter(({ click }) => !click),
  }))
  try {
    if (kept.length === 0) localStorage.removeItem(keptKey)
    else {
      const next = JSON.stringify({ version: storageVersion, user, notices: kept })
      if (next !== localStorage.getItem(keptKey)) localStorage.setItem(keptKey, next)
    }
  } catch {
    isRefused = true
  }
}
