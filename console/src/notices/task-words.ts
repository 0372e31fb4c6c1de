import type { Task, TaskQuestion } from '@mainstay/contract/core/tasks'
import { catalogueNow, type Key } from '../i18n/catalogues'
import type { Translate } from '../i18n/use-t'
import type { NoticeType } from './notice-types'

/** S1§4: what the state of a task looks like. */
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

// English has every text that there is, and is loaded whatever the language.
const hasText = (key: string) => key in (catalogueNow('en', 'tasks') ?? {})

/** "Creating virtual machine “web-1”": a task in words, by its name and state, else in words that fit every task. */
export function taskText(task: Task, t: Translate<'tasks'>): string {
  const type = noticeTypeOf[task.state] ?? 'progress'
  const form = type === 'error' ? 'failed' : type === 'success' ? 'done' : type === 'warning' ? 'cancelled' : 'running'
  const own = `${task.name}.${form}`
  const { action, count } = task.kwargs as { action?: string; count?: number }
  const values = { name: nameOf(task), task: task.name, action, count }
  return t((hasText(own) ? own : `any.${form}`) as Key<'tasks'>, values)
}

const inWords = (name: string) => {
  const words = name.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** “Move virtual machines away”: a step of a task, or its name in words where it has no text. */
export function stepText(task: Pick<Task, 'name'>, step: string, t: Translate<'tasks'>): string {
  const own = `${task.name}.step.${step}`
  return hasText(own) ? t(own as Key<'tasks'>) : inWords(step)
}

/** What a task asks, by its name and the name of the question. */
export function questionText(
  task: Pick<Task, 'name'>,
  { name, values }: Pick<TaskQuestion, 'name' | 'values'>,
  t: Translate<'tasks'>,
): string {
  const own = `${task.name}.ask.${name}`
  return hasText(own) ? t(own as Key<'tasks'>, values) : t('any.ask', { question: inWords(name) })
}

/** One of the answers to it. */
export function choiceText(task: Pick<Task, 'name'>, choice: string, t: Translate<'tasks'>): string {
  const own = `${task.name}.choice.${choice}`
  return hasText(own) ? t(own as Key<'tasks'>) : inWords(choice)
}

/** A task that fails without saying why still says so (S1§8). */
export const taskError = (task: Task, t: Translate<'tasks'>) => task.error ?? t('unknownReason')

/** What a task is done to, as far as its arguments tell. */
export function subjectOf({ args: [first] }: Pick<Task, 'args'>): { kind: string; id: string; name: string } | null {
  if (typeof first !== 'object' || first === null) return null
  const { kind, id, name } = first as Record<string, unknown>
  if (typeof kind !== 'string' || typeof id !== 'string') return null
  return { kind, id, name: typeof name === 'string' ? name : id }
}

/** Whether what a task was done to is no more. */
export const isGone = ({ name, state }: Pick<Task, 'name' | 'state'>) => name.endsWith('.delete') && state === 'success'
