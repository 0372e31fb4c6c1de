import { says } from './said'
import * as z from 'zod'
import { endpoints } from './endpoint'
import { someId } from './example'
import { Id, Time } from './names'
import { Refusal } from './problems'

/** Maximum number of concurrent calls per run (S1§9). */
export const BULK_AT_ONCE = 5
/** Maximum number of objects in a run whose tasks are in progress at the same time. */
export const BULK_UNDER_WAY = 20
/** Maximum number of objects per run. */
export const MAX_BULK_OBJECTS = 5000
/** Maximum number of objects that a dry run checks. The others are checked when the run reaches them. */
export const MAX_BULK_CHECKED = 500
/** Maximum number of objects per page of a run. */
export const MAX_BULK_PAGE = 1000

const Call = {
  kind: z.string().max(64).describe('Kind of the objects, for example `server` or `volume`.'),
  action: z.string().max(64).describe('Name of the call, for example `start`, `stop` or `delete`.'),
  body: z.record(z.string(), z.unknown()).optional().describe('Body of the call, the same for each object.'),
  query: z.record(z.string(), z.string().max(255)).optional().describe('Query for the call, the same for each object.'),
  ids: z.array(Id).min(1).max(MAX_BULK_OBJECTS).optional().describe('IDs of the objects.'),
  filters: z
    .record(z.string().max(64), z.string().max(2048))
    .optional()
    .describe('Instead of `ids`: list filters that select the objects. Empty: all objects.'),
  except: z.array(Id).max(MAX_BULK_OBJECTS).optional().describe('IDs of matching objects to exclude.'),
}

export const BulkRunDraft = z
  .strictObject(Call)
  .refine(({ ids, filters }) => (ids === undefined) !== (filters === undefined), {
    path: ['ids'],
    message: says('core.ids_or_filters'),
  })
  .meta({ examples: [{ kind: 'server', action: 'start', ids: [someId('server')] }] })
export type BulkRunDraft = z.infer<typeof BulkRunDraft>

export const BulkCheck = z.object({
  /** Number of objects in the run. */
  count: z.number().int(),
  data: z.array(z.object({ id: z.string(), name: z.string(), refusal: Refusal.nullable() })),
  /** Number of objects that the dry run did not check. */
  unchecked: z.number().int(),
})
export type BulkCheck = z.infer<typeof BulkCheck>

/** `running`: the call or its task is in progress. */
export const BulkObjectState = z.enum(['waiting', 'running', 'done', 'failed', 'cancelled'])
export type BulkObjectState = z.infer<typeof BulkObjectState>

const BulkObject = z.object({
  number: z.number().int().describe('Position in the run, starting at 1.'),
  id: z.string(),
  name: z.string(),
  state: BulkObjectState,
  /** IDs of the tasks that the call started. */
  task_ids: z.array(z.string()),
  err_code: z.string().nullable(),
  /** Error message if the call failed. */
  error: z.string().nullable(),
})
export type BulkObject = z.infer<typeof BulkObject>

/** One action applied to many objects. Its task reports the progress; cancelling the task cancels the run. */
export const BulkRun = z.object({
  id: z.string(),
  task_id: z.string(),
  kind: z.string(),
  action: z.string(),
  /** Number of objects, in total and by state. */
  count: z.number().int(),
  states: z.record(BulkObjectState, z.number().int()),
  created_at: Time,
})
export type BulkRun = z.infer<typeof BulkRun>

const path = '/api/v2/bulk_runs'
const one = `${path}/:id` as const

export const bulkRuns = endpoints({
  create: {
    verb: 'POST',
    path,
    needs: 'signed-in',
    summary:
      'Start a bulk run. Makes the same call for each of up to 5000 objects, as a task. Requires the permission of ' +
      'that call.',
    body: BulkRunDraft,
    status: 202,
    reply: BulkRun,
  },
  check: {
    verb: 'POST',
    path: `${path}/check`,
    needs: 'signed-in',
    summary:
      'Preview a bulk run. Checks up to 500 objects and returns why the call would be refused, if so. Nothing is ' +
      'changed.',
    body: BulkRunDraft,
    reply: BulkCheck,
    isAct: false,
  },
  view: {
    verb: 'GET',
    path: one,
    needs: 'signed-in',
    summary: 'Get a bulk run. Includes the number of objects in each state.',
    reply: BulkRun,
  },
  objects: {
    verb: 'GET',
    path: `${one}/objects`,
    needs: 'signed-in',
    summary: 'List the objects of a bulk run. Includes the state and the error of each object.',
    query: z.strictObject({
      state: BulkObjectState.optional(),
      after: z.coerce.number().int().min(0).default(0).describe('`number` of the last object on the previous page.'),
      limit: z.coerce.number().int().min(1).max(MAX_BULK_PAGE).default(100),
    }),
    reply: z.object({ data: z.array(BulkObject) }),
  },
  retry: {
    verb: 'POST',
    path: `${one}/retry`,
    needs: 'signed-in',
    summary: 'Retry a bulk run. Starts a new run for the objects that failed or were cancelled.',
    status: 202,
    reply: BulkRun,
  },
})
