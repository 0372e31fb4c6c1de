import { Problem, problem } from '@mainstay/contract/core/problems'
import type { RuleText } from '@mainstay/contract/core/said'

/**
 * Why a host cannot be reached, or why a command returned no result. `host_key_changed`: another host responds, or the
 * host was reinstalled; `refused_key`: the host does not accept our key; `no_bridge`: cockpit-bridge is missing or does
 * not start; `bridge_fault`: the bridge violated its protocol or exited; `closed`: we closed the link.
 */
export type LinkReason =
  | 'host_key_changed'
  | 'unreachable'
  | 'refused_key'
  | 'no_bridge'
  | 'bridge_fault'
  | 'timeout'
  | 'too_long'
  | 'closed'

/** A failure of a link, with a message for operators. */
export class LinkFault extends Problem {
  readonly reason: LinkReason

  constructor(reason: LinkReason, words: RuleText) {
    super('node_unreachable', words, { data: { reason } })
    this.reason = reason
  }
}

/** The error for a command that requires root on a host where the platform has only an ordinary user. */
export const needsRoot = (host: string, user: string): Problem =>
  problem('infrastructure.host_needs_root', { host, user })
