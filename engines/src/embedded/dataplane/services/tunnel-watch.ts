import type { Traffic, TunnelReport, WantedConnection } from '../../../network-model/wanted-vpns'
import { childrenOf, childReports, establishedAt, type StandingTunnel } from './tunnel-messages'
import type { Verdict } from './verdicts'

/* State of one connection: the daemon's log, whether the tunnel is up, and when to initiate it again. */

const linesKept = 60
const firstTryMs = 4_000
const lastTryMs = 30_000

export interface WatchedTunnel {
  heard(line: string, verdict: Verdict | null): void
  /**
   * Updates the state from the current SAs. Returns whether to initiate the tunnel. `waited`: number of packets that
   * have waited for it so far; null if they were not counted.
   */
  seen(standing: readonly StandingTunnel[], waited: number | null): boolean
  /**
   * Call this after the connection has been loaded into a new process, which initiates the tunnel. Traffic counters
   * continue.
   */
  loadedAgain(): void
  /** Marks the tunnel as down with this reason, because strongSwan cannot be queried. */
  lost(reason: string): void
  /** Whether the tunnel stays down until packets wait for it. */
  readonly isWaiting: boolean
  report(): TunnelReport
}

const none: Traffic = { bytesIn: 0, bytesOut: 0, packetsIn: 0, packetsOut: 0 }

export function watchTunnel(connection: WantedConnection): WatchedTunnel {
  const { begins, dpd } = connection
  const wantedChildren = childrenOf(connection).map(({ name }) => name)
  const log: TunnelReport['log'] = []
  let standing: readonly StandingTunnel[] = []
  let isUp = false
  let wasUp = false
  let verdict: Verdict | null = null
  let gone: Traffic = none
  let counted = new Map<string, Traffic>()
  let waitedBefore: number | null = null
  // loading the connection has already initiated the tunnel
  let tryAt = Date.now() + firstTryMs
  let pause = firstTryMs

  function count(): void {
    const now = new Map(
      standing.flatMap(({ children }) =>
        children.map(({ number, bytesIn, bytesOut, packetsIn, packetsOut }) => [
          number,
          { bytesIn, bytesOut, packetsIn, packetsOut },
        ]),
      ),
    )
    for (const [number, traffic] of counted) if (!now.has(number)) gone = sum(gone, traffic)
    counted = now
  }

  function note(line: string): void {
    log.push({ at: new Date().toISOString(), text: line.slice(0, 500) })
    if (log.length > linesKept) log.shift()
  }

  /** Whether this side should initiate the tunnel while it is down. */
  function isToBegin(waited: number | null): boolean {
    if (!begins) return false
    if (!wasUp || dpd.action === 'restart' || dpd.action === 'disabled') return true
    if (dpd.action === 'clear') return false
    const isMore = waited !== null && waitedBefore !== null && waited > waitedBefore
    waitedBefore = waited
    return isMore
  }

  return {
    heard(line, said) {
      note(line)
      if (!said) return
      // a refusal by the peer is less specific than a cause that is already known
      const isVague = /AUTHENTICATION_FAILED/.test(line) && (verdict?.part === 'identity' || verdict?.part === 'key')
      if (!isVague) verdict = said
    },
    seen(now, waited) {
      standing = now
      count()
      const installed = new Set(
        now.flatMap(({ children }) => children.flatMap(({ name, isInstalled }) => (isInstalled ? [name] : []))),
      )
      isUp = wantedChildren.every((name) => installed.has(name))
      if (isUp) {
        wasUp = true
        verdict = null
        waitedBefore = null
        pause = firstTryMs
        tryAt = Date.now() + 1_000
        return false
      }
      const isMaking = now.some(({ isEstablished, isInitiator }) => !isEstablished && isInitiator)
      if (isMaking || Date.now() < tryAt || !isToBegin(waited)) return false
      tryAt = Date.now() + pause
      pause = Math.min(lastTryMs, pause * 2)
      return true
    },
    loadedAgain() {
      wasUp = false
      if (verdict?.part === 'router') verdict = null
      pause = firstTryMs
      tryAt = Date.now() + firstTryMs
    },
    lost(reason) {
      standing = []
      count()
      isUp = false
      if (verdict?.part === 'router' && verdict.reason === reason) return
      verdict = { part: 'router', reason }
      note(reason)
    },
    get isWaiting() {
      return begins && !isUp && wasUp && dpd.action === 'hold'
    },
    report: () => ({
      isUp,
      cause: isUp ? null : (verdict?.part ?? null),
      reason: isUp ? null : (verdict?.reason ?? null),
      log: [...log],
      establishedAt: establishedAt(standing),
      traffic: [...counted.values()].reduce(sum, gone),
      children: childReports(standing),
    }),
  }
}

const sum = (one: Traffic, other: Traffic): Traffic => ({
  bytesIn: one.bytesIn + other.bytesIn,
  bytesOut: one.bytesOut + other.bytesOut,
  packetsIn: one.packetsIn + other.packetsIn,
  packetsOut: one.packetsOut + other.packetsOut,
})
