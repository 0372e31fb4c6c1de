import { readFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { chromium, type Page } from '@playwright/test'
import { instances, type Instance } from '@mainstay/contract/compute/instances'
import type { Change } from '@mainstay/contract/core/events'
import { signIn, type ApiClient } from '../server/src/testing/api-client'
import { ADMIN_PASSWORD, startProgram } from '../server/src/testing/server-program'
import { socketMirror } from '../server/src/testing/socket-mirror'
import { brotliBytes, filesOf, type Manifest } from '../tools/lib/bundle.mjs'
import { findChromium } from '../tools/lib/chromium.mjs'
import { firstScreens } from '../tools/lib/first-screens.mjs'
import { inRoot } from '../tools/lib/paths.mjs'
import { quantile, type Row } from './protocol'
import { withFolders } from './support/data-folder'
import { quick } from './support/quick'

const ROUNDS = quick ? 3 : 12
const SEEN_WITHIN_MS = 20_000

export async function run(): Promise<Row[]> {
  return [...scripts(), ...(await eventToDom())]
}

/** The scripts that a person loads before the first screens, as they travel. */
function scripts(): Row[] {
  const folder = inRoot('console', 'dist')
  const manifest = JSON.parse(readFileSync(path.join(folder, '.vite', 'manifest.json'), 'utf8')) as Manifest
  return firstScreens.map(({ name, pages }) => ({
    name: `console: JavaScript of the ${name} (br)`,
    unit: 'kB',
    value: filesOf(manifest, pages).reduce((sum, file) => sum + brotliBytes(path.join(folder, file)), 0) / 1000,
  }))
}

/**
 * Instances of the busy world are paused and resumed while somebody looks at their list; the time goes from the
 * server's commit (the moment that the change carries) to the frame in which the row says so.
 */
async function eventToDom(): Promise<Row[]> {
  return withFolders(async (newFolder) => {
    const folder = await newFolder()
    const program = await startProgram({ folder, world: 'busy', built: true, readyWithinMs: 600_000 })
    const executablePath = findChromium()
    const browser = await chromium.launch({
      ...(executablePath && { executablePath }),
      args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
    })
    try {
      const who = { username: 'admin', password: ADMIN_PASSWORD }
      const mirror = socketMirror((await signIn(program.url, who)).token, null)
      await mirror.connect(program.url)
      const page = await browser.newPage({ locale: 'en-US', viewport: { width: 1440, height: 900 } })
      await openList(page, program.url)
      const api = await signIn(program.url, { ...who, project: 'demo' })
      const rows = await shownRows(page, api)
      const times: number[] = []
      for (let round = 0; round < ROUNDS; round++) {
        for (const [action, status, word] of [
          [instances.pause, 'PAUSED', 'Paused'],
          [instances.unpause, 'ACTIVE', 'Active'],
        ] as const) {
          const since = mirror.revision()
          const became = rows.map((row) => mirror.heard((change) => isNow(change, row, status, since), SEEN_WITHIN_MS))
          await page.evaluate(() => (window.seen = []))
          await Promise.all(rows.map(({ id }) => api.call(action, { params: { id }, body: {} })))
          for (const change of await Promise.all(became)) {
            const name = String(change.entity?.['name'])
            times.push((await seenAt(page, name, word)) - Date.parse(change.at))
          }
        }
      }
      mirror.close()
      return [
        { name: 'console: event to DOM, median', unit: 'ms', value: quantile(times, 0.5) },
        { name: 'console: event to DOM, p95', unit: 'ms', value: quantile(times, 0.95) },
      ]
    } finally {
      await browser.close()
      await program.stop()
    }
  })
}

declare global {
  interface Window {
    /** What rows said, and when it was painted. */
    seen: { row: string; at: number }[]
  }
}

/** Signs in by the page, and goes to the project in which a tenth of the busy world is. */
async function openList(page: Page, url: string): Promise<void> {
  await page.goto(url)
  await page.getByLabel('User name').fill('admin')
  await page.getByLabel('Password', { exact: true }).fill(ADMIN_PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: /^Project:/ }).click()
  await page.getByText('demo', { exact: true }).last().click()
}

/** Running instances among the rows on the page; from now on the page notes what its rows say. */
async function shownRows(page: Page, api: ApiClient): Promise<Instance[]> {
  const { data } = await api.call(instances.list, { query: { limit: 100 } })
  const grid = page.getByRole('grid')
  await grid.getByText(data[0]!.name, { exact: true }).waitFor()
  await page.getByRole('status').filter({ hasText: 'Live' }).waitFor()
  const texts = await grid.getByRole('row').allInnerTexts()
  const shown = data.filter(({ name, status }) => status === 'ACTIVE' && texts.some((text) => text.includes(name)))
  if (shown.length < 5) throw new Error(`only ${shown.length} running instances are on the page`)
  // no function in here has a name: the loader of this file would put a helper around it that no page has
  await page.evaluate(() => {
    window.seen = []
    new MutationObserver(() =>
      requestAnimationFrame(() => {
        // the frame is on its way to the screen once this runs
        const { port1, port2 } = new MessageChannel()
        port1.addEventListener('message', () => {
          const at = Date.now()
          for (const row of document.querySelectorAll('tr, [role="row"]'))
            window.seen.push({ row: row.textContent, at })
        })
        port1.start()
        port2.postMessage(null)
      }),
    ).observe(document.body, {
      subtree: true,
      childList: true,
      characterData: true,
      attributes: true,
    })
  })
  return shown
}

const isNow = (change: Change, { id }: Instance, status: Instance['status'], since: number) =>
  change.revision > since &&
  change.id === id &&
  change.entity?.['status'] === status &&
  change.entity['task_state'] === null

/** When the row of this name was first painted with this word. */
async function seenAt(page: Page, name: string, word: string): Promise<number> {
  const found = await page.waitForFunction(
    ([named, says]) => window.seen.find(({ row }) => row.includes(named!) && row.includes(says!))?.at,
    [name, word],
    { timeout: SEEN_WITHIN_MS, polling: 20 },
  )
  return (await found.jsonValue()) ?? Number.NaN
}
