import { readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { instances, type Instance } from '@mainstay/contract/compute/instances'
import { signIn, type ApiClient } from '../server/src/testing/api-client'
import { ADMIN_PASSWORD, startProgram } from '../server/src/testing/server-program'
import { socketMirror, type SocketMirror } from '../server/src/testing/socket-mirror'
import { brotliBytes, filesOf, type Manifest } from '../tools/lib/bundle.mjs'
import { firstScreens } from '../tools/lib/first-screens.mjs'
import { inRoot } from '../tools/lib/paths.mjs'
import { quantile, type Row } from './protocol'
import { isNow, keepBusy, switches } from './support/busy-machines'
import { withFolders } from './support/data-folder'
import { quick } from './support/quick'
import { withWatchedList, type WatchedList } from './support/watched-list'

/** Number of runs. A single run on a noisy machine is not conclusive. */
const RUNS = quick ? 1 : 3
const ROUNDS = quick ? 1 : 5
/** Number of rows whose changes are timed. Each is paused and resumed once per round. */
const WATCHED = 5
const CHANGES_PER_SECOND = 100
const SEEN_WITHIN_MS = 20_000

export async function run(): Promise<Row[]> {
  return [...scripts(), ...(await eventToDom())]
}

/** Measures the compressed size of the scripts that a browser loads for the first screens. */
function scripts(): Row[] {
  const folder = inRoot('console', 'dist')
  const manifest = JSON.parse(readFileSync(path.join(folder, '.vite', 'manifest.json'), 'utf8')) as Manifest
  return firstScreens.map(({ name, entry, pages }) => ({
    name: `console: JavaScript of the ${name} (br)`,
    unit: 'kB',
    value: filesOf(manifest, entry, pages).reduce((sum, file) => sum + brotliBytes(path.join(folder, file)), 0) / 1000,
  }))
}

/**
 * Pauses and resumes instances in the busy world one at a time while a browser shows the instance list, first without
 * and then with other changes. Measures the time from the server's commit (the change's timestamp) to the frame that
 * shows the change.
 */
async function eventToDom(): Promise<Row[]> {
  return withFolders(async (newFolder) => {
    const folder = await newFolder()
    const program = await startProgram({ folder, world: 'busy', readyWithinMs: 600_000 })
    try {
      const who = { username: 'admin', password: ADMIN_PASSWORD }
      const mirror = socketMirror((await signIn(program.url, who)).token, null)
      await mirror.connect(program.url)
      // this project contains a tenth of the instances
      const inProject = { ...who, project: 'demo' }
      const api = await signIn(program.url, inProject)
      const rows = await withWatchedList(program.url, inProject, (list) => measure(list, api, mirror))
      mirror.close()
      return rows
    } finally {
      await program.stop()
    }
  })
}

async function measure(list: WatchedList, api: ApiClient, mirror: SocketMirror): Promise<Row[]> {
  const { data } = await api.call(instances.list, { query: { limit: 100 } })
  const shown = await list.shown(data)
  const watched = shown.slice(0, WATCHED)
  const others = shown.slice(WATCHED)
  if (others.length < WATCHED) throw new Error(`only ${shown.length} running instances are on the page`)
  const rows: Row[] = []
  const report = (what: string, run: number, times: readonly number[]) =>
    rows.push(
      { name: `console: event to DOM, ${what}: median of run ${run}`, unit: 'ms', value: quantile(times, 0.5) },
      { name: `console: event to DOM, ${what}: p95 of run ${run}`, unit: 'ms', value: quantile(times, 0.95) },
    )
  // warm-up
  await switchAndWatch(watched, list, api, mirror)
  for (let run = 1; run <= RUNS; run++) report('lone changes', run, await switchAndWatch(watched, list, api, mirror))
  const busy = keepBusy(others, { api, mirror, perSecond: CHANGES_PER_SECOND })
  await sleep(1000)
  for (let run = 1; run <= RUNS; run++) {
    const before = { revision: mirror.revision(), at: performance.now() }
    const times = await switchAndWatch(watched, list, api, mirror)
    report('among 100 changes a second', run, times)
    const rate = (mirror.revision() - before.revision) / ((performance.now() - before.at) / 1000)
    rows.push({ name: `console: changes a second in run ${run}`, unit: 'per second', value: rate })
  }
  await busy.end()
  return rows
}

/** Pauses and resumes each instance in turn. Returns how long each change took to appear, in milliseconds. */
async function switchAndWatch(
  rows: readonly Instance[],
  list: WatchedList,
  api: ApiClient,
  mirror: SocketMirror,
): Promise<number[]> {
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round++)
    for (const [action, status, word] of switches)
      for (const row of rows) {
        const since = mirror.revision()
        await list.look()
        await api.call(action, { params: { id: row.id }, body: {} })
        const change = await mirror.heard((told) => isNow(told, row, status, since), SEEN_WITHIN_MS)
        times.push((await list.seenAt(row.name, word)) - Date.parse(change.at))
        // random delay, so that changes arrive at every phase of the server's and the page's batching intervals
        await sleep(Math.random() * 200)
      }
  return times
}
