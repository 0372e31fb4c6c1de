import type { Change } from '@mainstay/contract/core/events'
import { rowKey, publishChange } from './changes'
import { liveKinds } from './live-kinds'
import { setLive } from './live-state'
import { forgetApplied, patchAnswers, patchCache } from './patch-cache'
import { queryClient } from './query-client'
import { reportFault } from './report-fault'

/**
 * Ten paints a second at most. The server gathers what comes in a flood, so what it sends is painted as it comes: to gather
 * it once more would only make it older. This holds where two of its batches come close together, or it gathers nothing.
 */
export const paintMs = 100
/** Paints that may come close together after a rest. */
export const paintsAtOnce = 3
/** New rows ask for their lists again, at most this often (S1§9). */
const refetchMs = 2000
/** With more than this waiting, asking for everything anew is less work than working it in. */
export const waitingMost = 5000
const quietMs = 400

/**
 * Takes changes from the socket and works them into the cache: in groups, and not while nobody looks. `start` is a
 * revision that every answer in the cache knows; null where no server told one.
 */
export function startChangeFlow(mayRead: (kind: string) => boolean, start: number | null) {
  // another scope, and perhaps another server, counts its own revisions
  forgetApplied()
  const waiting = new Map<string, Change>()
  const stale = new Set<string>()
  let last = start
  let isOverflown = false
  let renewedAt = 0
  /** When the paints so far would have been done one every `paintMs`. */
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

  /** "Catching up" ends when nothing more comes for a moment. */
  const expectQuiet = () => {
    clearTimeout(quiet)
    quiet = setTimeout(caughtUp, quietMs)
  }

  function refetchStale() {
    renew = undefined
    renewedAt = Date.now()
    const hashes = new Set(stale)
    stale.clear()
    // `active` only: what is not on the screen is marked and asked for when it is shown again
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
    // the first one at once, a flood of them now and then
    renew ??= setTimeout(refetchStale, Math.max(0, renewedAt + refetchMs - Date.now()))
  }
  const stopPatching = patchAnswers(queryClient, askAgain)

  function isForUs({ kind, id, domain_id }: Change) {
    const isKnown = Object.hasOwn(liveKinds, kind)
    if (!isKnown) reportFault(`A change of an unknown kind: ${rowKey(kind, id)}`)
    else if (!mayRead(kind)) reportFault(`A change that this role may not read: ${rowKey(kind, id)}`)
    // a project of no domain is nobody's (S2§4)
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
    /** What to tell the server: everything up to here is known. */
    since: () => last,
    resumeFrom(revision: number, isResync: boolean) {
      // what was shown before the socket is told of changes may be older than the first of them
      const isAnew = isResync || last === null
      const missed = revision - (last ?? revision)
      last = isAnew ? revision : last
      const isLater = isAnew && document.hidden
      setLive({ state: !isLater && (isAnew || missed > 0) ? 'catching-up' : 'live' })
      // asked for when somebody looks: all tabs of a browser may come back at once
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
