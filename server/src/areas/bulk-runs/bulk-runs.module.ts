import { randomUUID } from 'node:crypto'
import { bulkRuns, type BulkRun, type BulkRunDraft } from '@mainstay/contract/core/bulk-runs'
import { notFound, problem } from '@mainstay/contract/core/problems'
import { taskKind } from '@mainstay/contract/core/tasks'
import type { Sql } from '@mainstay/engines/ports/engines'
import * as z from 'zod'
import { job, module, schedule, type Module } from '../../module'
import { serve, type CallRequest, type Served } from '../../http/serve'
import type { SignedIn } from '../../session/signed-in'
import { enqueue } from '../../tasks/job'
import { keepCaller } from '../../tasks/run-callers'
import type { Tools } from '../../tools'
import {
  countStates,
  findRun,
  insertRun,
  listObjects,
  pruneRuns,
  shownState,
  type KeptRun,
  type KeptState,
} from './bulk-objects'
import { checkRun } from './check-objects'
import { callOf, chooseObjects } from './choose-objects'
import { runObjects, type BulkJobArgs } from './run-objects'

const Args: z.ZodType<BulkJobArgs> = z.strictObject({
  ...{ run_id: z.string(), kind: z.string(), action: z.string(), count: z.number().int() },
})
const NAME = 'bulk.run'
const MOST = 5000
const everyState: readonly KeptState[] = ['waiting', 'calling', 'running', 'done', 'failed', 'cancelled']

interface Asked {
  caller: SignedIn
  request: CallRequest
}

const read = <Result>({ inventory }: Pick<Tools, 'inventory'>, work: (sql: Sql) => Promise<Result>) =>
  inventory.transaction((_, __, sql) => work(sql))

/** Returns a run if the caller started it, or is an operator who can see its task. Otherwise throws `not_found`. */
async function seen(id: string, { caller }: Pick<Asked, 'caller'>, tools: Tools): Promise<KeptRun> {
  const run = await read(tools, (sql) => findRun(sql, id))
  const isOwn = run?.user_id === caller.user.id && run.project_id === (caller.project?.id ?? null)
  if (!run || (!isOwn && caller.scope.kind !== 'system')) throw notFound()
  if (!isOwn) await tools.inventory.view(taskKind, caller.scope, run.task_id)
  return run
}

async function shown(run: KeptRun, tools: Tools): Promise<BulkRun> {
  const { id, task_id, kind, action, created_at } = run
  const states = await read(tools, (sql) => countStates(sql, id))
  const count = Object.values(states).reduce((sum, it) => sum + it, 0)
  return { id, task_id, kind, action, count, states, created_at: created_at.toISOString() }
}

const objectsText = (count: number) => (count === 1 ? '1 object' : `${count} objects`)
const isRun = (reply: unknown): reply is BulkRun => typeof (reply as BulkRun | undefined)?.count === 'number'

/** Bulk runs: background jobs that make the same call for many objects. `served`: the calls of all areas. */
export function bulkRunsModule(served: readonly Served[]): Module {
  const running = job({
    name: NAME,
    args: Args,
    steps: [{ name: 'objects', endsItself: true, run: (turn, tools) => runObjects(served, turn, tools) }],
    result: ({ done }) => ({ done }),
  })

  async function begin(draft: BulkRunDraft, { caller, request }: Asked, tools: Tools): Promise<BulkRun> {
    const one = callOf(served, draft, caller)
    const objects = await chooseObjects(one, draft, caller, tools)
    const { kind, action, body, query } = draft
    const { scope, user, project } = caller
    const id = randomUUID()
    const count = objects.length
    await tools.inventory.transaction(async (records, _, sql) => {
      const subject = { kind: 'bulk_run', id, name: count === 1 ? objects[0]!.name : objectsText(count) }
      const task_id = await enqueue(records, running, {
        ...{ args: { run_id: id, kind, action, count }, subject, cancellable: true },
        scope: { ...scope, credential: null },
      })
      await keepCaller(sql, tools.sealingKey, task_id, caller, request.origin)
      const who = { user_id: user.id, project_id: project?.id ?? null }
      await insertRun(sql, { id, task_id, kind, action, body, query, ...who }, objects)
    })
    const { task_id, created_at } = await seen(id, { caller }, tools)
    const states = { waiting: count, running: 0, done: 0, failed: 0, cancelled: 0 }
    return { id, task_id, kind, action, count, states, created_at: created_at.toISOString() }
  }

  const routes = serve(
    bulkRuns,
    {
      create: (call, tools) => begin(call.body, call, tools),
      check: (call, tools) => checkRun(served, call, tools),
      view: async (call, tools) => shown(await seen(call.params.id, call, tools), tools),
      async objects({ params, query: { state, after, limit }, ...call }, tools) {
        const run = await seen(params.id, call, tools)
        const states = state === undefined ? everyState : everyState.filter((it) => shownState(it) === state)
        const rows = await read(tools, (sql) => listObjects(sql, run.id, states, { after, limit }))
        return {
          data: rows.map(({ request_id: _, ...row }) => ({ ...row, state: shownState(row.state) })),
        }
      },
      async retry({ params, ...call }, tools) {
        const run = await seen(params.id, call, tools)
        const left = await read(tools, (sql) => listObjects(sql, run.id, ['failed', 'cancelled'], { limit: MOST }))
        if (left.length === 0) throw problem('core.nothing_failed')
        const { kind, action } = run
        const draft: BulkRunDraft = {
          ...{ kind, action, ids: left.map(({ id }) => id) },
          ...(run.body !== null && { body: run.body as Record<string, unknown> }),
          ...(run.query !== null && { query: run.query as Record<string, string> }),
        }
        return begin(draft, call, tools)
      },
    },
    { about: 'bulk_run', nameOf: (_, reply) => (isRun(reply) ? objectsText(reply.count) : null) },
  )

  return module({
    routes: [routes],
    jobs: [running],
    schedules: [
      schedule({
        name: 'bulk.retention',
        job: job({
          name: 'bulk.retention',
          args: z.strictObject({}),
          pool: 'bulk',
          run: (_, tools) => read(tools, pruneRuns),
        }),
        plan: { cron: '47 * * * *', time_zone: 'UTC', jitter_seconds: 0, missed: 'once' },
      }),
    ],
  })
}
