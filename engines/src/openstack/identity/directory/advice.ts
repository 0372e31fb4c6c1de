import { Problem } from '@mainstay/contract/core/problems'
import type { ServiceClient } from '../../client/service-client'

/** What Keystone says of a domain whose users it only reads, from an LDAP server. */
const readOnly = /LDAP does not support write|read[- ]only/i

export function duplicateName(what: string, more: { data?: Record<string, unknown>; cause?: unknown } = {}): Problem {
  const told = `There is a ${what} of this name already`
  return new Problem('duplicate_name', told, { fields: { name: [told] }, ...more })
}

/** Refusals of Keystone in words that say what to do about them. `what`: `domain`, `project`, `user`, `group`. */
function explained(error: unknown, what: string): unknown {
  if (!(error instanceof Problem) || error.data['service'] !== 'identity') return error
  const { code, message, data } = error
  if (readOnly.test(message) || data['status'] === 501)
    return new Problem(
      'unsupported',
      'The cloud only reads the users and groups of this domain, from an LDAP server: change them there',
      { data, cause: error },
    )
  if (code === 'forbidden')
    return new Problem(
      'forbidden',
      `The cloud’s own policy does not let you do this: ${message} ` +
        'An administrator of the cloud can give your account a role there that its policy asks for',
      { data, cause: error },
    )
  if (code === 'duplicate_name') return duplicateName(what, { data, cause: error })
  if (code === 'validation' && /password/i.test(message))
    return new Problem('validation', message, { fields: { password: [message] }, data, cause: error })
  return error
}

/** Commands of a client, whose refusals are told for people. */
export const commandsOf =
  (client: ServiceClient, what: string): ServiceClient['send'] =>
  (...call) =>
    client.send(...call).catch((error: unknown) => {
      throw explained(error, what)
    })
