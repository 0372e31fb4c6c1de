import { says } from './said'
import * as z from 'zod'
import { endpoints } from './endpoint'
import { someId } from './example'
import { Id, Time } from './names'
import { Refusal } from './problems'

/** Calls to objects that a run makes at the same time (S1§9). */
export const BULK_AT_ONCE = 5
/** Objects whose tasks may go on at the same time. */
export const BULK_UNDER_WAY = 20
/** The most objects of one run. */
export const MAX_BULK_OBJECTS = 5000
/** Objects that one dry run looks at; the others are looked at when it is their turn. */
export const MAX_BULK_CHECKED = 500
/** Objects that one page of a run answers. */
export const MAX_BULK_PAGE = 1000

const Call = {
  kind: z.string().max(64).describe('Kind of the objects: `server`, `volume`'),
  action: z.string().max(64).describe("The call's name: `start`, `stop`, `delete`"),
  body: z.record(z.string(), z.unknown()).optional().describe('Body of the call for each object'),
  query: z.record(z.string(), z.string().max(255)).optional().describe('Query of the call for each object'),
  ids: z.array(Id).min(1).max(MAX_BULK_OBJECTS).optional().describe('The objects'),
  filters: z
    .record(z.string().max(64), z.string().max(2048))
    .optional()
    .describe('Instead of `ids`: all that match, by the filters of the list. Empty: all'),
  except: z.array(Id).max(MAX_BULK_OBJECTS).optional().describe('Of those that match, these not'),
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
  /** Objects of the run. */
  count: z.number().int(),
  data: z.array(z.object({ id: z.string(), name: z.string(), refusal: Refusal.nullable() })),
  /** Objects that the dry run did not come to. */
  unchecked: z.number().int(),
})
export type BulkCheck = z.infer<typeof BulkCheck>

/** `running`: the call is made, or its task goes on. */
export const BulkObjectState = z.enum(['waiting', 'running', 'done', 'failed', 'cancelled'])
export type BulkObjectState = z.infer<typeof BulkObjectState>

const BulkObject = z.object({
  number: z.number().int().describe('Its place in the run, from 1'),
  id: z.string(),
  name: z.string(),
  state: BulkObjectState,
  /** Tasks that the call began. */
  task_ids: z.array(z.string()),
  err_code: z.string().nullable(),
  /** Why it failed. */
  error: z.string().nullable(),
})
export type BulkObject = z.infer<typeof BulkObject>

/** One action on many objects. Its task shows how far it is; cancelling the task ends the run. */
export const BulkRun = z.object({
  id: z.string(),
  task_id: z.string(),
  kind: z.string(),
  action: z.string(),
  /** Objects of the run, and of these how many are in which state. */
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
    summary: 'Make a call of many objects, as a task that survives its caller; each needs what the call needs',
    body: BulkRunDraft,
    status: 202,
    reply: BulkRun,
  },
  check: {
    verb: 'POST',
    path: `${path}/check`,
    needs: 'signed-in',
    summary: 'What a bulk run would do now, and why it would leave out what it cannot do; nothing is done',
    body: BulkRunDraft,
    reply: BulkCheck,
    isAct: false,
  },
  view: {
    verb: 'GET',
    path: one,
    needs: 'signed-in',
    summary: 'How far a bulk run is',
    reply: BulkRun,
  },
  objects: {
    verb: 'GET',
    path: `${one}/objects`,
    needs: 'signed-in',
    summary: 'The objects of a bulk run, with what came of each',
    query: z.strictObject({
      state: BulkObjectState.optional(),
      after: z.coerce.number().int().min(0).default(0).describe('The last `number` of the page before'),
      limit: z.coerce.number().int().min(1).max(MAX_BULK_PAGE).default(100),
    }),
    reply: z.object({ data: z.array(BulkObject) }),
  },
  retry: {
    verb: 'POST',
    path: `${one}/retry`,
    needs: 'signed-in',
    summary: 'Do what failed in a bulk run once more, as a run of the caller',
    status: 202,
    reply: BulkRun,
  },
})
