import { says } from '@mainstay/contract/core/said'
import { problem, fieldProblem, problemOf } from '@mainstay/contract/core/problems'
import { ldapDefaults, type LdapChange, type LdapSettings } from '@mainstay/contract/settings/ldap'
import type { DirectoryImportsPort } from '@mainstay/engines/ports/directory-imports'
import { Secret } from '@mainstay/engines/ports/secret'
import { checkAuthorities, noDirectory, type Directory } from '../../ldap/settings'
import { peopleFilter } from '../../ldap/read-directory'
import type { Change, StoredSetting } from '../../settings/settings'
import type { Tools } from '../../tools'

/**
 * Returns the port for directory imports. Throws `unsupported` if a cloud authenticates the users and manages their
 * directory.
 */
export function importsOf({ identity }: Pick<Tools, 'identity'>): DirectoryImportsPort {
  if (!identity.imports) throw problem('settings.directory_of_cloud')
  return identity.imports
}

/** Converts the stored settings to the form shown to users, without the password. */
export const shown = (kept: StoredSetting<Directory> | null): LdapSettings => ({
  ...(kept?.value ?? noDirectory),
  has_bind_password: kept !== null && (kept.secret !== null || kept.isSealedElsewhere),
})

/** Identifies where the password is sent and how the connection is protected. */
const wayOf = ({ host, port, bind_dn, connection_security, ca_certificate }: Directory): string =>
  JSON.stringify([host.toLowerCase(), port, bind_dn, connection_security, ca_certificate])

/** Replaces empty attributes with the defaults for the kind of directory. */
function withDefaults(directory: Directory): Directory {
  const { kind: _, port: __, connection_security: ___, ...attributes } = ldapDefaults[directory.kind]
  const isEmpty = (name: string) => directory[name as keyof Directory] === ''
  return { ...directory, ...Object.fromEntries(Object.entries(attributes).filter(([name]) => isEmpty(name))) }
}

/**
 * Applies a change to the settings. If the kind changes, omitted fields get its defaults. A stored password is kept
 * only if the host, port, bind DN and connection security stay the same. Throws `validation` errors.
 */
export function changed(kept: StoredSetting<Directory> | null, change: LdapChange): Required<Change<Directory>> {
  const before = kept?.value ?? noDirectory
  const { bind_password: password, ...rest } = change
  const given = Object.fromEntries(Object.entries(rest).filter(([, one]) => one !== undefined)) as Partial<Directory>
  const kind = given.kind ?? before.kind
  const value = withDefaults({ ...before, ...(kind !== before.kind && ldapDefaults[kind]), ...given })
  if (kind === 'none') return { value: { ...value, enabled: false }, secret: null }
  for (const [field, what] of [
    ['host', says('settings.enter_directory_host')],
    ['search_base_dn', says('settings.enter_search_base')],
  ] as const)
    if (value[field] === '') throw problemOf(what, { field })
  peopleFilter(value)
  checkAuthorities(value)
  if (value.bind_dn === '') {
    if (password) throw fieldProblem('bind_dn', 'settings.enter_bind_dn')
    return { value, secret: null }
  }
  if (password !== undefined) return { value, secret: password === '' ? null : new Secret(password) }
  const isThere = kept !== null && (kept.secret !== null || kept.isSealedElsewhere)
  if (isThere && (wayOf(before) !== wayOf(value) || kept.isSealedElsewhere))
    throw fieldProblem(
      'bind_password',
      kept.isSealedElsewhere ? 'settings.password_again_sealed' : 'settings.bind_password_again',
    )
  return { value, secret: kept?.secret ?? null }
}
