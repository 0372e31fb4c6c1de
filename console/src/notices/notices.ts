import { create } from 'zustand'
import { sessionNow } from '../session/session'
import { isKept, keepNotices, keptKey, readKeptNotices } from './kept-notices'
import { guardLeaving } from './leave-guard'
import { settingsNow, type NoticeSettings } from './notice-settings'
import type { Notice, NoticeDraft, NoticeFilter, NoticeType } from './notice-types'

/** How long each type stays in the corner, in milliseconds (S1§9). */
export const noticeDurations: Readonly<Record<NoticeType, number | null>> = {
  info: 3000,
  success: 3000,
  warning: 5000,
  error: 10_000,
  progress: null,
}
const sameWithinMs = 5000
export const maxUnseen = 9999

const whose = () => sessionNow().user?.id ?? null

interface Notices {
  /** ID of the user to whom the notifications belong; other users do not see them. */
  user: string | null
  /** Ordered newest first. */
  notices: readonly Notice[]
}

export const useNotices = create<Notices>()(() => ({ user: whose(), notices: readKeptNotices(whose()) ?? [] }))

const guards = new Map<string, () => void>()

function followGuards(notices: readonly Notice[]) {
  for (const [id, end] of guards) {
    if (notices.some((notice) => notice.id === id && notice.preventReload)) continue
    end()
    guards.delete(id)
  }
  for (const { id, preventReload } of notices) if (preventReload && !guards.has(id)) guards.set(id, guardLeaving())
}

/** The current user's notifications: those from this page merged with those stored by other tabs. */
function present(): readonly Notice[] {
  const { user, notices } = useNotices.getState()
  const own = user === whose() ? notices : []
  const kept = readKeptNotices(whose())
  if (!kept) return own
  const here = new Map(own.map((notice) => [notice.id, notice]))
  const shared = kept.map((notice) => {
    const mine = here.get(notice.id)
    return mine ? { ...mine, isSeen: notice.isSeen } : notice
  })
  return [...own.filter((notice) => !isKept(notice)), ...shared].toSorted((a, b) => b.timestamp - a.timestamp)
}

function show(notices: readonly Notice[]) {
  useNotices.setState({ user: whose(), notices })
  followGuards(notices)
}

const change = (next: (notices: readonly Notice[]) => readonly Notice[]) => {
  const notices = next(present())
  keepNotices(whose(), notices)
  show(notices)
}

/** Applies changes made in other tabs and drops notifications of a previous user. */
export const renewNotices = () => show(present())

addEventListener('storage', ({ key }) => {
  if (key === keptKey) renewNotices()
})

let made = 0
/** IDs must be unique across tabs, because all of them share one storage. */
const newId = () => `notice-${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 8)}-${++made}`

const isSame =
  ({ id, operationId, type, title, message }: NoticeDraft) =>
  (notice: Notice) =>
    id !== undefined
      ? notice.id === id
      : operationId !== undefined
        ? notice.operationId === operationId
        : type === 'error' &&
          notice.type === 'error' &&
          notice.title === title &&
          notice.message === message &&
          Date.now() - notice.timestamp < sameWithinMs

const isNamed = ({ id, operationId }: NoticeDraft) => id !== undefined || operationId !== undefined

/**
 * Shows a notification in the corner of the page. A notification with the same ID or operation ID is replaced. Returns
 * its ID.
 */
export function notify(draft: NoticeDraft): string {
  let said = draft.id ?? newId()
  change((all) => {
    const before = all.find(isSame(draft))
    said = before?.id ?? said
    // an update with the same type does not mark the notification as unread again
    const goesOn = before !== undefined && isNamed(draft) && before.type === draft.type
    const notice: Notice = {
      duration: noticeDurations[draft.type],
      showBottom: true,
      showClose: draft.type !== 'progress',
      preventReload: false,
      skipStore: false,
      actions: [],
      components: [],
      ...draft,
      id: said,
      timestamp: goesOn ? before.timestamp : Date.now(),
      isSeen: goesOn && before.isSeen,
      count: before && !isNamed(draft) ? before.count + 1 : 1,
    }
    if (goesOn) return all.map((other) => (other.id === said ? notice : other))
    // progress notifications are never dropped
    return [notice, ...all.filter(({ id }) => id !== said)].filter(
      ({ type }, index) => index < settingsNow().maxMainItems || type === 'progress',
    )
  })
  return said
}

export const updateNotice = (id: string, part: Partial<Notice>) =>
  change((all) => all.map((notice) => (notice.id === id ? { ...notice, ...part } : notice)))

/** Removes a notification from the corner; it stays in the list. */
export const hideNotice = (id: string) => updateNotice(id, { showBottom: false })

export const removeNotice = (id: string) => change((all) => all.filter((notice) => notice.id !== id))

/** Removes the notification and calls its `onClose`. */
export function closeNotice({ id, onClose }: Notice) {
  removeNotice(id)
  onClose?.()
}

/** Marks all notifications as seen, as when the list is opened. */
export function markNoticesSeen() {
  if (useNotices.getState().notices.every(({ isSeen }) => isSeen)) return
  change((all) => all.map((notice) => (notice.isSeen ? notice : { ...notice, isSeen: true })))
}

export const isOfType = (filter: NoticeFilter) => (notice: Notice) => filter === 'all' || notice.type === filter

/** Removes notifications that match the filter and all task notifications. */
export const clearNotices = (filter: NoticeFilter) =>
  change((all) => all.filter((notice) => !isOfType(filter)(notice) && !notice.task))

/** Number of unseen notifications, not counting progress notifications; at most 9999 (S1§4). */
export const unseenOf = (notices: readonly Notice[]): number =>
  Math.min(
    maxUnseen,
    notices.reduce((sum, { isSeen, type, count }) => (isSeen || type === 'progress' ? sum : sum + count), 0),
  )

/**
 * Notifications for the corner: progress notifications first, then the newest others, each group with the oldest on
 * top. Progress notifications leave one slot for the others, if there are any.
 */
export function bottomOf(notices: readonly Notice[], { muted, maxBottomItems }: NoticeSettings): Notice[] {
  if (muted.all) return []
  const shown = notices.filter(({ showBottom, type }) => showBottom && !muted[type]).toReversed()
  const told = shown.filter(({ type }) => type !== 'progress')
  const going = shown
    .filter(({ type }) => type === 'progress')
    .slice(0, Math.max(0, maxBottomItems - Math.min(told.length, 1)))
  const places = maxBottomItems - going.length
  return [...going, ...(places > 0 ? told.slice(-places) : [])]
}

/** Shows a success notification, such as "Saved", for three seconds. */
export const toast = (title: string, message?: string) => notify({ type: 'success', title, message })
