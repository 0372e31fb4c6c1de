import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { resetAdministrator } from '@mainstay/engines/compose'
import { session } from '@mainstay/contract/identity/session'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { resetAdmin } from './reset-admin'
import { PASSWORD } from '../testing/personas'
import { silentLogger } from '../testing/silent-logger'
import { spawnProgram } from '../testing/server-program'
import { keepLocked } from '../testing/sign-in/keep-locked'
import { startServer, type TestServer } from '../testing/start-server'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const cheap = { memoryKiB: 8, passes: 1 }
const linesOfResets = () =>
  server.sql.query<object>(
    "select subject_name, address, result from audit where action = 'user.resetAdministrator' order by id",
  )
/** Audit entries as they were right after the password change. */
let written: object[]
const reset = (adminPassword: string | null, identity = 'embedded') =>
  resetAdmin({
    config: { databaseUrl: server.databaseUrl, dataFolder: server.folder, adminPassword },
    identity,
    log: silentLogger,
    async reset(sql, given) {
      const done = await resetAdministrator(sql, given, cheap)
      written = await linesOfResets()
      return done
    },
  })
const signIn = (password: string) => server.call(session.login, { body: { username: 'admin', password } })

it('restores access for a locked and disabled administrator while the server runs', async () => {
  const token = await server.login('superuser')
  await server.tools.identity.setEnabled('user', server.cast.people.superuser.user.id, false)
  for (let count = 0; count < 5; count += 1) await expect(signIn('a guess')).rejects.toMatchObject({ status: 401 })
  await keepLocked(server)
  await expect(signIn(PASSWORD)).rejects.toMatchObject({ status: 429 })

  const { username, password, sessionsEnded } = await reset(null)
  expect({ username, sessionsEnded }).toEqual({ username: 'admin', sessionsEnded: 1 })
  await expect(server.call(session.whoami, { as: { token } })).rejects.toMatchObject({ status: 401 })
  await expect(signIn(PASSWORD)).rejects.toMatchObject({ status: 401 })
  await expect(signIn(password!)).resolves.toMatchObject({ name: 'admin', is_superuser: true })
  // the entry is written together with the password; the username is added when the reset is complete
  expect(written).toMatchObject([{ address: 'local', result: 'success' }])
  expect(await linesOfResets()).toEqual([{ subject_name: 'admin', address: 'local', result: 'success' }])
  const everything = await server.sql.query<{ row: string }>('select audit::text as row from audit')
  expect(everything.map(({ row }) => row).join()).not.toContain(password)
})

it('uses the configured password and does not return it', async () => {
  expect(await reset(PASSWORD)).toMatchObject({ username: 'admin', password: null })
  await expect(signIn(PASSWORD)).resolves.toMatchObject({ name: 'admin' })
})

it('refuses to run if a cloud manages the users', async () => {
  await expect(reset(null, 'openstack:lab')).rejects.toThrow('The cloud manages the users')
})

it('runs as `--reset-admin`, and fails if there is no administrator yet', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'mainstay-reset-'))
  const run = async (word: string, environment: Record<string, string>) => {
    const program = spawnProgram({ folder, environment, words: [word] })
    const { code } = await program.ended
    return { code, said: program.said() }
  }
  const database = { DATABASE_URL: server.databaseUrl, MAINSTAY_ADMIN_PASSWORD: '' }
  const done = await run('--reset-admin', database)
  const [, password = ''] = /password +(\S+)\n/.exec(done.said) ?? []
  expect(done).toMatchObject({ code: 0, said: expect.stringContaining('shown only once') })
  await expect(signIn(password)).resolves.toMatchObject({ name: 'admin' })
  const weak = await run('--reset-admin', { ...database, MAINSTAY_ADMIN_PASSWORD: 'P@ssw0rd-1234' })
  expect(weak).toMatchObject({
    code: 2,
    said: expect.stringContaining('MAINSTAY_ADMIN_PASSWORD is too weak. This password is too similar to the username'),
  })
  await server.sql.query("update identity_user set name = 'renamed' where name = 'admin'")
  await expect(reset(null)).rejects.toThrow('There is no administrator yet')
  await rm(folder, { recursive: true, force: true })
})
