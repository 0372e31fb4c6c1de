import { Problem, problem, fieldProblem, withField } from '@mainstay/contract/core/problems'
import type { ServiceClient } from '../../client/service-client'

/** What Keystone says of a domain whose users it only reads, from an LDAP server. */
const readOnly = /LDAP does not support write|read[- ]only/i

export function duplicateName(what: string, more: { data?: Record<string, unknown>; cause?: unknown } = {}): Problem {
  return fieldProblem('name', 'identity.name_taken', { kind: what }, more)
}

/** Refusals of Keystone in words that say what to do about them. `what`: `domain`, `project`, `user`, `group`. */
function explained(error: unknown, what: string): unknown {
  if (!(error instanceof Problem) || error.data['service'] !== 'identity') return error
  const { code, message, data } = error
  if (readOnly.test(message) || data['status'] === 501)
    return problem('identity.domain_of_ldap', {}, { data, cause: error })
  if (code === 'forbidden') return problem('identity.policy_of_cloud', { reason: message }, { data, cause: error })
  if (code === 'duplicate_name') return duplicateName(what, { data, cause: error })
  if (code === 'validation' && /password/i.test(message)) return withField(error, { field: 'password' })
  return error
}

/** Commands of a client, whose refusals are told for people. */
export const commandsOf =
  (client: ServiceClient, what: string): ServiceClient['send'] =>
  (...call) =>
    client.send(...call).catch((error: unknown) => {
      throw explained(error, what)
    })
