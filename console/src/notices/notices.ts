import { create } from 'zustand'
import { guardLeaving } from './leave-guard'

export type NoticeType = 'info' | 'success' | 'warning' | 'error' | 'progress'

export interface NoticeAction {
  label: string
  run: () => void
}

export interface Notice {
  id: string
  type: NoticeType
  title: string
  message?: string | undefined
  /** 0 to 1, of a progress. */
  share?: number | null | undefined
  timestamp: number
  isSeen: boolean
  /** How often the same was said within five seconds. */
  count: number
  /** After this it leaves the corner of the page; null stays until it is closed or done. */
  durationMs: number | null
  showBottom: boolean
  /** Leaving the page would break it off. */
  preventReload: boolean
  taskId?: string | undefined
  actions: readonly NoticeAction[]
}

export type NoticeDraft = Pick<Notice, 'type' | 'title'> & Partial<Omit<Notice, 'timestamp' | 'isSeen' | 'count'>>

/** S1§9. */
export const durationsMs: Readonly<Record<NoticeType, number | null>> = {
  info: 3000,
  success: 3000,
  warning: 5000,
  error: 10_000,
  progress: null,
}
export const maxMainItems = 30
export const maxBottomItems = 3
const sameWithinMs = 5000

/** Newest first. */
export const useNotices = create<{ notices: readonly Notice[] }>()(() => ({ notices: [] }))

const guards = new Map<string, () => void>()

function followGuards(notices: readonly Notice[]) {
  for (const [id, end] of guards) {
    if (notices.some((notice) => notice.id === id && notice.preventReload)) continue
    end()
    guards.delete(id)
  }
  for (const { id, preventReload } of notices) if (preventReload && !guards.has(id)) guards.set(id, guardLeaving())
}

const change = (next: (notices: readonly Notice[]) => readonly Notice[]) => {
  useNotices.setState(({ notices }) => ({ notices: next(notices) }))
  followGuards(useNotices.getState().notices)
}

let made = 0

const isSame = (draft: NoticeDraft) => (notice: Notice) =>
  draft.type === 'error' &&
  notice.type === 'error' &&
  notice.title === draft.title &&
  notice.message === draft.message &&
  Date.now() - notice.timestamp < sameWithinMs

/** Says something in the corner of the page. The same id says it anew, in the same place. */
export function notify(draft: NoticeDraft): string {
  const { notices } = useNotices.getState()
  const before = notices.find(draft.id ? ({ id }) => id === draft.id : isSame(draft))
  const notice: Notice = {
    durationMs: durationsMs[draft.type],
    showBottom: true,
    preventReload: false,
    actions: [],
    ...draft,
    id: before?.id ?? draft.id ?? `notice-${++made}`,
    timestamp: Date.now(),
    isSeen: false,
    count: before && !draft.id ? before.count + 1 : 1,
  }
  change((all) =>
    before
      ? all.map((other) => (other.id === notice.id ? notice : other))
      : // what is still going on is never pushed out
        [notice, ...all].filter(({ type }, index) => index < maxMainItems || type === 'progress'),
  )
  return notice.id
}

export const updateNotice = (id: string, part: Partial<Notice>) =>
  change((all) => all.map((notice) => (notice.id === id ? { ...notice, ...part } : notice)))

/** Out of the corner; it stays in the list. */
export const hideNotice = (id: string) => updateNotice(id, { showBottom: false })

export const removeNotice = (id: string) => change((all) => all.filter((notice) => notice.id !== id))

/** What the corner shows of notifications: the newest ones, oldest on top. */
export const bottomOf = (notices: readonly Notice[], most: number): Notice[] =>
  notices
    .filter(({ showBottom }) => showBottom)
    .slice(0, most)
    .toReversed()

/** "Saved", for three seconds. */
export const toast = (title: string, message?: string) => notify({ type: 'success', title, message })
