import { says } from '@mainstay/contract/core/said'
import { type Problem, withField } from '@mainstay/contract/core/problems'

/** Assigns an error about a pool to the field at fault. `at`: prefix of the pool's fields in the request. */
export function poolRefusal(problem: Problem, at = ''): Problem {
  const { code, message } = problem
  const field = fieldOf(problem)
  if (code === 'port_in_use')
    return withField(problem, { field: `${at}protocol_port`, message: says('loadBalancing.port_taken') })
  if (code === 'certificate_unusable') return withField(problem, { field: `${at}certificate` })
  if (field !== null && (code === 'validation' || code === 'unsupported'))
    return withField(problem, { field: `${at}${field}` })
  if (code === 'not_found' && /\bsubnet\b/i.test(message))
    return withField(problem, { field: `${at}members`, code: 'lb_member_unreachable' })
  return problem
}

/** Patterns in error messages from the service, and the fields that they refer to. */
const meant: readonly [RegExp, string][] = [
  [/allowed_cidrs|\bcidr\b/i, 'allowed_cidrs'],
  [/algorithm/i, 'lb_algorithm'],
  [/session.persistence|cookie/i, 'sticky_session'],
  [/health ?monitor/i, 'healthmonitor'],
  [/insert.headers/i, 'insert_headers'],
  [/\bmember|\bsubnet\b|IP version/i, 'members'],
  [/certificate|container/i, 'certificate'],
  [/protocol/i, 'protocol'],
]
const fieldOf = ({ message }: Problem): string | null => meant.find(([words]) => words.test(message))?.[1] ?? null
