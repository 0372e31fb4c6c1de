import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import { notFound, Problem, problem, fieldProblem } from '@mainstay/contract/core/problems'
import { verbosityLevels, type Report, type ReportDraft } from '@mainstay/contract/settings/reports'
import type { Sql } from '@mainstay/engines/ports/engines'
import type { Scope } from '@mainstay/engines/ports/scope'
import { withRecord } from '../audit/acts'
import type { Inventory } from '../inventory/types'
import type { Settings } from '../settings/settings'
import { enqueue, type RunOf } from '../tasks/job'
import { archiveOf, type Known, type Wanted } from './contents'
import { reportSetting } from './report-setting'
import { sendReport } from './send'

const Args = z.strictObject({
  id: z.string(),
  send: z.boolean(),
  verbosity_level: z.enum(verbosityLevels),
  include_days: z.number(),
})
type Run = RunOf<z.infer<typeof Args>>
/** Job that creates one report. Its handler is in the settings area. */
export const reportJob = { name: 'report.create', args: Args }

/** Retention in days, and maximum number of reports to keep for operators and for tenants each. */
const KEEP_DAYS = 30
const MOST_KEPT = 10
/** Maximum archive size in bytes. Larger archives are refused. */
const MOST_BYTES = 8 * 1024 * 1024
/** A report without an archive is removed after this time, because its job must have been lost. */
const LOST_AFTER_DAYS = 1

export interface ProblemReports {
  /** Starts a report and returns the ID of its task. Throws a `report_running` or `unsupported` error. */
  begin(scope: Scope, draft: ReportDraft): Promise<string>
  isRunning(): Promise<boolean>
  /** Lists all reports, newest first. */
  list(): Promise<Report[]>
  /**
   * Returns the archive of a report. Throws a `not_found` error if the report does not exist or is still being created.
   */
  archive(id: string): Promise<{ fileName: string; bytes: Buffer }>
  /** Deletes a report. Throws a `not_found` error, or a `report_running` error while the report is being created. */
  delete(id: string): Promise<void>
  /** Runs the job once; steps that an earlier run completed are skipped. */
  run(run: Run): Promise<{ report_id: string; size: number; is_sent: boolean }>
  /** Removes the report if it has no archive; otherwise records why it was not sent. */
  onFailure(run: Run, error: unknown): Promise<void>
  /** Removes reports beyond the limits on age and number. */
  prune(): Promise<void>
}

interface Row extends Omit<Wanted, 'verbosity_level' | 'include_days'> {
  archive: Buffer | null
  sent_at: Date | null
}

const running = async (sql: Sql): Promise<boolean> =>
  (await sql.query('select from job where name = $1 and failure is null limit 1', [reportJob.name])).length > 0

const nameOf = (id: string, at: Date): string => `problem-report-${at.toISOString().slice(0, 10)}-${id.slice(0, 8)}`

const isRunningNow = (): Problem => problem('settings.report_running')

/** Stores reports and their archives in the database, so that all servers have them and none is incomplete. */
export function createProblemReports(
  tools: Known & { inventory: Pick<Inventory, 'transaction'>; settings: Settings },
): ProblemReports {
  const { sql, inventory, settings } = tools

  const prune = async (inside: Sql): Promise<void> => {
    await inside.query(
      `delete from problem_report where id in (
         select id from (
           select id, created_at, archive, row_number() over (partition by of_operator order by created_at desc) as place
             from problem_report) numbered
         where created_at < now() - make_interval(days => $1) or (place > $2 and archive is not null)
            or (archive is null and created_at < now() - make_interval(days => $3)))`,
      [KEEP_DAYS, MOST_KEPT, LOST_AFTER_DAYS],
    )
  }

  const find = async (id: string): Promise<Row | undefined> => {
    const [row] = await sql.query<Row>(
      `select created_at, username, contact_email, problem_description, archive, sent_at from problem_report where id = $1`,
      [id],
    )
    return row
  }

  async function whetherToSend({ send }: ReportDraft): Promise<boolean> {
    const isOn = (await settings.read(reportSetting))?.value.sending_enabled ?? false
    if (send && !isOn) throw fieldProblem('send', 'settings.reports_not_sent')
    return send ?? isOn
  }

  async function keepArchive(row: Row, { args, progress }: Run): Promise<Buffer> {
    const bytes = await archiveOf(nameOf(args.id, row.created_at), { ...row, ...args }, tools)
    if (bytes.length > MOST_BYTES) throw problem('settings.report_too_large', { bytes: bytes.length, most: MOST_BYTES })
    await inventory.transaction(async (_, __, inside) => {
      await inside.query('update problem_report set archive = $2 where id = $1', [args.id, bytes])
      await prune(inside)
    })
    progress(60)
    return bytes
  }

  async function send(row: Row, bytes: Buffer, { args: { id }, signal }: Run): Promise<void> {
    const kept = await settings.read(reportSetting)
    if (!kept?.value.sending_enabled) throw problem('settings.report_sending_disabled')
    if (kept.isSealedElsewhere) throw problem('settings.report_token_sealed')
    const fileName = `${nameOf(id, row.created_at)}.tar.gz`
    await sendReport({ ...kept.value, token: kept.secret }, { id, fileName, bytes }, { signal })
    await inventory.transaction((_, __, inside) =>
      inside.query('update problem_report set sent_at = now(), send_error = null where id = $1', [id]),
    )
  }

  return {
    async begin(scope, { contact_email, problem_description, verbosity_level, include_days, ...draft }) {
      const isToSend = await whetherToSend({
        contact_email,
        problem_description,
        verbosity_level,
        include_days,
        ...draft,
      })
      const id = randomUUID()
      return inventory.transaction(async (records, _, inside) => {
        await records.exclusive('problem reports')
        if (await running(inside)) throw isRunningNow()
        const task_id = await enqueue(records, reportJob, {
          args: { id, send: isToSend, verbosity_level, include_days },
          subject: { kind: 'report', id, name: id.slice(0, 8) },
          scope,
        })
        await inside.query(
          `insert into problem_report (id, task_id, user_id, username, domain_id, of_operator, contact_email, problem_description)
             values ($1, $2, $3, $4, $5, $6, $7, $8)`,
          [
            ...[id, task_id, scope.user_id, scope.user_name, scope.domain_id, scope.kind === 'system'],
            ...[contact_email, problem_description],
          ],
        )
        return task_id
      })
    },

    isRunning: () => running(sql),

    async list() {
      const rows = await sql.query<Omit<Report, 'created_at' | 'sent_at'> & { created_at: Date; sent_at: Date | null }>(
        `select id, task_id, created_at, username, domain_id, contact_email, problem_description,
           octet_length(archive) as size, sent_at, send_error
         from problem_report order by created_at desc, id limit 100`,
      )
      return rows.map(({ created_at, sent_at, ...row }) => ({
        ...row,
        created_at: created_at.toISOString(),
        sent_at: sent_at?.toISOString() ?? null,
      }))
    },

    async archive(id) {
      const row = await find(id)
      if (!row?.archive) throw notFound()
      return { fileName: `${nameOf(id, row.created_at)}.tar.gz`, bytes: row.archive }
    },

    delete: (id) =>
      withRecord(sql, async (inside, record) => {
        const [row] = await inside.query<{ is_made: boolean }>(
          'select archive is not null as is_made from problem_report where id = $1 for update',
          [id],
        )
        if (!row) throw notFound()
        if (!row.is_made && (await running(inside))) throw isRunningNow()
        await inside.query('delete from problem_report where id = $1', [id])
        await record()
      }),

    async run(run) {
      const { id, send: isToSend } = run.args
      const row = await find(id)
      if (!row) throw notFound()
      const bytes = row.archive ?? (await keepArchive(row, run))
      if (isToSend && row.sent_at === null) await send(row, bytes, run)
      return { report_id: id, size: bytes.length, is_sent: isToSend }
    },

    async onFailure({ args: { id } }, error) {
      const why = error instanceof Problem ? error.message : 'The report could not be sent'
      await inventory.transaction(async (_, __, inside) => {
        await inside.query('delete from problem_report where id = $1 and archive is null', [id])
        await inside.query('update problem_report set send_error = $2 where id = $1', [id, why])
      })
    },

    prune: () => prune(sql),
  }
}
