import type { Task, TaskQuestion } from '@mainstay/contract/core/tasks'
import { createElement, type ReactNode } from 'react'
import { catalogueNow, type Key } from '../i18n/catalogues'
import type { Translate } from '../i18n/use-t'
import type { NoticeType } from './notice-types'

/** Notification type for each task state (S1§4). */
export const noticeTypeOf: Readonly<Record<string, NoticeType>> = {
  aborted: 'error',
  failed: 'error',
  cancelled: 'warning',
  cancelling: 'progress',
  running: 'progress',
  scheduled: 'progress',
  starting: 'progress',
  paused: 'progress',
  success: 'success',
}

const nameOf = ({ args, kwargs }: Task): string => {
  const [first] = args
  const named = typeof first === 'object' && first !== null ? (first as { name?: unknown }).name : kwargs['name']
  return typeof named === 'string' ? named : ''
}

// English is always loaded and contains every string.
const hasText = (key: string) => key in (catalogueNow('en', 'tasks') ?? {})

/**
 * The title of a task by its name and state, such as "Creating virtual machine “web-1”". Unknown tasks get a generic
 * title.
 */
export function taskText(task: Task, t: Translate<'tasks'>): string {
  const type = noticeTypeOf[task.state] ?? 'progress'
  const form = type === 'error' ? 'failed' : type === 'success' ? 'done' : type === 'warning' ? 'cancelled' : 'running'
  const own = `${task.name}.${form}`
  const { action, count } = task.kwargs as { action?: string; count?: number }
  const values = { name: nameOf(task), task: task.name, action, count }
  return t((hasText(own) ? own : `any.${form}`) as Key<'tasks'>, values)
}

/** The text of the confirmation for cancelling a task: the task on its own line, followed by the consequence. */
export const cancelNote = (task: Task, t: Translate<'tasks'>): ReactNode => [
  createElement('p', { key: 'task' }, taskText(task, t)),
  createElement('p', { key: 'note' }, t('list.cancelNote')),
]

const inWords = (name: string) => {
  const words = name.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/**
 * The label of a task step, such as "Move virtual machines away", or its name in readable form if there is no label.
 */
export function stepText(task: Pick<Task, 'name'>, step: string, t: Translate<'tasks'>): string {
  const own = `${task.name}.step.${step}`
  return hasText(own) ? t(own as Key<'tasks'>) : inWords(step)
}

/** The text of a question that a task asks. */
export function questionText(
  task: Pick<Task, 'name'>,
  { name, values }: Pick<TaskQuestion, 'name' | 'values'>,
  t: Translate<'tasks'>,
): string {
  const own = `${task.name}.ask.${name}`
  return hasText(own) ? t(own as Key<'tasks'>, values) : t('any.ask', { question: inWords(name) })
}

/** The text of a possible answer to the question. */
export function choiceText(task: Pick<Task, 'name'>, choice: string, t: Translate<'tasks'>): string {
  const own = `${task.name}.choice.${choice}`
  return hasText(own) ? t(own as Key<'tasks'>) : inWords(choice)
}

/** The reason why a task failed, or that the reason is unknown (S1§8). */
export const taskError = (task: Task, t: Translate<'tasks'>) => task.error ?? t('unknownReason')

/** The object that a task acts on, if its arguments name one. */
export function subjectOf({ args: [first] }: Pick<Task, 'args'>): { kind: string; id: string; name: string } | null {
  if (typeof first !== 'object' || first === null) return null
  const { kind, id, name } = first as Record<string, unknown>
  if (typeof kind !== 'string' || typeof id !== 'string') return null
  return { kind, id, name: typeof name === 'string' ? name : id }
}

/** Whether the task deleted its object. */
export const isGone = ({ name, state }: Pick<Task, 'name' | 'state'>) => name.endsWith('.delete') && state === 'success'
