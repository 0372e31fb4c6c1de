import type { ColumnType, Generated, JSONColumnType } from 'kysely'

/*
 * Row types of the tables that the query builder uses. Times are written as Date or RFC 3339 text and read as Date.
 * bigint is read as number, because revisions stay far below 2^53.
 */

type Time = ColumnType<Date, Date | string, Date | string>
type OptionalTime = ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
/** Written as JSON text, so that the driver does not convert arrays and strings to PostgreSQL arrays and text. */
type Json<Read = unknown> = ColumnType<Read, string, string>

type OptionalJson = ColumnType<unknown, string | null | undefined, string | null>

export interface ResourceTable {
  kind: string
  id: string
  domain_id: string | null
  project_id: string | null
  user_id: string | null
  name: string | null
  status: string | null
  shared: boolean
  created_at: OptionalTime
  updated_at: OptionalTime
  revision: number
  body: JSONColumnType<Record<string, unknown> & { id: string }>
  derived: Json
  /** Source of the row; null if the row was written by a server that supported only one source. */
  source: string | null
}

export interface ChangeTable {
  revision: number
  kind: string
  id: string
  op: 'put' | 'remove'
  domain_id: string | null
  project_id: string | null
  user_id: string | null
  shared: boolean
  before: Json<{
    domain_id: string | null
    project_id: string | null
    user_id: string | null
    shared: boolean
    readers?: string[]
  } | null>
  /**
   * Readers of the row; null if the row was written by a server running the previous version, which only sets `shared`.
   */
  readers: string[] | null
  /** Signature of the writer's declaration; null if the writer had none. */
  signature: string | null
  at: Time
}

export interface SideTableTable {
  signature: string
  kind: string
  name: string
  is_ready: boolean
  as_of: number
  used_at: Generated<Date>
}

export interface PrivateRecordTable {
  kind: string
  id: string
  data: Json
}

export interface JobTable {
  id: string
  number: Generated<number>
  name: string
  subject_key: string
  subject: Json<{ kind: string; id: string; name: string }>
  args: Json<Record<string, unknown>>
  scope: Json
  attempt: Generated<number>
  takeovers: Generated<number>
  cancel_requested: Generated<boolean>
  failure: string | null
  failure_code: string | null
  /** Epoch of the server that runs the job; null while the job waits. */
  owner: string | null
  lease_until: OptionalTime
  not_before: Generated<Date>
  created_at: Generated<Date>
  state: ColumnType<Record<string, unknown> | null, string | null | undefined, string | null>
  cleanups: Generated<number>
  project_id: ColumnType<string, never, never>
  prepared: Generated<boolean>
  steps: OptionalJson
  question: OptionalJson
  answer: OptionalJson
  pause_requested: Generated<boolean>
  waits_since: OptionalTime
  node: ColumnType<string | null, string | null | undefined, string | null>
}

/** Additional subjects that jobs hold. */
export interface JobHoldTable {
  job_id: string
  subject_key: string
  number: number
}

export interface ServerTable {
  epoch: string
  replica: string
  host: string
  version: string
  started_at: Generated<Date>
  seen_at: Generated<Date>
  job_names: string[]
  signatures: string[]
  nodes: Generated<string[]>
}

export interface Database {
  resource: ResourceTable
  change: ChangeTable
  revision: { single: Generated<boolean>; value: number }
  change_pruned: { single: Generated<boolean>; revision: number }
  private_record: PrivateRecordTable
  side_table: SideTableTable
  lease: { name: string; owner: string; until: Time; holder: string | null; place: string | null }
  job: JobTable
  job_hold: JobHoldTable
  server: ServerTable
}
