import { mkdirSync, writeFileSync } from 'node:fs'
import process from 'node:process'
import type { Instance } from '@mainstay/contract/compute/instances'
import type { Page } from '@mainstay/contract/core/lists/paging'
import { signIn } from '../server/src/testing/api-client'
import { ADMIN_PASSWORD, startProgram, type ServerProgram } from '../server/src/testing/server-program'
import { inRoot } from '../tools/lib/paths.mjs'
import { quantile, type Row } from './protocol'
import { withFolders } from './support/data-folder'
import { countedLists, filteredLists, searchedLists, sortedLists, type ListCase } from './support/list-cases'
import { quick } from './support/quick'
import { openReader, type Reader } from './support/requests'
import { fillFolder, someInstances } from './support/small-copy'

const MANY = 100_000
const FEW = 100
const ROUNDS = quick ? 9 : 21
const PAGE = 20
/**
 * Lower bound for times measured with 100 rows, because a ratio of two times around one millisecond is mostly noise.
 */
const FLOOR_MS = 3

const path = '/api/v2/compute/servers'
type Answer = Page<Instance>

/*
 * Requests each list over HTTP as a browser does, alternating between a server with 100 000 instances and one with 100,
 * so that other load on the machine affects both. Times include reading the full response.
 */
export async function run(): Promise<Row[]> {
  return withFolders(async (newFolder) => {
    const many = await startProgram({ folder: await newFolder(), world: 'busy', readyWithinMs: 600_000 })
    const running = [many]
    try {
      const member = { username: 'admin', password: ADMIN_PASSWORD, project: 'demo' }
      const copied = await someInstances(await signIn(many.url, member), FEW)
      const folder = await newFolder()
      await fillFolder(folder, copied)
      const few = await startProgram({ folder })
      running.push(few)
      return [
        ...(await measure('whole system', 'system', { many, few, copied })),
        ...(await measure('one project', 'project', { many, few, copied })),
      ]
    } finally {
      for (const program of running) await program.stop()
    }
  })
}

interface Servers {
  many: ServerProgram
  few: ServerProgram
  copied: Instance[]
}
interface Measured extends ListCase {
  many: number[]
  few: number[]
}

async function measure(who: string, scope: 'system' | 'project', { many, few, copied }: Servers): Promise<Row[]> {
  const as = { username: 'admin', password: ADMIN_PASSWORD, ...(scope === 'project' && { project: 'demo' }) }
  const readers = await Promise.all([many, few].map(async ({ url }) => openReader(url, (await signIn(url, as)).token)))
  const [manyReader, fewReader] = readers as [Reader, Reader]
  const cases = [
    ...sortedLists(scope),
    ...filteredLists(scope, copied),
    ...searchedLists(copied),
    ...countedLists(copied),
  ].filter((_, at) => !quick || at % 5 === 0)
  const measured: Measured[] = []
  for (const it of cases) measured.push(await compare(it, manyReader, fewReader, scope))
  for (const reader of readers) reader.close()
  writeDetails(who, measured)
  return rowsOf(who, measured)
}

async function compare(it: ListCase, many: Reader, few: Reader, scope: 'system' | 'project'): Promise<Measured> {
  const address = async (reader: Reader) => {
    const asked: Record<string, string> = { ...it.query, limit: String(PAGE) }
    if (it.last) asked['marker'] = await lastMarker(reader, it.query, reader === many && scope === 'system')
    return `${path}?${new URLSearchParams(asked).toString()}`
  }
  const [atMany, atFew] = [await address(many), await address(few)]
  const times: Measured = { ...it, many: [], few: [] }
  // the first round is a warm-up
  for (let round = 0; round <= ROUNDS; round++) {
    const [one, other] = [await many.get<Answer>(atMany), await few.get<Answer>(atFew)]
    if (it.last && one.answer.data.length < PAGE / 2)
      throw new Error(`the last page has ${one.answer.data.length} rows`)
    if (round === 0) continue
    times.many.push(one.ms)
    times.few.push(other.ms)
  }
  return times
}

/**
 * Returns true for lists sorted by metrics or update time, whose order changes during paging. With any other sort
 * order, each row appears exactly once.
 */
const moves = ({ sort = '' }: Record<string, string>) => /^(cpu|mem|block)_|^updated_at/.test(sort)

/** Pages through the list as a user does, and returns the marker before the last full page. */
async function lastMarker(reader: Reader, query: Record<string, string>, isWhole: boolean): Promise<string> {
  const ids = new Set<string>()
  const markers: string[] = []
  let rows = 0
  for (;;) {
    // large pages first, because 5 000 requests would take too long
    const limit = isWhole && rows < MANY - 2000 ? 1000 : PAGE
    const marker = markers[markers.length - 1]
    const asked = new URLSearchParams({ ...query, limit: String(limit), ...(marker !== undefined && { marker }) })
    const { answer } = await reader.get<Answer>(`${path}?${asked.toString()}`)
    rows += answer.data.length
    for (const { id } of answer.data) ids.add(id)
    const [next] = answer.pages
    if (!next) break
    markers.push(next.marker)
  }
  if (!moves(query) && (ids.size !== rows || (isWhole && rows !== MANY)))
    throw new Error(`the pages contained ${rows} rows, ${ids.size} of them different`)
  // the last page may be short
  const before = markers[markers.length - (rows % PAGE === 0 ? 1 : 2)]
  if (before === undefined) throw new Error(`found only ${rows} rows`)
  return before
}

const median = (times: number[]) => quantile(times, 0.5)
const ratio = ({ many, few }: Measured) => median(many) / Math.max(median(few), FLOOR_MS)
const textOf = ({ query, last }: ListCase) => `${new URLSearchParams(query).toString()}${last ? ' (last page)' : ''}`

/** Returns true for lists without a filter, which must take the same time regardless of the number of rows. */
const isPlain = (group: string) => group.startsWith('sorted')

/**
 * Reports the slowest list in each group and, for lists without a filter, the worst ratio to the time with 100 rows.
 */
function rowsOf(who: string, measured: Measured[]): Row[] {
  return [...new Set(measured.map(({ group }) => group))].flatMap((group): Row[] => {
    const lists = measured.filter((it) => it.group === group)
    const slowest = (of: (it: Measured) => number) => Math.max(...lists.map(of))
    const rows: Row[] = [
      { name: `lists, ${who}, ${group}: slowest, p95`, unit: 'ms', value: slowest(p95) },
      { name: `lists, ${who}, ${group}: slowest, median`, unit: 'ms', value: slowest(({ many }) => median(many)) },
    ]
    if (!isPlain(group)) return rows
    const worst = lists.reduce((one, other) => (ratio(other) > ratio(one) ? other : one))
    const against = { name: `at 100 rows: ${textOf(worst)}`, value: Math.max(median(worst.few), FLOOR_MS) }
    return [
      ...rows,
      { name: `lists, ${who}, ${group}: median against 100 rows`, unit: 'ms', value: median(worst.many), against },
    ]
  })
}
const p95 = ({ many }: Measured) => quantile(many, 0.95)

/** Writes the times of all lists, slowest first, to a log for analysis. */
function writeDetails(who: string, measured: Measured[]): void {
  const lines = measured
    .toSorted((one, other) => p95(other) - p95(one))
    .map((it) =>
      [median(it.many), p95(it), median(it.few), ratio(it)]
        .map((value) => value.toFixed(2).padStart(8))
        .concat(`  ${it.group}: ${textOf(it)}`)
        .join(''),
    )
  const text = ['  median     p95  at 100   ratio', ...lines].join('\n')
  mkdirSync(inRoot('.cache', 'bench-logs'), { recursive: true })
  writeFileSync(inRoot('.cache', 'bench-logs', `lists-${who.replaceAll(' ', '-')}.txt`), `${text}\n`)
  process.stdout.write(`${who}\n${text}\n`)
}
