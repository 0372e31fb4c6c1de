import { Problem, problem } from '@mainstay/contract/core/problems'
import type { Sql } from '@mainstay/engines/ports/engines'
import type { Secret } from '@mainstay/engines/ports/secret'
import { readSource, sourceText, type S3Source } from '@mainstay/engines/s3/source'
import type { Inventory } from '../inventory/types'
import { seal, unseal } from '../session/sealing'
import type { SignedIn } from '../session/signed-in'
import type { Sessions } from '../session/types'

/** From where a run was started. */
interface RunOrigin {
  address: string
  /** For policies of buckets; null where it is not known. */
  source?: S3Source | null
}

interface CallerRow extends Pick<SignedIn, 'session_id' | 'panel'> {
  project_id: string | null
  credential_key: Buffer | null
  address: string
  source: string | null
}

const place = (taskId: string) => `credential of the run ${taskId}`

/** Keeps in whose name the job of this task acts; it is forgotten with the job. */
export async function keepCaller(
  sql: Sql,
  key: Secret,
  taskId: string,
  { session_id, project, credential_key, panel }: SignedIn,
  { address, source = null }: RunOrigin,
): Promise<void> {
  const sealed = credential_key && seal(credential_key, key, place(taskId))
  await sql.query(
    `insert into run_caller (task_id, session_id, project_id, credential_key, panel, address, source)
      values ($1, $2, $3, $4, $5, $6, $7)`,
    [taskId, session_id, project?.id ?? null, sealed, panel, address, source && sourceText(source)],
  )
}

/** Whoever started the run of this task, with what they may do now. Throws `unauthorized` when they have signed out. */
export async function callerOf(
  tools: { inventory: Pick<Inventory, 'transaction'>; sessions: Pick<Sessions, 'resolveSession'>; sealingKey: Secret },
  taskId: string,
  requestId = taskId,
): Promise<{ caller: SignedIn } & Required<RunOrigin>> {
  const [row] = await tools.inventory.transaction((_, __, sql) =>
    sql.query<CallerRow>('select * from run_caller where task_id = $1', [taskId]),
  )
  if (!row) throw new Error('nobody is known who started the run')
  const credential_key = row.credential_key && unseal(row.credential_key, tools.sealingKey, place(taskId))
  const caller = await tools.sessions.resolveSession({ ...row, credential_key }, requestId).catch((error: unknown) => {
    if (!(error instanceof Problem) || error.code !== 'unauthorized') throw error
    throw problem('core.starter_signed_out')
  })
  return { caller, address: row.address, source: readSource(row.source ?? undefined) }
}
