import { Secret } from '../../ports/secret'
import type { AuthScope, Credentials, DomainRef, UserRef } from '../client/credentials'
import type { Auth, Entry, Fail } from './entry-shape'

const passwordTypes = [null, 'password', 'v3password', 'v3multifactor']
const applicationTypes = ['v3applicationcredential', 'applicationcredential']

function domainOf(id: string | null, name: string | null, fallback: string | null): DomainRef | null {
  if (id !== null) return { id }
  const known = name ?? fallback
  return known === null ? null : { name: known }
}

function userOf(auth: Auth, fail: Fail): UserRef {
  if (auth.user_id !== null) return { id: auth.user_id }
  const domain = domainOf(auth.user_domain_id, auth.user_domain_name, auth.default_domain)
  if (auth.username === null) fail(['auth', 'username'], 'is missing')
  else if (!domain) fail(['auth', 'user_domain_name'], 'is missing: a username is unique only within a domain')
  return { name: auth.username ?? '', domain: domain ?? { name: '' } }
}

function projectOf(auth: Auth, fail: Fail): AuthScope {
  if (auth.project_id !== null) return { project: { id: auth.project_id } }
  const domain = domainOf(auth.project_domain_id, auth.project_domain_name, auth.default_domain)
  if (auth.project_name === null)
    fail(
      ['auth', 'project_name'],
      auth.system_scope === null
        ? 'is missing: name the project in which the service account is an administrator'
        : 'is missing: an account for the whole system (system_scope) cannot use every service; name a project instead',
    )
  else if (!domain) fail(['auth', 'project_domain_name'], 'is missing: a project name is unique only within a domain')
  return { project: { name: auth.project_name ?? '', domain: domain ?? { name: '' } } }
}

function applicationOf(auth: Auth, fail: Fail): Credentials {
  const { application_credential_id: id, application_credential_name: name } = auth
  if (auth.application_credential_secret === null) fail(['auth', 'application_credential_secret'], 'is missing')
  const secret = new Secret(auth.application_credential_secret ?? '')
  if (id !== null) return { method: 'application_credential', id, secret }
  if (name === null) {
    fail(['auth', 'application_credential_id'], 'is missing')
    return { method: 'application_credential', id: '', secret }
  }
  return { method: 'application_credential', name, user: userOf(auth, fail), secret }
}

/**
 * Returns the service account of an entry and its scope. The scope is undefined for application credentials, which are
 * bound to a project.
 */
export function accountOf(
  { auth, auth_type: type }: Entry,
  fail: Fail,
): { credentials: Credentials; scope: AuthScope | undefined } {
  const byApplication =
    applicationTypes.includes(type ?? '') || (type === null && auth.application_credential_id !== null)
  if (byApplication) return { credentials: applicationOf(auth, fail), scope: undefined }
  if (!passwordTypes.includes(type))
    fail(['auth_type'], `is ${type}, which cannot be renewed unattended; use password or v3applicationcredential`)
  if (auth.password === null)
    fail(['auth', 'password'], auth.token === null ? 'is missing' : 'is missing: an expired token cannot be renewed')
  const credentials = {
    method: 'password',
    user: userOf(auth, fail),
    password: new Secret(auth.password ?? ''),
  } as const
  return { credentials, scope: projectOf(auth, fail) }
}
