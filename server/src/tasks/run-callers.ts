import { Problem, problem } from '@mainstay/contract/core/problems'
import type { Sql } from '@mainstay/engines/ports/engines'
import type { Secret } from '@mainstay/engines/ports/secret'
import { readSource, sourceText, type S3Source } from '@mainstay/engines/s3/source'
import type { Inventory } from '../inventory/types'
import { seal, unseal } from '../session/sealing'
import type { SignedIn } from '../session/signed-in'
import type { Sessions } from '../session/types'

/** Where the request that started a run came from. */
interface RunOrigin {
  address: string
  /** The origin for the conditions in bucket policies; null if unknown. */
  source?: S3Source | null
}

interface CallerRow extends Pick<SignedIn, 'session_id' | 'panel'> {
  project_id: string | null
  credential_key: Buffer | null
  address: string
  source: string | null
}

const place = (taskId: string) => `credential of the run ${taskId}`

/** Stores the caller on whose behalf the job of this task acts. It is deleted with the job. */
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

/**
 * The caller who started this task's run, with the rights that they have now. Throws `unauthorized` if they have signed
 * out.
 */
export async function callerOf(
  tools: { inventory: Pick<Inventory, 'transaction'>; sessions: Pick<Sessions, 'resolveSession'>; sealingKey: Secret },
  taskId: string,
  requestId = taskId,
): Promise<{ caller: SignedIn } & Required<RunOrigin>> {
  const [row] = await tools.inventory.transaction((_, __, sql) =>
    sql.query<CallerRow>('select * from run_caller where task_id = $1', [taskId]),
  )
  if (!row) throw new Error('the user who started the run is unknown')
  const credential_key = row.credential_key && unseal(row.credential_key, tools.sealingKey, place(taskId))
  const caller = await tools.sessions.resolveSession({ ...row, credential_key }, requestId).catch((error: unknown) => {
    if (!(error instanceof Problem) || error.code !== 'unauthorized') throw error
    throw problem('core.starter_signed_out')
  })
  return { caller, address: row.address, source: readSource(row.source ?? undefined) }
}
