import { Readable } from 'node:stream'
import type { AuditLine } from '@mainstay/contract/monitoring/audit-lines'
import { CSV_MARK, csvLine } from '../http/csv'

const fields = [
  'id',
  'timestamp',
  'username',
  'type',
  'activity',
  'result',
  'object_id',
  'object_name',
  'address',
  'domain_id',
  'project_id',
  'user_id',
  'status',
  'error_code',
  'message',
  'method',
  'path',
  'request_id',
  'session_id',
  'finished_at',
  'changes',
] as const satisfies readonly (keyof AuditLine)[]

const csvRow = (line: AuditLine): string =>
  csvLine(fields.map((name) => (name === 'changes' && line.changes.length === 0 ? '' : line[name])))

const jsonRow = (line: AuditLine): string => `${JSON.stringify(line)}\n`

/** Streams entries as a CSV or JSON Lines file. */
export function linesAsFile(pages: AsyncIterable<AuditLine[]>, format: 'csv' | 'jsonl'): Readable {
  async function* chunks(): AsyncGenerator<string> {
    if (format === 'csv') yield CSV_MARK + csvLine(fields)
    for await (const lines of pages) yield lines.map(format === 'csv' ? csvRow : jsonRow).join('')
  }
  return Readable.from(chunks(), { objectMode: false })
}
