import type { Task } from '@mainstay/contract/core/tasks'
import type { ComponentType } from 'react'

/** Types of notifications (S1§4). */
export const noticeTypes = ['warning', 'error', 'info', 'success', 'progress'] as const
export type NoticeType = (typeof noticeTypes)[number]

/** Filters for the notification list. */
export const noticeFilters = ['all', ...noticeTypes] as const
export type NoticeFilter = (typeof noticeFilters)[number]

export interface NoticeAction {
  label: string
  /** Action name, stored with the notification. `open` navigates to the path in `payload`. */
  name: string
  payload?: string | undefined
  /** Callback that replaces the named action. It is lost when the page is closed. */
  click?: (() => void) | undefined
}

export interface Notice {
  id: string
  type: NoticeType
  title: string
  message?: string | undefined
  /** Percentage for progress notifications; null while it is unknown. */
  progress?: number | null | undefined
  /** In milliseconds since 1970. */
  timestamp: number
  isSeen: boolean
  /** Number of identical errors within five seconds. */
  count: number
  /**
   * Milliseconds until the notification leaves the corner of the page; null keeps it there until it is closed or the
   * operation ends.
   */
  duration: number | null
  showBottom: boolean
  showClose: boolean
  /**
   * Leaving the page would interrupt the operation: the browser asks first, and the user is not signed out for
   * inactivity.
   */
  preventReload: boolean
  /** Not kept after a reload. Progress notifications are never kept. */
  skipStore: boolean
  /** Notifications for the same operation replace each other. */
  operationId?: string | undefined
  actions: readonly NoticeAction[]
  /** Request ID of the failed call, for the server log. */
  requestId?: string | undefined
  /** Rendered below the text. */
  components: readonly ComponentType<{ notice: Notice }>[]
  /** Called when the user closes the notification. */
  onClose?: (() => void) | undefined
  task?: Task | undefined
}

export type NoticeDraft = Pick<Notice, 'type' | 'title'> & Partial<Omit<Notice, 'timestamp' | 'isSeen' | 'count'>>
