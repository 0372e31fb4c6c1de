import { setTimeout as sleep } from 'node:timers/promises'
import { instances, type Instance } from '@mainstay/contract/compute/instances'
import type { Change } from '@mainstay/contract/core/events'
import type { ApiClient } from '../../server/src/testing/api-client'
import type { SocketMirror } from '../../server/src/testing/socket-mirror'

const HANDS = 4
const SEEN_WITHIN_MS = 20_000

/** Actions to alternate: the API call, the resulting status, and the status text in the list. */
export const switches = [
  [instances.pause, 'PAUSED', 'Paused'],
  [instances.unpause, 'ACTIVE', 'Active'],
] as const

/** Returns true if the change is newer than revision `since` and reports that the instance reached the status. */
export const isNow = (change: Change, { id }: Instance, status: Instance['status'], since: number) =>
  change.revision > since &&
  change.id === id &&
  change.entity?.['status'] === status &&
  change.entity['task_state'] === null

/** Pauses and resumes instances at about `perSecond` changes per second until `end` is called. */
export function keepBusy(
  rows: readonly Instance[],
  { api, mirror, perSecond }: { api: ApiClient; mirror: SocketMirror; perSecond: number },
) {
  let isOver = false
  const begun = { revision: mirror.revision(), at: performance.now() }
  const isAhead = () => mirror.revision() - begun.revision > ((performance.now() - begun.at) / 1000) * perSecond
  async function work(own: readonly Instance[]) {
    for (let turn = 0; !isOver; turn++) {
      const [action, status] = switches[Math.floor(turn / own.length) % 2]!
      const row = own[turn % own.length]!
      while (isAhead() && !isOver) await sleep(5)
      const since = mirror.revision()
      await api.call(action, { params: { id: row.id }, body: {} })
      await mirror.heard((told) => isNow(told, row, status, since), SEEN_WITHIN_MS)
    }
  }
  const workers = Array.from({ length: HANDS }, (_, hand) => work(rows.filter((_row, at) => at % HANDS === hand)))
  return {
    async end() {
      isOver = true
      await Promise.all(workers)
    },
  }
}
