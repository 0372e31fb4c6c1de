import process from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'
import { s3Runs } from '@mainstay/contract/object-storage/s3-files'
import type { Page } from '@playwright/test'
import { quantile, type Row } from './protocol'
import { quick, whole } from './support/quick'
import { withS3Program, type S3Program } from './support/s3-program'
import { withConsole } from './support/with-console'

/**
 * Number of keys in the flat bucket. The bucket with common prefixes and the deleted folder each contain at most a
 * million.
 */
const KEYS = whole ? 10_000_000 : quick ? 100_000 : 1_000_000
const PREFIXES = Math.min(KEYS, 1_000_000)
const DELETED = whole ? 1_000_000 : 100_000
const SEEDED_AT_ONCE = 500_000
const PAGES = quick ? 40 : 200
/** How many times the console opens a folder, and how many frames it scrolls. */
const [OPENED, FRAMES] = quick ? [3, 120] : [7, 600]

/**
 * Measures object storage with many keys: list pages at any depth, opening a folder in the console, and a task that
 * deletes a folder.
 */
export async function run(): Promise<Row[]> {
  return withS3Program(async (program) => {
    const flat = { what: '1000 keys', bucket: 'flat', key: `'key-' || lpad(n::text, 9, '0') || '-of-a-usual-length'` }
    await seed(program, { ...flat, count: KEYS })
    const folders = { what: '1000 common prefixes', bucket: 'folders', key: `lpad(n::text, 9, '0') || '/file'` }
    await seed(program, { ...folders, count: PREFIXES })
    await program.pool.query('vacuum analyze s3_object')
    return [
      await pages(program, { ...flat, count: KEYS, query: '', at: (key) => `key-${key}` }),
      await pages(program, { ...folders, count: PREFIXES, query: 'delimiter=%2F&', at: (key) => key }),
      ...(await looked(program)),
      ...(await deletion(program)),
    ]
  })
}

/**
 * Creates a bucket with `count` objects directly in PostgreSQL. `key` is the SQL expression for the key of object
 * number `n`.
 */
async function seed(
  { direct, pool }: S3Program,
  { bucket, key, count }: { bucket: string; key: string; count: number },
): Promise<void> {
  const started = performance.now()
  await direct.put(`/${bucket}`, 0)
  for (let from = 1; from <= count; from += SEEDED_AT_ONCE)
    await pool.query(
      `insert into s3_object (bucket_id, key, size, etag, inline, head)
       select (select id from s3_bucket where name = $1), ${key}, 1, repeat('0', 32), '\\x00', '{"headers":{},"metadata":{}}'
       from generate_series($2::int, $3::int) n`,
      [bucket, from, Math.min(count, from + SEEDED_AT_ONCE - 1)],
    )
  process.stdout.write(`${bucket}: ${count} keys in ${Math.round((performance.now() - started) / 1000)} s\n`)
}

interface Listing {
  what: string
  bucket: string
  /** SQL expression for the key of object number `n`. */
  key: string
  count: number
  query: string
  /** Builds the `start-after` key for a page from a number with leading zeros. */
  at: (number: string) => string
}

/** Reads pages of 1000 items throughout the bucket, alternating with the only page of a bucket with 1000 items. */
async function pages(program: S3Program, { what, bucket, key, count, query, at }: Listing): Promise<Row> {
  const small = `${bucket}-small`
  await seed(program, { bucket: small, key, count: 1000 })
  // the signature requires the parameters in sorted order
  const list = async (name: string, after: string) =>
    program.direct.get(`/${name}?${query}list-type=2${after === '' ? '' : `&start-after=${after}`}`)
  const [times, ofSmall]: [number[], number[]] = [[], []]
  for (let page = 0; page <= PAGES; page++) {
    const ms = await list(bucket, at(String(Math.floor((page / PAGES) * (count - 2000))).padStart(9, '0')))
    const smallMs = await list(small, '')
    if (page === 0) continue
    times.push(ms)
    ofSmall.push(smallMs)
  }
  return {
    ...{ name: `object storage, a page of ${what}: p95`, unit: 'ms', value: quantile(times, 0.95) },
    against: { name: 'of a bucket of 1000', value: quantile(ofSmall, 0.95) },
  }
}

/**
 * Opens a folder with many files in the console. Measures the time until it is shown and the time between frames while
 * scrolling.
 */
async function looked(program: S3Program): Promise<Row[]> {
  await seed(program, { bucket: 'looked', count: PREFIXES, key: `'many/' || lpad(n::text, 9, '0')` })
  return withConsole(program.url, program.who, async (page) => {
    const seen: number[] = []
    for (let time = 0; time < OPENED; time++) {
      await page.goto(new URL('/s3-storage/buckets/files/looked', program.url).href)
      const link = page.getByRole('link', { name: 'many', exact: true })
      await link.waitFor()
      seen.push(
        await link.evaluate(
          // no named functions: the TypeScript loader would wrap them in a helper that does not exist in the page
          (element) =>
            new Promise<number>((resolve) => {
              const start = performance.now()
              new MutationObserver((_, observer) => {
                if (!document.querySelector('[role="grid"] [data-row]')?.textContent?.includes('000000001')) return
                observer.disconnect()
                requestAnimationFrame(() => resolve(performance.now() - start))
              }).observe(document.body, { subtree: true, childList: true })
              ;(element as HTMLElement).click()
            }),
        ),
      )
    }
    const [still, scrolled] = [await framesOf(page, 0), await framesOf(page, 40)]
    process.stdout.write(
      `${FRAMES} frames led ${Math.round(scrolled.reached)} px into the folder, a frame took ` +
        `${quantile(scrolled.frames, 0.5).toFixed(1)} ms in the median, ${Math.max(...scrolled.frames).toFixed(0)} ms at most\n`,
    )
    const of = `object storage, a folder of ${PREFIXES} files`
    return [
      { name: `${of}: seen, median`, unit: 'ms', value: quantile(seen, 0.5) },
      { name: `${of}: seen, slowest`, unit: 'ms', value: Math.max(...seen) },
      {
        name: `${of}: from frame to frame while scrolling, p95`,
        unit: 'ms',
        value: quantile(scrolled.frames, 0.95),
        against: { name: 'at rest', value: quantile(still.frames, 0.95) },
      },
    ]
  })
}

/** Returns the milliseconds between frames while the table scrolls by `px` pixels per frame. */
const framesOf = (page: Page, px: number): Promise<{ frames: number[]; reached: number }> =>
  page.getByRole('grid').evaluate(
    async (grid, { px, count }) => {
      const scroller = grid.parentElement!
      const frames: number[] = []
      for (let before = performance.now(); frames.length < count;) {
        const now = await new Promise<number>((resolve) => requestAnimationFrame(() => resolve(performance.now())))
        frames.push(now - before)
        before = now
        scroller.scrollTop += px
      }
      return { frames: frames.slice(1), reached: scroller.scrollTop }
    },
    { px, count: FRAMES },
  )

/** Measures a task that deletes a folder: keys per second, and the duration of the first list request after it. */
async function deletion(program: S3Program): Promise<Row[]> {
  const { api, pool, direct } = program
  await seed(program, { bucket: 'emptied', key: `'gone/' || lpad(n::text, 9, '0')`, count: DELETED })
  const started = performance.now()
  const { id } = await api.call(s3Runs.create, { body: { action: 'delete', bucket: 'emptied', keys: ['gone/'] } })
  for (;;) {
    const { state, done, failed } = await api.call(s3Runs.view, { params: { id: id! } })
    if (state === 'running') {
      await pause(500)
      continue
    }
    const [left] = (
      await pool.query<{ left: number }>(
        `select count(*)::int as left from s3_object where bucket_id = (select id from s3_bucket where name = 'emptied')`,
      )
    ).rows
    const isHonest = state === 'success' && done === DELETED && failed === 0 && left!.left === 0
    if (!isHonest)
      throw new Error(`the task ended as ${state}: ${done} done, ${failed} failed, ${left!.left} are there`)
    break
  }
  const seconds = (performance.now() - started) / 1000
  process.stdout.write(`${DELETED} keys deleted by a task in ${seconds.toFixed(1)} s\n`)
  const list = await direct.get('/emptied?list-type=2')
  return [
    { name: 'object storage, keys that a task deletes', unit: 'per second', value: DELETED / seconds },
    { name: 'object storage, the first list of what was deleted', unit: 'ms', value: list },
  ]
}
