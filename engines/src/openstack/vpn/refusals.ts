import { type Problem, type ProblemCode, withField } from '@mainstay/contract/core/problems'
import { sentAt } from '../../vpn/sides'

/* Assigns errors about a connection and its parts to fields. */

/** Patterns in error messages from the network service, and the policy fields that they refer to. */
const ofPolicy: readonly [RegExp, string][] = [
  [/encryption_algorithm/i, 'encryption_algorithm'],
  [/auth_algorithm/i, 'auth_algorithm'],
  [/\bpfs\b/i, 'pfs'],
  [/lifetime/i, 'lifetime.value'],
  [/ike_version/i, 'ike_version'],
]

/** Patterns in error messages from the network service, and the fields of a draft or change that they refer to. */
const ofConnection: readonly [RegExp, string, ProblemCode?][] = [
  [/^VPNService\b|\brouter\b.*(not found|could not be found)/i, 'vpnservice.router_id', 'validation'],
  [/^IKEPolicy\b/i, `${sentAt}ikepolicy_id`, 'validation'],
  [/^IPsecPolicy\b/i, `${sentAt}ipsecpolicy_id`, 'validation'],
  [/external network has no/i, `${sentAt}peer_address`, 'validation'],
  [/peer address|peer_address/i, `${sentAt}peer_address`],
  [/peer_id/i, `${sentAt}peer_id`],
  [/local_id/i, `${sentAt}local_id`],
  [/\bdpd/i, `${sentAt}dpd.timeout`],
  [/\bpsk\b/i, `${sentAt}psk`],
  [/\bsubnet\b.*not connected|endpoint|IP versions/i, `${sentAt}local_ep_group_id`, 'validation'],
]

const fieldIn = (words: readonly [RegExp, string, ProblemCode?][], text: string) =>
  words.find(([pattern]) => pattern.test(text))

/** Assigns an error about a policy to a field. `at`: field prefix, empty if the policy is created separately. */
export function policyRefusal(problem: Problem, at: string): Problem {
  if (problem.code === 'quota_exceeded') return withField(problem, { field: `${at}name` })
  const found = problem.code === 'validation' ? fieldIn(ofPolicy, problem.message) : undefined
  return found ? withField(problem, { field: `${at}${found[1]}` }) : problem
}

/**
 * Assigns an error about an endpoint group to a field. `at`: field prefix, empty if the group is created separately.
 */
export function groupRefusal(problem: Problem, at: string): Problem {
  const { code } = problem
  if (code === 'quota_exceeded') return withField(problem, { field: `${at}name` })
  return code === 'validation' || code === 'not_found'
    ? withField(problem, { field: `${at}endpoints`, code: 'validation' })
    : problem
}

/** Assigns an error about a router's VPN service to the router field. */
export function serviceRefusal(problem: Problem): Problem {
  const code = problem.code === 'not_found' ? 'validation' : problem.code
  return withField(problem, { field: 'vpnservice.router_id', code })
}

export function connectionRefusal(problem: Problem): Problem {
  const { code, message } = problem
  if (code === 'quota_exceeded') return withField(problem, { field: `${sentAt}name` })
  if (code !== 'validation' && code !== 'not_found') return problem
  const found = fieldIn(ofConnection, message)
  return found ? withField(problem, { field: found[1], code: found[2] ?? code }) : problem
}
