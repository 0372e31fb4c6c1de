import { Problem, problem, fieldProblem, withField } from '@mainstay/contract/core/problems'
import type { ServiceClient } from '../../client/service-client'

/** Keystone's message for a domain whose users come from a read-only LDAP server. */
const readOnly = /LDAP does not support write|read[- ]only/i

export function duplicateName(what: string, more: { data?: Record<string, unknown>; cause?: unknown } = {}): Problem {
  return fieldProblem('name', 'identity.name_taken', { kind: what }, more)
}

/** Explains an error from Keystone and how to resolve it. `what` is `domain`, `project`, `user` or `group`. */
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

/** Returns the client's `send`, with errors explained for users. */
export const commandsOf =
  (client: ServiceClient, what: string): ServiceClient['send'] =>
  (...call) =>
    client.send(...call).catch((error: unknown) => {
      throw explained(error, what)
    })
