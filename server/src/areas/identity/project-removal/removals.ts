import type { Sql } from '@mainstay/engines/ports/engines'
import type { Secret } from '@mainstay/engines/ports/secret'
import type { Panel } from '../../../session/scopes'
import { seal, unseal } from '../../../session/sealing'

/** In whose name a project is deleted with all that is in it. */
export interface Remover {
  session_id: string
  user_id: string
  /** The project in which they acted; null for who administers a domain or the installation. */
  project_id: string | null
  /** Opens the credential of the session; null for an engine without a cloud. */
  credential_key: Secret | null
  /** From where it was begun. */
  address: string
  /** The port at which it was begun. */
  panel: Panel
}

const place = (taskId: string) => `credential of the removal ${taskId}`

export async function insertRemover(sql: Sql, key: Secret, taskId: string, remover: Remover): Promise<void> {
  const { session_id, user_id, project_id, credential_key: opened, address, panel } = remover
  await sql.query(
    `insert into project_removal (task_id, session_id, user_id, project_id, credential_key, address, panel)
      values ($1, $2, $3, $4, $5, $6, $7)`,
    [taskId, session_id, user_id, project_id, opened && seal(opened, key, place(taskId)), address, panel],
  )
}

export async function findRemover(sql: Sql, key: Secret, taskId: string): Promise<Remover | null> {
  const [row] = await sql.query<Omit<Remover, 'credential_key'> & { credential_key: Buffer | null }>(
    'select session_id, user_id, project_id, credential_key, address, panel from project_removal where task_id = $1',
    [taskId],
  )
  return row ? { ...row, credential_key: row.credential_key && unseal(row.credential_key, key, place(taskId)) } : null
}

/** Forgets in whose name a removal went on that is over. */
export async function forgetRemover(sql: Sql, taskId: string): Promise<void> {
  await sql.query('delete from project_removal where task_id = $1', [taskId])
}
