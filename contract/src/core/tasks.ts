import * as z from 'zod'
import { crud } from './crud'
import { create, endpoints, read, update } from './endpoint'
import { someId } from './example'
import { kind } from './kind'
import { Id, Time } from './names'
import { page } from './lists/paging'

/** Task states (S1§4). `scheduled` and `aborted` exist only in the notification map. */
export const TaskState = z.enum(['running', 'starting', 'cancelling', 'paused', 'success', 'failed', 'cancelled'])
export type TaskState = z.infer<typeof TaskState>

export const taskIsOver = (state: TaskState): boolean =>
  state === 'success' || state === 'failed' || state === 'cancelled'

/** Replaces secrets wherever request data is stored. */
export const LEFT_OUT = '•••'

/** The call that started a task, with everything required to repeat it. */
export const TaskRequest = z.object({
  verb: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
  /** As in the contract, with `:name` for parameters. */
  path: z.string(),
  params: z.record(z.string(), z.string()),
  query: z.record(z.string(), z.unknown()),
  /** Null if there was no body; `•••` replaces secrets. */
  body: z.unknown(),
})
export type TaskRequest = z.infer<typeof TaskRequest>

export const TaskStepState = z.enum([
  'waiting',
  'running',
  'done',
  'failed',
  'cancelled',
  'undoing',
  'undone',
  'undo_failed',
])
export type TaskStepState = z.infer<typeof TaskStepState>

/** A step of a task. `waiting`: not started yet. */
export const TaskStep = z.object({
  name: z.string().describe('Key of the step’s text in the console.'),
  state: TaskStepState,
  began_at: Time.nullable(),
  ended_at: Time.nullable(),
  /** Why the step failed, or could not be undone. */
  error: z.string().nullable(),
})
export type TaskStep = z.infer<typeof TaskStep>

/** A question that must be answered before the task continues. */
export const TaskQuestion = z.object({
  id: z.string(),
  name: z.string().describe('Key of the question’s text in the console.'),
  values: z.record(z.string(), z.union([z.string(), z.number()])),
  choices: z.array(z.string()),
  otherwise: z
    .string()
    .nullable()
    .describe('Choice that is made automatically at the deadline; null if the task fails instead.'),
  deadline: Time,
})
export type TaskQuestion = z.infer<typeof TaskQuestion>

/**
 * Long-running work. Tasks are durable: they survive restarts, and if a server fails, another one takes over within 30
 * s.
 */
export const Task = z.object({
  id: z.string(),
  task_id: z.string().describe('Same as `id`.'),
  /** Type of the task, such as `compute.server.create`; also the key of its text in the console. */
  name: z.string(),
  state: TaskState,
  /** Arguments of the task, starting with the object it acts on as `{kind, id, name}`. Never contains secrets. */
  args: z.array(z.unknown()),
  kwargs: z.record(z.string(), z.unknown()),
  /** The `event` of the call that started it, if any (S1§7). */
  event: z.string().nullable(),
  result: z.unknown(),
  /** In percent. */
  progress: z.number().min(0).max(100),
  /** Error message for users. */
  error: z.string().nullable(),
  /** Error code, if any, such as `job_gave_up`. */
  err_code: z.string().nullish(),
  /** ID shared by the tasks of one operation. */
  flow: z.string().nullable(),
  /** ID of the parent task. */
  parent_id: z.string().nullish(),
  cancellable: z.boolean(),
  /** Steps in order. A task without steps cannot be paused. */
  steps: z.array(TaskStep).nullish(),
  /** Question for the user; the state is `paused` until it is answered. */
  question: TaskQuestion.nullish(),
  /** A pause was requested and takes effect after the current step. */
  is_pausing: z.boolean().nullish(),
  /** ID of the node that the task is waiting for because no server can reach it at the moment. */
  unreachable_node: z.string().nullish(),
  /** ID of the request that started the task; absent in tasks from older versions. */
  request_id: z.string().nullish(),
  /** Absent if the request was too long to store, if no call started the task, and in tasks from older versions. */
  request: TaskRequest.nullish(),
  user_id: z.string().nullable(),
  /** Absent in tasks from older versions. */
  user_name: z.string().nullish(),
  project_id: z.string().nullable(),
  domain_id: z.string().nullable(),
  created_at: Time,
  updated_at: Time,
  finished_at: Time.nullable(),
})
export type Task = z.infer<typeof Task>

/** Response of a call that only starts a task (S1§7, 202). */
export const TaskStarted = z.object({ task_id: z.string() })

export const taskKind = kind({
  name: 'task',
  entity: Task,
  visibility: 'project',
  status: 'state',
  filters: [
    'id',
    'name',
    'state',
    'user_id',
    { name: 'flow', type: 'id' },
    'parent_id',
    { name: 'subject_id', path: 'derived.subject_id', type: 'id' },
  ],
  sortKeys: ['created_at', 'name', { name: 'state', type: 'id' }],
  defaultSort: 'created_at:desc',
  search: ['name', 'id'],
  derive: {
    version: 1,
    from: ({ args }) => ({ subject_id: (args[0] as { id?: string } | undefined)?.id ?? null }),
  },
  permissions: { collection: 'tasks', item: 'tasks' },
})

const path = '/api/v2/tasks'
export const tasks = endpoints({
  ...crud(taskKind, { path, called: ['a task', 'tasks'] }),
  /** POST as an alternative to GET (S1§7). Returns the requested tasks, including finished ones. */
  find: {
    verb: 'POST',
    path,
    needs: read('tasks'),
    summary: 'Get multiple tasks by ID',
    body: z
      .strictObject({ task_ids: z.array(Id).min(1).max(100) })
      .meta({ examples: [{ task_ids: [someId('task')] }] }),
    reply: page(Task),
  },
  cancel: {
    verb: 'POST',
    path: `${path}/:id/cancel`,
    needs: create('task_cancel'),
    summary: 'Cancel a task. It stops as soon as possible and removes what it created.',
    status: 202,
    reply: Task,
  },
  pause: {
    verb: 'POST',
    path: `${path}/:id/pause`,
    needs: update('task_control'),
    summary: 'Pause a task that has steps. It pauses when its current step is done.',
    status: 202,
    reply: Task,
  },
  resume: {
    verb: 'POST',
    path: `${path}/:id/resume`,
    needs: update('task_control'),
    summary: 'Resume a paused task',
    status: 202,
    reply: Task,
  },
  answer: {
    verb: 'POST',
    path: `${path}/:id/answer`,
    needs: update('task_control'),
    summary: 'Answer the question of a waiting task',
    body: z
      .strictObject({
        question: z.string().min(1).max(64).describe('ID of the question.'),
        choice: z.string().min(1).max(64).describe('One of the `choices` of the question.'),
      })
      .meta({ examples: [{ question: 'c0ffee00-0000-4000-8000-000000000000', choice: 'keep' }] }),
    status: 202,
    reply: Task,
  },
})
