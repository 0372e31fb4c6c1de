import { Readable } from 'node:stream'
import type { AuditLine } from '@mainstay/contract/monitoring/audit-lines'

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

/**
 * One value of a CSV file (RFC 4180). A text that a spreadsheet would take for a formula gets an apostrophe before it:
 * names in the log are those that strangers have chosen.
 */
function csvCell(value: string | number | object | null): string {
  const plain = value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value)
  const text = typeof value === 'string' && /^\s*[=+\-@|%]/.test(plain) ? `'${plain}` : plain
  return /[",\r\n]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text
}

const csvRow = (line: AuditLine): string =>
  `${fields.map((name) => csvCell(name === 'changes' && line.changes.length === 0 ? '' : line[name])).join(',')}\r\n`

const jsonRow = (line: AuditLine): string => `${JSON.stringify(line)}\n`

/** Lines as the bytes of a file, which are made as they are read. */
export function linesAsFile(pages: AsyncIterable<AuditLine[]>, format: 'csv' | 'jsonl'): Readable {
  async function* chunks(): AsyncGenerator<string> {
    // spreadsheets take a file without a mark for one of their own code page
    if (format === 'csv') yield `\uFEFF${fields.join(',')}\r\n`
    for await (const lines of pages) yield lines.map(format === 'csv' ? csvRow : jsonRow).join('')
  }
  return Readable.from(chunks(), { objectMode: false })
}
