import { ldapDefaults } from '@mainstay/contract/settings/ldap'
import type { DirectoryImportsPort } from '@mainstay/engines/ports/directory-imports'
import type { UserRecord } from '@mainstay/engines/ports/identity'
import { Secret } from '@mainstay/engines/ports/secret'
import { afterEach, expect, it, vi } from 'vitest'
import {
  found,
  result,
  startScriptedDirectory,
  type Asked,
  type ScriptedDirectory,
} from '../testing/outside/scripted-directory'
import { noDirectory, type Directory } from './settings'
import { directorySignIn } from './sign-in'

/* Tests which requests a sign-in sends to the directory, and which responses let the user in. */

let scripted: ScriptedDirectory
afterEach(() => scripted.close())

const READER = { dn: 'cn=reader', password: 'of the reader' }
/** Imported users by username. */
const imported: Record<string, { user_id: string; id: string }> = {
  ada: { user_id: 'u1', id: 'id of ada' },
  ADA: { user_id: 'u1', id: 'id of ada' },
}
const passwords: Record<string, string> = { [READER.dn]: READER.password, 'uid=ada': 'of ada', 'uid=eve': 'of eve' }

/** A directory that knows the passwords of Ada and Eve. `entries`: search results. */
const answer =
  (entries: (asked: Asked) => Buffer[] = (asked) => [found(asked, 'uid=ada', { entryUUID: 'id of ada' })]) =>
  (asked: Asked) => {
    if (asked.what === 'bind') return [result(asked, passwords[asked.dn] === asked.password ? 0 : 49)]
    return asked.what === 'search' ? [...entries(asked), result(asked)] : null
  }

async function signInBy(script: Parameters<typeof startScriptedDirectory>[0], more: Partial<Directory> = {}) {
  scripted = await startScriptedDirectory(script)
  const value: Directory = {
    ...{ ...noDirectory, ...ldapDefaults.ldap, enabled: true, host: '127.0.0.1', port: scripted.port },
    ...{ connection_security: 'none', bind_dn: READER.dn, search_base_dn: 'dc=example', ...more },
  }
  const kept = { value, secret: new Secret(READER.password), isSealedElsewhere: false }
  const warned: object[] = []
  const source = directorySignIn({
    settings: { read: async () => kept as never },
    identity: {
      imports: { find: async (name: string) => imported[name] ?? null } as DirectoryImportsPort,
      user: async (id: string) => ({ id }) as UserRecord,
      domain: async () => ({ id: 'default', name: 'Default', enabled: true }),
    },
    log: { warn: (fields) => void warned.push(fields) },
    how: { withinMs: 60_000, quietMs: 10_000 },
  })
  return { warned, enter: (name: string, password: string, domain = 'Default') => source(name, password, domain) }
}
const asksOf = () => scripted.asked.filter(({ what }) => what !== 'unbind').map(({ what }) => what)

it('accepts only the password of the user’s own entry', async () => {
  const { enter } = await signInBy(answer())
  expect(await enter('ada', 'of ada')).toMatchObject({ found: { user: { id: 'u1' } } })
  expect(await enter('ada', 'of eve')).toEqual({ found: null })
})

it('finds the user by directory ID, even if another entry has the same login name', async () => {
  const { enter } = await signInBy(
    answer((asked) => [
      found(asked, 'uid=eve', { entryUUID: 'id of eve', uid: ['ada', 'eve'] }),
      found(asked, 'uid=ada', { entryUUID: 'id of ada' }),
    ]),
  )
  expect(await enter('ada', 'of ada')).toMatchObject({ found: { user: { id: 'u1' } } })
  expect(await enter('ada', 'of eve')).toEqual({ found: null })
})

it('refuses an alias in the login attribute that is not the username', async () => {
  const { enter } = await signInBy(
    answer((asked) => [found(asked, 'uid=ada', { entryUUID: 'id of ada', uid: ['ada', 'alias'] })]),
  )
  expect(await enter('alias', 'of ada')).toEqual({ found: null })
})

it('refuses an entry with another ID, and two entries with the same ID', async () => {
  const other = await signInBy(answer((asked) => [found(asked, 'uid=eve', { entryUUID: 'id of eve' })]))
  expect(await other.enter('ada', 'of eve')).toEqual({ found: null })
  await scripted.close()
  const both = await signInBy(
    answer((asked) => [
      found(asked, 'uid=ada', { entryUUID: 'id of ada' }),
      found(asked, 'uid=eve', { entryUUID: 'id of ada' }),
    ]),
  )
  expect(await both.enter('ada', 'of ada')).toEqual({ found: null })
})

it('sends the same requests for an unknown username, and never sends the password of a local user', async () => {
  const { enter } = await signInBy(answer())
  expect(await enter('ada', 'of ada')).toMatchObject({ found: { user: { id: 'u1' } } })
  const known = asksOf()
  expect(known).toEqual(['bind', 'search', 'bind'])
  scripted.asked.length = 0
  expect(await enter('local', 'the local password')).toEqual({ found: null })
  expect(asksOf()).toEqual(known)
  expect(JSON.stringify(scripted.asked)).not.toContain('the local password')
})

it('escapes the username in the search filter', async () => {
  const { enter } = await signInBy(answer(() => []))
  await enter('a*)(uid=*', 'word')
  expect(scripted.asked.find(({ what }) => what === 'search')?.filter).toContain('a\\2a\\29\\28uid=\\2a')
})

it.each<[string, Parameters<Awaited<ReturnType<typeof signInBy>>['enter']>, Partial<Directory>]>([
  ['without a password', ['ada', ''], {}],
  ['without a name', ['', 'of ada'], {}],
  ['in another domain', ['ada', 'of ada', 'Alpha'], {}],
  ['while the directory is disabled', ['ada', 'of ada'], { enabled: false }],
])('sends no request %s', async (_, who, more) => {
  const { enter } = await signInBy(answer(), more)
  expect(await enter(...who)).toEqual({ found: null })
  expect(scripted.asked).toEqual([])
})

it('reports that the directory is unavailable, and counts a failed attempt only for unknown usernames', async () => {
  const { enter, warned } = await signInBy((asked) => [result(asked, asked.what === 'search' ? 51 : 0)])
  const fault = { code: 'directory_unavailable' }
  expect(await enter('ada', 'of ada')).toMatchObject({ found: null, fault, isGuess: false })
  expect(await enter('nobody', 'word')).toMatchObject({ found: null, fault, isGuess: true })
  expect(warned).toHaveLength(2)
})

it('sends at most 16 sign-ins to the directory at a time and refuses the rest', async () => {
  const { enter } = await signInBy(() => null)
  const waiting = Array.from({ length: 16 }, () => enter('ada', 'of ada'))
  await vi.waitFor(() => expect(scripted.open.size).toBe(16), { timeout: 20_000 })
  // this sign-in is refused immediately, while the others wait for the directory
  for (let more = 0; more < 4; more += 1)
    expect(await enter('ada', 'of ada')).toMatchObject({ fault: { code: 'directory_unavailable' } })
  expect(scripted.open.size).toBe(16)
  for (const socket of scripted.open) socket.destroy()
  for (const outcome of await Promise.all(waiting)) expect(outcome.found).toBeNull()
})
