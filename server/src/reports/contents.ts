import { hostname, loadavg, release, totalmem, uptime } from 'node:os'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { packTar } from 'modern-tar'
import type { VerbosityLevel } from '@mainstay/contract/settings/reports'
import type { Sql } from '@mainstay/engines/ports/engines'
import type { EngineStates } from '../inventory/engine-states'
import type { PlatformParts } from '../metrics/platform-parts'
import type { RecentLog } from './recent-log'
import { createScrubber, scrubbed } from './scrub'

/** Data sources for a report. */
export interface Known {
  version: object
  /** Does not contain secrets. */
  configuration: Record<string, unknown>
  sql: Sql
  engineStates: Pick<EngineStates, 'all'>
  platformParts: Pick<PlatformParts, 'all'>
  recentLog: Pick<RecentLog, 'lines'>
  /** All secrets that this server knows, to be hidden in the report. */
  secrets(): Promise<string[]>
}

/** Input from the reporter, and the level of detail. */
export interface Wanted {
  created_at: Date
  username: string
  contact_email: string
  problem_description: string
  verbosity_level: VerbosityLevel
  include_days: number
}

const MOST_TASKS = 1000
/** Pino's log level for warnings. */
const WARN = 40

/** Archive files by name. Written as text, as JSON, or as JSON lines (`.jsonl`). */
type Contents = Record<string, unknown>

const descriptionOf = ({ created_at, username, contact_email, problem_description }: Wanted): string =>
  [
    `Reported: ${created_at.toISOString()}`,
    `By:       ${username}`,
    `Contact:  ${contact_email}`,
    '',
    problem_description,
    '',
  ].join('\n')

const machine = () => ({
  ...{ host: hostname(), system: `${process.platform} ${release()} ${process.arch}`, node: process.version },
  ...{ server_uptime_seconds: Math.round(process.uptime()), host_uptime_seconds: Math.round(uptime()) },
  ...{ memory_bytes: totalmem(), server_memory: process.memoryUsage(), load: loadavg() },
})

const servers = (sql: Sql) =>
  sql.query('select replica, host, version, started_at, seen_at from server order by seen_at desc limit 100')

/** Number of rows by kind and status, without names. */
const counts = (sql: Sql) =>
  sql.query(`select kind, status, count(*)::int as count from resource group by kind, status order by kind, status`)

const tasksSince = async (sql: Sql, days: number): Promise<unknown[]> => {
  const rows = await sql.query<{ body: Record<string, unknown> }>(
    `select body from resource where kind = 'task' and updated_at > now() - make_interval(days => $1)
      order by created_at desc limit ${MOST_TASKS}`,
    [days],
  )
  // task arguments and results may contain anything that a user typed
  return rows.map(({ body: { kwargs: _, result: __, ...told } }) => told)
}

function linesSince(lines: readonly string[], { include_days, verbosity_level }: Wanted): unknown[] {
  const since = Date.now() - include_days * 24 * 3600_000
  return lines.flatMap((line) => {
    const told = JSON.parse(line) as { level: number; time: number }
    return told.time >= since && (verbosity_level === 'extended' || told.level >= WARN) ? [told] : []
  })
}

async function contentsOf(wanted: Wanted, known: Known): Promise<Contents> {
  const { sql, version, configuration, engineStates, platformParts, recentLog } = known
  const always: Contents = {
    'description.txt': descriptionOf(wanted),
    'about.json': {
      ...version,
      ...machine(),
      verbosity_level: wanted.verbosity_level,
      include_days: wanted.include_days,
    },
    'configuration.json': configuration,
    'servers.json': await servers(sql),
    'engines.json': await engineStates.all(),
    'parts.json': await platformParts.all(),
    'counts.json': await counts(sql),
  }
  if (wanted.verbosity_level === 'minimal') return always
  return {
    ...always,
    'tasks.json': await tasksSince(sql, wanted.include_days),
    'log.jsonl': linesSince(recentLog.lines(), wanted),
  }
}

const textOf = (name: string, value: unknown): string => {
  if (typeof value === 'string') return value
  if (name.endsWith('.jsonl')) return (value as unknown[]).map((line) => `${JSON.stringify(line)}\n`).join('')
  return `${JSON.stringify(value, null, 2)}\n`
}

const compress = promisify(gzip)

/** Builds a report archive: a tar.gz of `folder` with the problem and the installation's state, without secrets. */
export async function archiveOf(folder: string, wanted: Wanted, known: Known): Promise<Buffer> {
  const contents = await contentsOf(wanted, known)
  const scrub = createScrubber(await known.secrets())
  const files = Object.entries(contents).map(([name, value]) => {
    const body = textOf(name, scrubbed(value, scrub))
    const size = Buffer.byteLength(body)
    return { header: { name: `${folder}/${name}`, size, mode: 0o644, mtime: wanted.created_at }, body }
  })
  return compress(await packTar(files))
}
