import { randomUUID } from 'node:crypto'
import { notFound, problem } from '@mainstay/contract/core/problems'
import { s3Runs, type S3Run, type S3RunAction, type S3RunDraft } from '@mainstay/contract/object-storage/s3-files'
import type { Sql } from '@mainstay/engines/ports/engines'
import * as z from 'zod'
import { serve, type CallRequest } from '../../http/serve'
import { job, schedule } from '../../module'
import { S3Refusal } from '../../proxies/s3/s3-refusal'
import type { SignedIn } from '../../session/signed-in'
import { enqueue } from '../../tasks/job'
import { keepCaller } from '../../tasks/run-callers'
import type { Tools } from '../../tools'
import { asked, ownS3Of, problemOf } from './s3-on-behalf-of'
import { doBatch } from './runs/batches'
import { countRunning, endRun, findRun, insertRun, pruneRuns, type KeptRun, type RunPlan } from './runs/kept-runs'
import { permitRun, runFiles, type RunArgs } from './runs/run-files'

const Args: z.ZodType<RunArgs> = z.strictObject({ run_id: z.string() })

/** Maximum number of concurrent runs per user. */
const MOST_RUNNING = 10

const withSql = <Result>({ inventory }: Pick<Tools, 'inventory'>, work: (sql: Sql) => Promise<Result>) =>
  inventory.transaction((_, __, sql) => work(sql))

const running = (action: S3RunAction) =>
  job({
    name: `object_storage.objects.${action}`,
    args: Args,
    pool: 'bulk',
    steps: [{ name: 'files', endsItself: true, run: runFiles }],
    result: ({ done }) => ({ done }),
    onFailure: ({ args, cancelled }, _, tools: Tools) =>
      withSql(tools, (sql) => endRun(sql, args.run_id, cancelled() ? 'cancelled' : 'failed')),
  })
const jobOf = { copy: running('copy'), move: running('move'), delete: running('delete') }

const retention = job({
  name: 'object_storage.objects.retention',
  args: z.strictObject({}),
  pool: 'bulk',
  run: (_, tools) => withSql(tools, pruneRuns),
})
export const s3RunJobs = Object.values(jobOf)
export const s3RunSchedules = [
  schedule({
    name: 'object_storage.objects.retention',
    job: retention,
    plan: { cron: '52 * * * *', time_zone: 'UTC', jitter_seconds: 0, missed: 'once' },
  }),
]

const shown = ({ id, task_id, action, state, done, failed, faults }: KeptRun): S3Run => ({
  ...{ id, task_id, action, state, done, failed, faults },
})

/** Removes keys in folders that are also listed, so that their objects are not counted twice. */
const withoutNested = (keys: readonly string[]): string[] =>
  [...new Set(keys)].filter(
    (key) => !keys.some((it) => it !== key && (it === '' || it.endsWith('/')) && key.startsWith(it)),
  )

/**
 * Name of a run in its task and in the audit log: the file or folder if there is only one, and otherwise the bucket.
 */
const nameOf = ({ bucket, keys }: Pick<S3RunDraft, 'bucket' | 'keys'>): string =>
  keys.length === 1 ? `${bucket}/${keys[0]}` : bucket

const isOneFile = ([key, ...more]: readonly string[]) => more.length === 0 && key !== '' && !key!.endsWith('/')

async function doAtOnce(plan: RunPlan, caller: SignedIn, tools: Tools, request: CallRequest): Promise<S3Run> {
  const s3 = await ownS3Of(tools, caller, request)
  const { done, faults } = await doBatch(s3, plan, [{ key: plan.keys[0]!, source: 0, etag: null }])
  const [fault] = faults
  if (fault) throw problemOf(new S3Refusal(400, fault.code, fault.message))
  return { id: null, task_id: null, action: plan.action, state: 'success', done, failed: 0, faults: [] }
}

async function begin(plan: RunPlan, caller: SignedIn, tools: Tools, request: CallRequest): Promise<S3Run> {
  const { scope, user } = caller
  const { source, origin } = request
  const id = randomUUID()
  const name = nameOf(plan)
  return tools.inventory.transaction(async (records, _, sql) => {
    if ((await countRunning(sql, user.id)) >= MOST_RUNNING)
      throw problem('objectStorage.too_many_runs', { most: MOST_RUNNING })
    const task_id = await enqueue(records, jobOf[plan.action], {
      ...{ args: { run_id: id }, subject: { kind: 's3_run', id, name }, cancellable: true },
      scope: { ...scope, credential: null },
    })
    await keepCaller(sql, tools.sealingKey, task_id, caller, { address: origin.address, source })
    await insertRun(sql, { id, task_id, user_id: user.id, ...plan })
    return { id, task_id, action: plan.action, state: 'running', done: 0, failed: 0, faults: [] }
  })
}

export const s3RunRoutes = serve(
  s3Runs,
  {
    async create({ caller, body, request }, tools) {
      const { action, bucket, overwrite, to } = body
      permitRun(caller, action)
      const plan = { action, bucket, overwrite, keys: withoutNested(body.keys), target: to ?? null }
      return asked(async () => {
        if (isOneFile(plan.keys)) return doAtOnce(plan, caller, tools, request)
        // fail immediately if the caller cannot use object storage or cannot list this bucket
        await (await ownS3Of(tools, caller, request)).list(bucket, plan.keys[0]!, '', 1)
        return begin(plan, caller, tools, request)
      })
    },
    async view({ caller, params }, tools) {
      const run = await withSql(tools, (sql) => findRun(sql, params.id))
      if (!run || run.user_id !== caller.user.id) throw notFound()
      return shown(run)
    },
  },
  { about: 's3_run', nameOf: (body) => (body === undefined ? null : nameOf(body as S3RunDraft)) },
)
