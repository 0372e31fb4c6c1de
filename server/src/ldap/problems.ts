import { Problem } from '@mainstay/contract/core/problems'
import { Malformed } from './answers'

/*
 * What went wrong, in words of ours. What the directory said stays out: the host may be any that the settings name.
 */

export const silent = () =>
  new Problem(
    'ldap_unreachable',
    'The directory did not answer in time. Check host and port, and the firewall between.',
  )

export const unreachable = () =>
  new Problem(
    'ldap_unreachable',
    'The directory cannot be reached, or ended the connection. Check host, port and connection security.',
  )

export const untrusted = (what: string) =>
  new Problem('ldap_untrusted', `${what}. Check the authority, the host name, and the connection security.`)

export const bindFailed = () =>
  new Problem('ldap_bind_failed', 'The directory did not accept the bind DN and its password. Enter both again.')

const NO_SUCH_OBJECT = 32
const reasons: Readonly<Record<number, string>> = {
  3: 'The directory gave up the search: its time limit is too low',
  4: 'The directory sends fewer entries than there are: its size limit has to be lifted for the bind DN',
  8: 'The directory wants a bind DN and a password',
  11: 'The directory sends fewer entries than there are: its limits have to be lifted for the bind DN',
  12: 'The directory does not answer in pages',
  13: 'The directory answers over an encrypted connection only',
  34: 'The search base or the bind DN is no distinguished name',
  50: 'The bind DN may not read the directory',
}

/** A result other than success, by its code; null where we ended the search. */
export function refused(code: number | null, what?: string): Problem {
  if (code === NO_SUCH_OBJECT)
    return new Problem('ldap_base_not_found', 'The search base is not in the directory, or the bind DN may not see it')
  const message = what ?? reasons[code ?? 0] ?? 'The directory refused to answer'
  return new Problem('ldap_refused', code === null ? message : `${message} (${code})`, { data: { ldap_code: code } })
}

const isOfTls = (code: string): boolean =>
  /CERT|ALTNAME|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|^ERR_TLS|^ERR_SSL|EPROTO|HOSTNAME_MISMATCH/.test(code)

/** The same for whatever was thrown on the way; what is no fault of a connection is answered as it is. */
export function problemOf(error: unknown): unknown {
  if (error instanceof Problem) return error
  if (error instanceof Malformed)
    return new Problem('ldap_refused', 'What answers there is no directory, or its answer is too large', {
      cause: error,
    })
  const { code = '' } = error as { code?: string }
  if (isOfTls(code)) return untrusted('The directory offers no encrypted connection with a certificate to be trusted')
  return code === '' ? error : unreachable()
}
