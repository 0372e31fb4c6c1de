import type { AuditChange } from '@mainstay/contract/core/audit-change'
import { inMicroseconds } from '@mainstay/contract/core/times'
import type { AuditLine } from '@mainstay/contract/monitoring/audit-lines'
import type { AuditResult } from './line'

/** Columns of an audit log entry. */
export const LINE_COLUMNS = `id::text, action, user_id, user_name, domain_id, project_id, subject_id, subject_name, result,
  status, error_code, message, address, method, path, request_id, session_id, changes, started_at, finished_at`

/** A row with these columns. */
export interface LineRow {
  id: string
  action: string
  user_id: string | null
  user_name: string | null
  domain_id: string | null
  project_id: string | null
  subject_id: string | null
  subject_name: string | null
  result: AuditResult
  status: number
  error_code: string | null
  message: string | null
  address: string
  method: string
  path: string
  request_id: string
  session_id: string | null
  changes: AuditChange[] | null
  started_at: Date
  finished_at: Date
}

/** Type of an activity, which is the part before the dot. */
export const typeOf = (action: string): string => action.split('.', 1)[0]!

/** Converts a row to an entry; `isWhole`: includes the fields that only operators see. */
export function lineOf(row: LineRow, isWhole: boolean): AuditLine {
  const { id, action, user_name, subject_id, subject_name, started_at, finished_at, session_id, changes, ...rest } = row
  return {
    ...rest,
    id: Number(id),
    username: user_name,
    type: typeOf(action),
    activity: action,
    timestamp: inMicroseconds(started_at),
    finished_at: finished_at.toISOString(),
    object_id: subject_id,
    object_name: subject_name,
    session_id: isWhole ? session_id : null,
    changes: changes ?? [],
  }
}
