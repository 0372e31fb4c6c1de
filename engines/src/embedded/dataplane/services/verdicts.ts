import type { TunnelPart } from '@mainstay/contract/vpn/connection-status'

/* What strongSwan's own lines say of why two ends do not agree. */

export interface Verdict {
  part: TunnelPart
  reason: string
}

/** Of what the reasons speak. */
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
    ({ peerId }, [, said]) => `The peer names itself ${said ?? 'otherwise'}, and is expected as ${peerId}`,
  ],
  [
    /no shared key found for|no matching peer config found|no alternative config found|peer requested .* found .* matching configs?, but none allows/,
    'identity',
    ({ peerId, localId }) =>
      `The peer names itself, or this side, otherwise than is set here: it is expected as ${peerId}, and this side is ${localId}`,
  ],
  [
    /AUTHENTICATION_FAILED/,
    'key',
    ({ localId }) =>
      `The peer refuses this side: it has another pre-shared key, or expects this side under another identity than ${localId}`,
  ],
  [
    /TS_UNACCEPTABLE|traffic selectors .* (?:un|in)acceptable|no matching CHILD_SA config found|INVALID_ID_INFORMATION/,
    'selectors',
    () => 'The two sides have other ranges of addresses: those of the one must be those of the other, exchanged',
  ],
  [
    /NO_PROPOSAL_CHOSEN notify, no CHILD_SA built|no acceptable proposal found|NO_PROPOSAL_CHOSEN.*(?:CHILD|QUICK)/i,
    'proposal',
    () => 'The two sides have no algorithms in common: compare the IPsec policy',
  ],
  [
    /NO_PROPOSAL_CHOSEN|received proposals (?:un|in)acceptable|no (?:matching|acceptable) (?:proposal|ENCRYPTION|INTEGRITY|DIFFIE)/i,
    'proposal',
    () => 'The two sides have no algorithms in common: compare the IKE policy, and its version',
  ],
  [
    /^(?:sending )?retransmit \d+ of request|^giving up after|unable to resolve|[Nn]etwork is unreachable|[Nn]o route to host/,
    'address',
    ({ peerAddress }) => `The peer does not answer at ${peerAddress}`,
  ],
]

/** What a line says of the two ends; null: nothing. */
export function verdictOf(line: string, ends: Ends): Verdict | null {
  for (const [pattern, part, reason] of rules) {
    const found = pattern.exec(line)
    if (found) return { part, reason: reason(ends, found) }
  }
  return null
}

/** Lines by which a peer that is not known yet is told: its address is the first text in brackets. */
export const peerIn = (line: string): string | null =>
  /^(\S+) is initiating /.exec(line)?.[1] ?? /^received packet: from (\S+)\[\d+\]/.exec(line)?.[1] ?? null
