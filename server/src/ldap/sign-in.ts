import { randomUUID } from 'node:crypto'
import { Problem, problem } from '@mainstay/contract/core/problems'
import type { IdentityPort } from '@mainstay/engines/ports/identity'
import { Secret } from '@mainstay/engines/ports/secret'
import { AndFilter, EqualityFilter } from 'ldapts'
import type { LdapEntry } from './answers'
import type { LdapPatience } from './connection'
import { idOf } from './entries'
import { openDirectory, peopleFilter } from './read-directory'
import { directorySetting, isInUse, type Directory } from './settings'
import type { Settings } from '../settings/settings'
import type { PasswordSource } from '../session/passwords/password-source'

const patience: LdapPatience = { withinMs: 8000, quietMs: 5000 }
/** Maximum number of entries to check per username. */
const MOST_NAMESAKES = 10
/**
 * Maximum number of sign-ins waiting for the directory. More are refused immediately, so that local users can still
 * sign in.
 */
const MOST_AT_ONCE = 16

/**
 * Checks a password by binding as the user. For an unknown user, sends the same requests, but binds with a random name
 * and password.
 */
async function isRight(
  directory: Directory,
  bindPassword: Secret | null,
  { name, id, password }: { name: string; id: string | null; password: string },
  how: LdapPatience,
): Promise<boolean> {
  const { user_search_login_attr: login, user_search_id_attr: idAttribute, search_base_dn: base } = directory
  const connection = await openDirectory(directory, bindPassword, how)
  try {
    // the name is passed as a value, so that it cannot inject filter syntax
    const isNamed = new EqualityFilter({ attribute: login, value: name })
    const filter = new AndFilter({ filters: [peopleFilter(directory), isNamed] })
    const entries: LdapEntry[] = []
    await connection.search({ base, filter, attributes: [idAttribute], most: MOST_NAMESAKES }, (entry) => {
      // other entries may list this name among several values; only the ID identifies the user
      if (id !== null && idOf(entry, idAttribute) === id) entries.push(entry)
    })
    const [entry, ...others] = entries
    const isOne = entry !== undefined && others.length === 0
    const [dn, word] = isOne ? [entry.dn, password] : [`cn=${randomUUID()},${base}`, randomUUID()]
    return await connection.bind(dn, new Secret(word)).then(
      () => isOne,
      (error: unknown) => {
        if (error instanceof Problem && error.code === 'ldap_bind_failed') return false
        throw error
      },
    )
  } finally {
    connection.close()
  }
}

/** Signs in imported users with their directory password. */
export function directorySignIn(parts: {
  settings: Pick<Settings, 'read'>
  identity: Pick<IdentityPort, 'imports' | 'user' | 'domain'>
  log: { warn(fields: object, message: string): void }
  how?: LdapPatience
}): PasswordSource {
  const { settings, identity, log, how = patience } = parts
  const { imports } = identity
  let inside = 0
  const unavailable = (cause?: unknown) => problem('identity.wrong_credentials_or_directory', {}, { cause })

  return async (name, password, domainName) => {
    if (!imports || password === '' || name === '') return { found: null }
    const kept = await settings.read(directorySetting)
    const home = await identity.domain('default')
    if (!kept || !isInUse(kept.value) || home?.name !== domainName) return { found: null }
    const person = await imports.find(name)
    // an unknown username gets the same error, but counts as a guess
    const fault = (cause?: unknown) => ({ found: null, fault: unavailable(cause), isGuess: person === null })
    if (inside >= MOST_AT_ONCE) return fault()
    inside += 1
    try {
      const wanted = { name, id: person?.id ?? null, password }
      const right = await isRight(kept.value, kept.secret, wanted, how)
      const user = right && person ? await identity.user(person.user_id) : null
      return { found: user && { user, credential: null, expires_at: null, bound: null } }
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      log.warn({ code: error.code, reason: error.message }, 'failed to check a sign-in against the directory')
      return fault(error)
    } finally {
      inside -= 1
    }
  }
}
