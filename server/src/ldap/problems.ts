import { says, type RuleText } from '@mainstay/contract/core/said'
import { Problem, problem, problemOf as refusalOf } from '@mainstay/contract/core/problems'
import { Malformed } from './answers'

/*
 * Maps failures to our own error messages. They never quote text from the directory, because the settings can point to
 * any host.
 */

export const silent = () => problem('settings.directory_silent')

export const unreachable = () => problem('settings.directory_unreachable')

export const untrusted = (kind: 'certificate' | 'starttls') => problem('settings.directory_untrusted', { kind })

export const bindFailed = () => problem('settings.bind_failed')

const NO_SUCH_OBJECT = 32
const reasons: Readonly<Record<number, RuleText>> = {
  3: says('settings.directory_time_limit'),
  4: says('settings.directory_size_limit'),
  8: says('settings.directory_wants_bind'),
  11: says('settings.directory_admin_limit'),
  12: says('settings.directory_no_pages'),
  13: says('settings.directory_wants_encryption'),
  34: says('settings.directory_wrong_dn'),
  50: says('settings.bind_dn_cannot_read'),
}

/** The error for a result code other than success. `code` is null if the client aborted the search. */
export function refused(code: number | null, what?: RuleText): Problem {
  if (code === NO_SUCH_OBJECT) return problem('settings.base_not_found')
  return refusalOf(what ?? reasons[code ?? 0] ?? says('settings.directory_refused'), { data: { ldap_code: code } })
}

const isOfTls = (code: string): boolean =>
  /CERT|ALTNAME|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|^ERR_TLS|^ERR_SSL|EPROTO|HOSTNAME_MISMATCH/.test(code)

/** Converts any other error. Errors that are unrelated to the connection are returned unchanged. */
export function problemOf(error: unknown): unknown {
  if (error instanceof Problem) return error
  if (error instanceof Malformed) return problem('settings.not_a_directory', {}, { cause: error })
  const { code = '' } = error as { code?: string }
  if (isOfTls(code)) return untrusted('certificate')
  return code === '' ? error : unreachable()
}
