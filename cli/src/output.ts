type Row = Record<string, unknown>

const isPlain = (value: unknown): value is string | number | boolean | null =>
  value === null || ['string', 'number', 'boolean'].includes(typeof value)

const shown = (value: unknown): string =>
  value === null || value === undefined
    ? ''
    : isPlain(value)
      ? // names from other sources must not contain terminal control sequences
        String(value).replaceAll(/\p{Cc}/gu, ' ')
      : Array.isArray(value) && value.every(isPlain)
        ? value.map(shown).join(', ')
        : JSON.stringify(value)

/** Columns that come first. Without `--columns`, a table has at most `mostColumns` columns. */
const first = ['id', 'name', 'status', 'state', 'enabled']
const mostColumns = 7
const widest = 48

function columnsOf(rows: readonly Row[]): string[] {
  const plain = [...new Set(rows.flatMap((row) => Object.keys(row).filter((name) => isPlain(row[name]))))]
  const isSaid = (name: string) => rows.some((row) => row[name] !== null && row[name] !== '')
  const rest = plain.filter((name) => !first.includes(name) && isSaid(name))
  return [...first.filter((name) => plain.includes(name)), ...rest].slice(0, mostColumns)
}

const cut = (text: string) => (text.length > widest ? `${text.slice(0, widest - 1)}…` : text)

function inColumns(lines: readonly (readonly string[])[]): string {
  const widths = lines[0]!.map((_, at) => Math.max(...lines.map((line) => line[at]!.length)))
  return lines
    .map((line) =>
      line
        .map((text, at) => text.padEnd(widths[at]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** Formats a response as text: a table for a list, field names and values for a single object. */
export function asTable(answer: unknown, wanted: readonly string[] | null): string {
  if (answer === undefined) return ''
  const { data } = answer as { data?: unknown }
  const rows = Array.isArray(answer) ? (answer as Row[]) : Array.isArray(data) ? (data as Row[]) : null
  if (rows) {
    if (rows.length === 0) return 'No results.'
    if (rows.every(isPlain)) return rows.map(shown).join('\n')
    const columns = wanted ?? columnsOf(rows)
    return inColumns([columns, ...rows.map((row) => columns.map((name) => cut(shown(row[name]))))])
  }
  if (isPlain(answer)) return shown(answer)
  const facts = Object.entries(answer as Row).filter(([name]) => wanted === null || wanted.includes(name))
  return facts.length === 0 ? '' : inColumns(facts.map(([name, value]) => [name, shown(value)]))
}
