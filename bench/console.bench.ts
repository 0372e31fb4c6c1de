import { readFileSync } from 'node:fs'
import path from 'node:path'
import { instances, type Instance } from '@mainstay/contract/compute/instances'
import type { Change } from '@mainstay/contract/core/events'
import { signIn, type ApiClient } from '../server/src/testing/api-client'
import { ADMIN_PASSWORD, startProgram } from '../server/src/testing/server-program'
import { socketMirror, type SocketMirror } from '../server/src/testing/socket-mirror'
import { brotliBytes, filesOf, type Manifest } from '../tools/lib/bundle.mjs'
import { firstScreens } from '../tools/lib/first-screens.mjs'
import { inRoot } from '../tools/lib/paths.mjs'
import { quantile, type Row } from './protocol'
import { withFolders } from './support/data-folder'
import { quick } from './support/quick'
import { withWatchedList, type WatchedList } from './support/watched-list'

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
    const program = await startProgram({ folder, world: 'busy', readyWithinMs: 600_000 })
    try {
      const who = { username: 'admin', password: ADMIN_PASSWORD }
      const mirror = socketMirror((await signIn(program.url, who)).token, null)
      await mirror.connect(program.url)
      // a tenth of the busy world is in it
      const inProject = { ...who, project: 'demo' }
      const api = await signIn(program.url, inProject)
      const times = await withWatchedList(program.url, inProject, (list) => switchAndWatch(list, api, mirror))
      mirror.close()
      return [
        { name: 'console: event to DOM, median', unit: 'ms', value: quantile(times, 0.5) },
        { name: 'console: event to DOM, p95', unit: 'ms', value: quantile(times, 0.95) },
      ]
    } finally {
      await program.stop()
    }
  })
}

async function switchAndWatch(list: WatchedList, api: ApiClient, mirror: SocketMirror): Promise<number[]> {
  const { data } = await api.call(instances.list, { query: { limit: 100 } })
  const rows = await list.shown(data)
  if (rows.length < 5) throw new Error(`only ${rows.length} running instances are on the page`)
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    for (const [action, status, word] of [
      [instances.pause, 'PAUSED', 'Paused'],
      [instances.unpause, 'ACTIVE', 'Active'],
    ] as const) {
      const since = mirror.revision()
      const became = rows.map((row) => mirror.heard((change) => isNow(change, row, status, since), SEEN_WITHIN_MS))
      await list.look()
      await Promise.all(rows.map(({ id }) => api.call(action, { params: { id }, body: {} })))
      for (const change of await Promise.all(became)) {
        const name = String(change.entity?.['name'])
        times.push((await list.seenAt(name, word)) - Date.parse(change.at))
      }
    }
  }
  return times
}

const isNow = (change: Change, { id }: Instance, status: Instance['status'], since: number) =>
  change.revision > since &&
  change.id === id &&
  change.entity?.['status'] === status &&
  change.entity['task_state'] === null
