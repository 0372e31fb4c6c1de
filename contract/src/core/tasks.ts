import * as z from 'zod'
import { crud } from './crud'
import { create, endpoints, read, update } from './endpoint'
import { someId } from './example'
import { kind } from './kind'
import { Id, Time } from './names'
import { page } from './lists/paging'

/** S1§4. `scheduled` and `aborted` are in the notification map only. */
export const TaskState = z.enum(['running', 'starting', 'cancelling', 'paused', 'success', 'failed', 'cancelled'])
export type TaskState = z.infer<typeof TaskState>

export const taskIsOver = (state: TaskState): boolean =>
  state === 'success' || state === 'failed' || state === 'cancelled'

/** Stands for a secret wherever what somebody sent is kept. */
export const LEFT_OUT = '•••'

/** The call that began a task, as somebody can make it again. */
export const TaskRequest = z.object({
  verb: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
  /** As the contract has it, with `:name` for parameters. */
  path: z.string(),
  params: z.record(z.string(), z.string()),
  query: z.record(z.string(), z.unknown()),
  /** Null where it has none; `•••` stands for secrets. */
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

/** One step of a task. `waiting`: it has not begun. */
export const TaskStep = z.object({
  name: z.string().describe("The console's texts are keyed by it"),
  state: TaskStepState,
  began_at: Time.nullable(),
  ended_at: Time.nullable(),
  /** Why it failed, or could not be undone. */
  error: z.string().nullable(),
})
export type TaskStep = z.infer<typeof TaskStep>

/** What a task asks before it goes on. */
export const TaskQuestion = z.object({
  id: z.string(),
  name: z.string().describe("The console's texts are keyed by it"),
  values: z.record(z.string(), z.union([z.string(), z.number()])),
  choices: z.array(z.string()),
  otherwise: z.string().nullable().describe('The choice that is made at the deadline; null: the task fails then'),
  deadline: Time,
})
export type TaskQuestion = z.infer<typeof TaskQuestion>

/** Work that takes time. Durable: it survives the server and is taken over within 30 s when a server dies. */
export const Task = z.object({
  id: z.string(),
  task_id: z.string().describe('The same as `id`'),
  /** What is done, e.g. `compute.server.create`; the console's texts are keyed by it. */
  name: z.string(),
  state: TaskState,
  /** What it is done to: `{kind, id, name}` first. Never a secret. */
  args: z.array(z.unknown()),
  kwargs: z.record(z.string(), z.unknown()),
  /** The `event` that the call that started it carried, if any (S1§7). */
  event: z.string().nullable(),
  result: z.unknown(),
  /** Percent. */
  progress: z.number().min(0).max(100),
  /** Why it failed, for people. */
  error: z.string().nullable(),
  /** Code of the error, where it has one: `job_gave_up`. */
  err_code: z.string().nullish(),
  /** Id shared by the tasks of one undertaking. */
  flow: z.string().nullable(),
  /** The task of which this one is a part. */
  parent_id: z.string().nullish(),
  cancellable: z.boolean(),
  /** Its steps, in order. A task that has none is not paused. */
  steps: z.array(TaskStep).nullish(),
  /** What it waits for a person to answer; its state is `paused` until then. */
  question: TaskQuestion.nullish(),
  /** It was asked to pause, and does when what it is doing now is done. */
  is_pausing: z.boolean().nullish(),
  /** Id of the node that it waits for: no server reaches it now. */
  unreachable_node: z.string().nullish(),
  /** The request that began it; absent from tasks of older versions. */
  request_id: z.string().nullish(),
  /** Absent where it was too long to keep, where no call began it, and from tasks of older versions. */
  request: TaskRequest.nullish(),
  user_id: z.string().nullable(),
  /** Absent from tasks of older versions. */
  user_name: z.string().nullish(),
  project_id: z.string().nullable(),
  domain_id: z.string().nullable(),
  created_at: Time,
  updated_at: Time,
  finished_at: Time.nullable(),
})
export type Task = z.infer<typeof Task>

/** Answer of a call that only starts a task (S1§7, 202). */
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
  /** S1§7 names POST beside GET; it answers the tasks asked for by id, also those that are over. */
  find: {
    verb: 'POST',
    path,
    needs: read('tasks'),
    summary: 'Read several tasks by their ids',
    body: z
      .strictObject({ task_ids: z.array(Id).min(1).max(100) })
      .meta({ examples: [{ task_ids: [someId('task')] }] }),
    reply: page(Task),
  },
  cancel: {
    verb: 'POST',
    path: `${path}/:id/cancel`,
    needs: create('task_cancel'),
    summary: 'Ask a task to stop; what it made is taken back',
    status: 202,
    reply: Task,
  },
  pause: {
    verb: 'POST',
    path: `${path}/:id/pause`,
    needs: update('task_control'),
    summary: 'Pause a task that has steps, when what it is doing now is done',
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
    summary: 'Answer the question of a task that waits for a person',
    body: z
      .strictObject({
        question: z.string().min(1).max(64).describe('`id` of the question'),
        choice: z.string().min(1).max(64).describe('One of its `choices`'),
      })
      .meta({ examples: [{ question: 'c0ffee00-0000-4000-8000-000000000000', choice: 'keep' }] }),
    status: 202,
    reply: Task,
  },
})
