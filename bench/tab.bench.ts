import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { instances } from '@mainstay/contract/compute/instances'
import { signIn } from '../server/src/testing/api-client'
import { ADMIN_PASSWORD, startProgram } from '../server/src/testing/server-program'
import { socketMirror } from '../server/src/testing/socket-mirror'
import type { Row } from './protocol'
import { keepBusy } from './support/busy-machines'
import { withFolders } from './support/data-folder'
import { quick } from './support/quick'
import { withWatchedList } from './support/watched-list'

const CHANGES_PER_SECOND = 50
/** Duration of the run. To run for an hour, use `MAINSTAY_TAB_MINUTES=60 npm run bench -- tab`. */
const minutes = quick ? 0.2 : Number(process.env['MAINSTAY_TAB_MINUTES'] ?? 10)
/** Time for the tab to load everything that it caches for a list. */
const warmUpMs = quick ? 5_000 : 60_000

/** Measures how much a tab's heap grows if the tab shows a list of instances while they change for a long time. */
export async function run(): Promise<Row[]> {
  return withFolders(async (newFolder) => {
    const program = await startProgram({ folder: await newFolder(), world: 'busy', readyWithinMs: 600_000 })
    try {
      const who = { username: 'admin', password: ADMIN_PASSWORD }
      const inProject = { ...who, project: 'demo' }
      const mirror = socketMirror((await signIn(program.url, who)).token, null)
      await mirror.connect(program.url)
      const api = await signIn(program.url, inProject)
      const rows = await withWatchedList(program.url, inProject, async (list) => {
        const { data } = await api.call(instances.list, { query: { limit: 100 } })
        const busy = keepBusy(await list.shown(data), { api, mirror, perSecond: CHANGES_PER_SECOND })
        await sleep(warmUpMs)
        const first = await list.heapBytes()
        const revision = mirror.revision()
        const end = Date.now() + minutes * 60_000
        // discard the data that the bench itself has recorded in the page
        while (Date.now() < end) {
          await sleep(Math.min(2000, minutes * 1000))
          await list.look()
        }
        const last = await list.heapBytes()
        const told = mirror.revision() - revision
        await busy.end()
        return [
          { name: 'tab: changes a second', unit: 'per second' as const, value: told / (minutes * 60) },
          {
            name: 'tab: heap after a long time of changes',
            unit: 'MB' as const,
            value: last / 1e6,
            against: { name: 'after its first minute', value: first / 1e6 },
          },
        ]
      })
      mirror.close()
      return rows
    } finally {
      await program.stop()
    }
  })
}
