import { sql, type Kysely } from 'kysely'

// servers that do not know it write lines without the new columns
export const needs = '0051-image-digests'

/** Which fields an act has set and in which session, and what lists of the audit log are filtered, sorted and searched by. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table audit add column changes jsonb, add column session_id text`.execute(db)
  const indexes: Record<string, string> = {
    audit_by_time: '(started_at, id)',
    audit_by_user: `(coalesce(user_name, ''), id)`,
    audit_by_action: '(action collate "C", id)',
    audit_of_type: `(split_part(action, '.', 1), started_at, id)`,
    audit_of_user: '(user_id, started_at, id)',
    audit_of_domain: `(domain_id, started_at, id) where scope_kind <> 'system'`,
    audit_of_project: '(project_id, started_at, id)',
    audit_of_address: '(address, started_at, id)',
    audit_of_object: '(subject_id, started_at, id)',
    audit_of_request: '(request_id)',
    audit_not_done: `(started_at, id) where result <> 'success'`,
  }
  for (const [name, on] of Object.entries(indexes)) await sql.raw(`create index ${name} on audit ${on}`).execute(db)
  await sql
    .raw(`create index audit_text on audit using gin (${AUDIT_TEXT} gin_trgm_ops) with (gin_pending_list_limit = 1024)`)
    .execute(db)
  // the first of the indexes holds the same
  await sql`drop index audit_started`.execute(db)
}

/** What of a line is searched; written as the index has it. */
export const AUDIT_TEXT =
  "(lower(coalesce(user_name, '') || ' ' || action || ' ' || coalesce(subject_name, '') || ' ' || " +
  "coalesce(subject_id, '') || ' ' || address || ' ' || request_id || ' ' || coalesce(message, '')))"
