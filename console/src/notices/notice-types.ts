import type { Task } from '@mainstay/contract/core/tasks'
import type { ComponentType } from 'react'

/** What a notification can be (S1§4). */
export const noticeTypes = ['warning', 'error', 'info', 'success', 'progress'] as const
export type NoticeType = (typeof noticeTypes)[number]

/** What a list of them can be narrowed to. */
export const noticeFilters = ['all', ...noticeTypes] as const
export type NoticeFilter = (typeof noticeFilters)[number]

export interface NoticeAction {
  label: string
  /** What is done: `open` goes to the address that `payload` names. It is kept with the notification. */
  name: string
  payload?: string | undefined
  /** Done in the place of what the name stands for; lasts as long as the page. */
  click?: (() => void) | undefined
}

export interface Notice {
  id: string
  type: NoticeType
  title: string
  message?: string | undefined
  /** Percent, of a progress; null while nobody knows. */
  progress?: number | null | undefined
  /** Milliseconds since 1970. */
  timestamp: number
  isSeen: boolean
  /** How often the same was said within five seconds. */
  count: number
  /** Milliseconds after which it leaves the corner of the page; null stays until it is closed or done. */
  duration: number | null
  showBottom: boolean
  showClose: boolean
  /** Leaving the page would break it off: the browser asks first, and nobody is signed out for being away. */
  preventReload: boolean
  /** It ends with the page. What is going on never outlives it. */
  skipStore: boolean
  /** What belongs to one operation is told in one place. */
  operationId?: string | undefined
  actions: readonly NoticeAction[]
  /** Of the call that failed, as the server's log has it. */
  requestId?: string | undefined
  /** What is drawn below its words. */
  components: readonly ComponentType<{ notice: Notice }>[]
  /** The person has closed it. */
  onClose?: (() => void) | undefined
  task?: Task | undefined
}

export type NoticeDraft = Pick<Notice, 'type' | 'title'> & Partial<Omit<Notice, 'timestamp' | 'isSeen' | 'count'>>
