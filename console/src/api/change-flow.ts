import type { Change } from '@mainstay/contract/core/events'
import { rowKey, publishChange } from './changes'
import { liveKinds } from './live-kinds'
import { setLive } from './live-state'
import { forgetApplied, patchAnswers, patchCache } from './patch-cache'
import { queryClient } from './query-client'
import { reportFault } from './report-fault'

/**
 * At most ten paints per second. The server already batches bursts of changes, so each batch is painted on arrival;
 * batching again would only add delay. The limit applies when two batches arrive close together or the server sends
 * unbatched changes.
 */
export const paintMs = 100
/** Burst size: paints allowed in quick succession after an idle period. */
export const paintsAtOnce = 3
/** Minimum interval between refetches of lists made stale by new rows (S1§9). */
const refetchMs = 2000
/** Number of pending changes above which refetching everything is cheaper than applying them. */
export const waitingMost = 5000
const quietMs = 400

/**
 * Applies changes from the socket to the query cache, in batches and only while the tab is visible. `start` is a
 * revision that every cached response already reflects, or null if the server did not report one.
 */
export function startChangeFlow(mayRead: (kind: string) => boolean, start: number | null) {
  // revisions from the previous scope, possibly on another server, are not comparable
  forgetApplied()
  const waiting = new Map<string, Change>()
  const stale = new Set<string>()
  let last = start
  let isOverflown = false
  let renewedAt = 0
  /** Token bucket: the time at which all paints so far would be done at a rate of one per `paintMs`. */
  let paintedUntil = 0
  let paint: ReturnType<typeof setTimeout> | undefined
  let renew: ReturnType<typeof setTimeout> | undefined
  let quiet: ReturnType<typeof setTimeout> | undefined

  const everythingAnew = () => {
    waiting.clear()
    stale.clear()
    forgetApplied()
    return queryClient.invalidateQueries()
  }

  const caughtUp = () => setLive({ state: 'live' })

  /** The "catching up" state ends after `quietMs` without changes. */
  const expectQuiet = () => {
    clearTimeout(quiet)
    quiet = setTimeout(caughtUp, quietMs)
  }

  function refetchStale() {
    renew = undefined
    renewedAt = Date.now()
    const hashes = new Set(stale)
    stale.clear()
    // refetches active queries only; inactive ones are marked stale and refetched when shown again
    void queryClient.invalidateQueries({ predicate: ({ queryHash }) => hashes.has(queryHash) })
  }

  function paintNow() {
    paint = undefined
    if (document.hidden) return
    paintedUntil = Math.max(paintedUntil, Date.now()) + paintMs
    if (isOverflown) {
      isOverflown = false
      void everythingAnew()
      return
    }
    const { refetch } = patchCache(queryClient, [...waiting.values()])
    waiting.clear()
    for (const hash of refetch) askAgain(hash)
  }

  function askAgain(hash: string) {
    stale.add(hash)
    // the first refetch runs immediately, the following ones at most every `refetchMs`
    renew ??= setTimeout(refetchStale, Math.max(0, renewedAt + refetchMs - Date.now()))
  }
  const stopPatching = patchAnswers(queryClient, askAgain)

  function isForUs({ kind, id, domain_id }: Change) {
    const isKnown = Object.hasOwn(liveKinds, kind)
    if (!isKnown) reportFault(`Received a change to an unknown kind: ${rowKey(kind, id)}`)
    else if (!mayRead(kind)) reportFault(`Received a change that this role may not read: ${rowKey(kind, id)}`)
    // a project without a domain does not belong to any tenant (S2§4)
    else return kind !== 'project' || domain_id !== null
    return false
  }

  function take(changes: readonly Change[]) {
    for (const change of changes) {
      last = Math.max(last ?? 0, change.revision)
      if (!isForUs(change)) continue
      publishChange(change)
      waiting.delete(rowKey(change.kind, change.id))
      waiting.set(rowKey(change.kind, change.id), change)
    }
    if (waiting.size > waitingMost) {
      waiting.clear()
      isOverflown = true
    }
    if (quiet !== undefined) expectQuiet()
    paint ??= setTimeout(paintNow, Math.max(0, paintedUntil - (paintsAtOnce - 1) * paintMs - Date.now()))
  }

  const shown = () => {
    if (!document.hidden && (waiting.size > 0 || isOverflown)) paintNow()
  }
  document.addEventListener('visibilitychange', shown)

  return {
    take,
    /** The revision to resume from: all changes up to it have been received. */
    since: () => last,
    resumeFrom(revision: number, isResync: boolean) {
      // without a start revision, cached data may be older than the first change received
      const isAnew = isResync || last === null
      const missed = revision - (last ?? revision)
      last = isAnew ? revision : last
      const isLater = isAnew && document.hidden
      setLive({ state: !isLater && (isAnew || missed > 0) ? 'catching-up' : 'live' })
      // hidden tabs wait until they are visible, because all tabs in a browser may reconnect at the same time
      if (isLater) isOverflown = true
      else if (isAnew) void everythingAnew().then(caughtUp)
      else if (missed > 0) expectQuiet()
    },
    stop() {
      stopPatching()
      document.removeEventListener('visibilitychange', shown)
      clearTimeout(paint)
      clearTimeout(renew)
      clearTimeout(quiet)
    },
  }
}
