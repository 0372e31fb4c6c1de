import type { TunnelPart } from '@mainstay/contract/vpn/connection-status'

/* Determines from strongSwan's log lines why the two ends disagree. */

export interface Verdict {
  part: TunnelPart
  reason: string
}

/** Values that appear in the reasons. */
interface Ends {
  peerAddress: string
  peerId: string
  localId: string
}

type Rule = readonly [pattern: RegExp, part: TunnelPart, reason: (ends: Ends, found: RegExpExecArray) => string]

const rules: readonly Rule[] = [
  [
    /tried \d+ shared keys? for .* but MAC mismatched|invalid HASH_V1 payload length|could not decrypt payloads|decryption failed|PAYLOAD_MALFORMED/,
    'key',
    () => 'The pre-shared keys of the two sides differ',
  ],
  [
    /ID[ir] '(.*)' does not match to|constraint check failed: (?:identity )?'?(.*?)'? required/,
    'identity',
    ({ peerId }, [, said]) => `The peer identifies itself as ${said ?? 'someone else'}, but ${peerId} is expected`,
  ],
  [
    /no shared key found for|no matching peer config found|no alternative config found|peer requested .* found .* matching configs?, but none allows/,
    'identity',
    ({ peerId, localId }) =>
      `The identifiers differ from those of the peer. Here, the peer is ${peerId} and this side is ${localId}`,
  ],
  [
    /AUTHENTICATION_FAILED/,
    'key',
    ({ localId }) =>
      `The peer rejects this side: it has a different pre-shared key, or expects an identifier other than ${localId}`,
  ],
  [
    /TS_UNACCEPTABLE|traffic selectors .* (?:un|in)acceptable|no matching CHILD_SA config found|INVALID_ID_INFORMATION/,
    'selectors',
    () => 'The address ranges do not match: local ranges of one side must be remote ranges of the other',
  ],
  [
    /NO_PROPOSAL_CHOSEN notify, no CHILD_SA built|no acceptable proposal found|NO_PROPOSAL_CHOSEN.*(?:CHILD|QUICK)/i,
    'proposal',
    () => 'The two sides have no algorithms in common. Compare the IPsec policies',
  ],
  [
    /NO_PROPOSAL_CHOSEN|received proposals (?:un|in)acceptable|no (?:matching|acceptable) (?:proposal|ENCRYPTION|INTEGRITY|DIFFIE)/i,
    'proposal',
    () => 'The two sides have no algorithms in common. Compare the IKE policies and their IKE versions',
  ],
  [
    /^(?:sending )?retransmit \d+ of request|^giving up after|unable to resolve|[Nn]etwork is unreachable|[Nn]o route to host/,
    'address',
    ({ peerAddress }) => `The peer does not respond at ${peerAddress}`,
  ],
]

/** Returns the cause in a log line, or null if it contains none. */
export function verdictOf(line: string, ends: Ends): Verdict | null {
  for (const [pattern, part, reason] of rules) {
    const found = pattern.exec(line)
    if (found) return { part, reason: reason(ends, found) }
  }
  return null
}

/** Returns the peer's address in a log line that introduces a new peer, or null for other lines. */
export const peerIn = (line: string): string | null =>
  /^(\S+) is initiating /.exec(line)?.[1] ?? /^received packet: from (\S+)\[\d+\]/.exec(line)?.[1] ?? null
