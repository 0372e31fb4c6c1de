import type { ProblemCode } from '@mainstay/contract/core/problems'

/**
 * Octavia errors have no type, so they are recognized by their messages, which are defined in
 * `octavia/common/exceptions.py` of https://opendev.org/openstack/octavia.
 */
const byWords: readonly { status: readonly number[]; words: RegExp; code: ProblemCode }[] = [
  { status: [409], words: /is immutable and cannot be updated|Invalid state PENDING_/i, code: 'lb_pending' },
  { status: [409], words: /Another Listener on this Load Balancer is already using/i, code: 'port_in_use' },
  { status: [409], words: /Invalid state /i, code: 'invalid_state' },
  // Octavia reports an address that Neutron rejects as a provider error
  { status: [409, 500], words: /already allocated|address .*in use/i, code: 'ip_address_in_use' },
  { status: [500], words: /No more IP addresses available/i, code: 'no_free_addresses' },
  { status: [400], words: /Could not retrieve certificate/i, code: 'certificate_unusable' },
  { status: [400], words: /is not allowed in this deployment/i, code: 'unsupported' },
  { status: [503], words: /Project busy/i, code: 'lb_pending' },
]

/** Returns the code for an Octavia error, or undefined to use the code for its HTTP status. */
export const codeOfBalancerFault = (status: number, text: string): ProblemCode | undefined =>
  byWords.find((one) => one.status.includes(status) && one.words.test(text))?.code
