import { sshKeys } from '@mainstay/contract/compute/ssh-keys'
import { session } from '@mainstay/contract/identity/session'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startWithIdentityProvider } from '../testing/outside/identity-provider'
import { startServer } from '../testing/start-server'

let fixture: Awaited<ReturnType<typeof startWithIdentityProvider>>
const lines: string[] = []
const note = (fields: object, message: string) => void lines.push(JSON.stringify(fields) + message)
beforeAll(async () => {
  fixture = await startWithIdentityProvider({ log: { debug: note, info: note, warn: note, error: note } })
  const { assignments, applicationCredentials } = fixture.directory
  assignments.push(
    { user: 'u-mary', project: 'p-two', role: 'member' },
    { user: 'u-admin', project: 'p-one', role: 'member' },
  )
  applicationCredentials.push(
    { id: 'ac-mary', name: 'ci', secret: 'secret-of-mary', user: 'u-mary', project: 'p-one' },
    { id: 'ac-admin', secret: 'secret-of-admin', user: 'u-admin', project: 'p-one', roles: ['member'] },
    { id: 'ac-idle', secret: 'secret-of-idle', user: 'u-mary', project: 'p-two', roles: ['reader'] },
  )
})
afterAll(() => fixture.close())

const login = (body: object) => fixture.server.call(session.login, { body })
const byId = (id: string, secret: string) => login({ application_credential: { id, secret } })
const refused = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    ({ code, fields }: { code: string; fields: object }) => ({ code, fields: Object.keys(fields) }),
  )

it('an application credential signs in to its own project, by ID or by name and username', async () => {
  const user = await byId('ac-mary', 'secret-of-mary')
  expect(user).toMatchObject({ name: 'mary', token: null, project_id: 'p-one', roles: ['project_member'] })
  const as = { token: user.scoped_token! }
  expect(await fixture.server.call(session.whoami, { as })).toMatchObject({ id: user.id, project_id: 'p-one' })
  expect((await fixture.server.call(session.meta, { as })).scope).toMatchObject({
    kind: 'project',
    project_id: 'p-one',
  })
  expect((await fixture.server.call(session.projects, { as })).data.map(({ id }) => id)).toEqual(['p-one'])
  const named = { username: 'mary', domain: 'alpha', application_credential: { name: 'ci', secret: 'secret-of-mary' } }
  expect(await login(named)).toMatchObject({ name: 'mary', project_id: 'p-one' })
})

it('a session from an application credential is limited to its project and cannot change the password', async () => {
  const as = { token: (await byId('ac-mary', 'secret-of-mary')).scoped_token! }
  const enter = (id: string) => fixture.server.call(session.enterProject, { as, params: { id } })
  // the user may enter this project, but the session may not
  await expect(enter('p-two')).rejects.toMatchObject({
    code: 'forbidden',
    message: 'This application credential can be used only in its own project',
    data: { project_id: 'p-one' },
  })
  const again = await enter('p-one')
  expect(await fixture.server.call(session.whoami, { as: again })).toMatchObject({ project_id: 'p-one' })
  const body = { current_password: 'pass-mary', new_password: 'another horse 12', confirm_password: 'another horse 12' }
  await expect(fixture.server.call(session.changePassword, { as, body })).rejects.toMatchObject({ code: 'forbidden' })
})

it('an application credential has only the roles assigned to it', async () => {
  const user = await byId('ac-admin', 'secret-of-admin')
  expect(user).toMatchObject({ name: 'admin', roles: ['project_member'], is_superuser: false })
  const ofMember = await byId('ac-mary', 'secret-of-mary')
  const [meta, same] = await Promise.all(
    [user, ofMember].map((it) => fixture.server.call(session.meta, { as: { token: it.scoped_token! } })),
  )
  expect(meta?.scope.kind).toBe('project')
  expect(meta!.permissions).toHaveProperty('compute_servers')
  expect(meta!.permissions).toEqual(same!.permissions)
  await expect(byId('ac-idle', 'secret-of-idle')).rejects.toMatchObject({ code: 'forbidden' })
})

it("calls to the cloud use the application credential's token and no other", async () => {
  const { cloud, server } = fixture
  const seen: (string | null | undefined)[] = []
  cloud.on('compute', 'POST', '/os-keypairs', ({ token }) => {
    seen.push(token?.application?.id)
    return { status: 403, body: { forbidden: { code: 403, message: 'Not today.' } } }
  })
  const as = { token: (await byId('ac-mary', 'secret-of-mary')).scoped_token! }
  const made = server.call(sshKeys.generate, { as, body: { name: 'key', type: 'ed25519' } })
  await expect(made).rejects.toMatchObject({ code: 'forbidden', message: 'Not today.' })
  expect(seen).toEqual(['ac-mary'])
})

it('refuses a wrong secret and, as with passwords, requires a wait after failures', async () => {
  const wrong = () => refused(byId('ac-mary', 'wrong'))
  for (let count = 0; count < 5; count += 1) expect(await wrong()).toEqual({ code: 'wrong_credentials', fields: [] })
  // extend the wait, so that it does not run out on slow machines
  await fixture.server.sql.query("update sign_in_failure set last_at = now() + interval '1 minute'")
  expect(await wrong()).toMatchObject({ code: 'too_many_attempts' })
  await fixture.server.sql.query('delete from sign_in_failure')
})

it.each([
  [{}, ['username', 'password']],
  [{ username: 'mary' }, ['password']],
  [{ application_credential: { id: 'a' } }, ['application_credential.secret']],
  [{ application_credential: { secret: 'a' } }, ['username', 'application_credential.id']],
  [{ application_credential: { name: 'ci', secret: 'a' } }, ['username']],
  [{ username: 'mary', password: 'a', application_credential: { name: 'ci', secret: 'a' } }, ['password']],
  [{ username: 'mary', application_credential: { id: 'a', secret: 'a' } }, ['application_credential.id']],
])('refuses the login %j and names the fields', async (body, fields) => {
  expect(await refused(login(body))).toEqual({ code: 'validation', fields })
})

it('the secret of an application credential never appears in logs, audit entries or the database', async () => {
  await byId('ac-mary', 'secret-of-mary')
  await refused(byId('ac-admin', 'secret-of-mary'))
  const rows = await Promise.all(
    ['session', 'token', 'audit', 'private_record', 'job'].map((table) =>
      fixture.server.sql.query<{ row: string }>(`select ${table}::text as row from ${table}`),
    ),
  )
  const everything = [...lines, ...rows.flat().map(({ row }) => row)].join('\n')
  expect(everything).not.toContain('secret-of-mary')
  expect(everything).not.toContain(Buffer.from('secret-of-mary').toString('hex'))
  expect(everything).toContain('session.login')
})

it('an engine without application credentials returns `unsupported`', { tags: 'all' }, async () => {
  const server = await startServer()
  try {
    const body = { application_credential: { id: 'one', secret: 'two' } }
    await expect(server.call(session.login, { body })).rejects.toMatchObject({ code: 'unsupported' })
  } finally {
    await server.close()
  }
})
