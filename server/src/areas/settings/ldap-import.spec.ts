import { taskIsOver, tasks } from '@mainstay/contract/core/tasks'
import { groups } from '@mainstay/contract/identity/groups'
import { session } from '@mainstay/contract/identity/session'
import { signInRules } from '@mainstay/contract/identity/sign-in-rules'
import { users } from '@mainstay/contract/identity/users'
import { ldap, type LdapChange } from '@mainstay/contract/settings/ldap'
import { Attribute, Change } from 'ldapts'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { PASSWORD } from '../../testing/personas'
import {
  BASE,
  group,
  groupDn,
  person,
  personDn,
  READER,
  READER_PASSWORD,
  startSlapd,
  type Slapd,
} from '../../testing/outside/slapd'
import { keepLocked } from '../../testing/sign-in/keep-locked'
import { startServer, type TestServer } from '../../testing/start-server'

const as = 'superuser'
const params = { domain_id: 'default' }
const patient = { timeout: 60_000 }
let server: TestServer
let slapd: Slapd
beforeAll(async () => {
  slapd = await startSlapd([
    ...['ada', 'bea', 'cleo', 'Taken', 'gone', 'a*)(uid=*'].map((uid) =>
      person(uid, { mail: `${uid.length}@example.com` }),
    ),
    group('crew', [personDn('ada'), personDn('bea')]),
    group('outer', [groupDn('crew'), personDn('cleo')]),
    group('Local crew', [personDn('ada')]),
  ])
  server = await startServer()
  await server.call(users.create, { as, params, body: { name: 'taken', password: PASSWORD } })
  await server.call(groups.create, { as, params, body: { name: 'local CREW' } })
}, 120_000)
afterAll(async () => {
  await server.close()
  await slapd.close()
})

const settings = (more: LdapChange = {}): LdapChange => ({
  ...{ kind: 'ldap', enabled: true, host: '127.0.0.1', port: slapd.port, connection_security: 'none' },
  ...{
    bind_dn: READER,
    bind_password: READER_PASSWORD,
    search_base_dn: BASE,
    search_filter: '(objectClass=inetOrgPerson)',
  },
  ...more,
})
const set = (more: LdapChange = {}) => server.call(ldap.update, { as, body: settings(more) })
beforeEach(async () => {
  await set()
  await server.sql.query('delete from sign_in_failure')
})

/** Runs an import and returns the finished task. */
async function imported() {
  const { task_id } = await server.call(ldap.import, { as })
  return vi.waitFor(async () => {
    const task = await server.call(tasks.view, { as, params: { id: task_id } })
    expect(taskIsOver(task.state)).toBe(true)
    return task
  }, patient)
}
const lastImport = () => server.call(ldap.lastImport, { as })
const allUsers = async () => (await server.call(users.list, { as, params, query: { limit: 200 } })).data
const allGroups = async () => (await server.call(groups.list, { as, params, query: { limit: 200 } })).data
const userNamed = async (name: string) => (await allUsers()).find((user) => user.name === name)!
const groupNamed = async (name: string) => (await allGroups()).find((one) => one.name === name)!
const login = (username: string, password: string) => server.call(session.login, { body: { username, password } })
const replace = (type: string, ...values: string[]) =>
  new Change({ operation: 'replace', modification: new Attribute({ type, values }) })
const letIn = async (name: string) => {
  const { id } = await userNamed(name)
  await server.call(users.update, { as, params: { ...params, id }, body: { system_permissions: ['viewer'] } })
}

describe('an import from the directory', () => {
  it(
    'creates users and groups with members in the default domain and reports the result',
    { tags: 'all' },
    async () => {
      const task = await imported()
      expect(task).toMatchObject({ state: 'success', progress: 100, result: { people: 6, groups: 3, added: 7 } })
      const ada = await userNamed('ada')
      expect(ada).toMatchObject({
        ...{ identity_provider: 'ldap', email: '3@example.com', description: 'Name of ada', enabled: true },
        ...{ domain_id: 'default', role: 'none', system_permissions: [], assigned_projects: [] },
      })
      expect(ada.groups.map(({ name }) => name)).toEqual(['crew', 'outer'])
      expect(await groupNamed('crew')).toMatchObject({ identity_provider: 'ldap', members_count: 2 })
      // members of nested groups are also members
      expect(await groupNamed('outer')).toMatchObject({ members_count: 3 })
      expect(await userNamed('a*)(uid=*')).toMatchObject({ identity_provider: 'ldap' })
      expect(await lastImport()).toMatchObject({
        ended_at: expect.any(String),
        error: null,
        people: 6,
        faults_count: 2,
      })
    },
  )

  it('does not take over existing local users or groups with the same name', async () => {
    await imported()
    expect(await userNamed('taken')).toMatchObject({ identity_provider: null, groups: [] })
    expect((await allUsers()).filter(({ name }) => name.toLowerCase() === 'taken')).toHaveLength(1)
    expect(await groupNamed('local CREW')).toMatchObject({ members_count: 0 })
    expect((await lastImport())!.faults).toEqual([
      { kind: 'user', name: 'Taken', reason: 'name_taken' },
      { kind: 'group', name: 'Local crew', reason: 'name_taken' },
    ])
    expect((await login('taken', PASSWORD)).name).toBe('taken')
  })

  it('changes nothing if the directory is unchanged', async () => {
    await imported()
    const before = await server.call(session.meta, { as })
    expect((await imported()).result).toMatchObject({ added: 0, changed: 0, disabled: 0 })
    expect((await userNamed('ada')).groups).toHaveLength(2)
    // each import stores its task and its result but changes no users
    expect(before.revision).toBeDefined()
  })

  it('recognizes renamed users and keeps their permissions', async () => {
    const { id } = await userNamed('cleo')
    await slapd.admin.modifyDN(personDn('cleo'), `uid=cleopatra`)
    expect((await imported()).result).toMatchObject({ changed: 1, disabled: 0 })
    expect(await userNamed('cleopatra')).toMatchObject({ id })
    await slapd.admin.modifyDN(personDn('cleopatra'), `uid=cleo`)
    await imported()
  })

  it('disables users who have left the directory, ends their sessions and re-enables them on return', async () => {
    await letIn('gone')
    const { token } = await login('gone', 'password of gone')
    const { id } = await userNamed('gone')
    const who = { token: token! }
    expect((await server.call(session.whoami, { as: who })).name).toBe('gone')
    await slapd.admin.modifyDN(personDn('gone'), `cn=gone,ou=people,${BASE}`)
    await slapd.admin.modify(`cn=gone,ou=people,${BASE}`, replace('uid'))
    // users without the username attribute are not found
    await set({ search_filter: '(uid=*)' })
    expect((await imported()).result).toMatchObject({ disabled: 1 })
    expect(await userNamed('gone')).toMatchObject({ id, enabled: false, system_permissions: ['viewer'] })
    await expect(server.call(session.whoami, { as: who })).rejects.toMatchObject({ code: 'unauthorized' })
    await slapd.admin.modify(`cn=gone,ou=people,${BASE}`, replace('uid', 'gone'))
    await slapd.admin.modifyDN(`cn=gone,ou=people,${BASE}`, `uid=gone`)
    await imported()
    expect(await userNamed('gone')).toMatchObject({ id, enabled: true })
  })

  it('does not enable users who were disabled by an administrator', async () => {
    const { id } = await userNamed('bea')
    const enable = (enabled: boolean) => server.call(users.update, { as, params: { ...params, id }, body: { enabled } })
    await enable(false)
    await imported()
    expect(await userNamed('bea')).toMatchObject({ enabled: false })
    await enable(true)
  })

  it('does not give an account to a different person with the same name', async () => {
    await slapd.admin.add(personDn('dora'), { objectClass: 'inetOrgPerson', cn: 'd', sn: 'd', userPassword: 'first' })
    await imported()
    await letIn('dora')
    await slapd.admin.del(personDn('dora'))
    await slapd.admin.add(personDn('dora'), { objectClass: 'inetOrgPerson', cn: 'd', sn: 'd', userPassword: 'second' })
    await imported()
    expect(await userNamed('dora')).toMatchObject({ enabled: false })
    expect((await lastImport())!.faults).toContainEqual({ kind: 'user', name: 'dora', reason: 'name_taken' })
    await expect(login('dora', 'second')).rejects.toMatchObject({ code: 'wrong_credentials' })
    await slapd.admin.del(personDn('dora'))
  })

  it('removes members who have left a group and empties groups that have been deleted', async () => {
    await slapd.admin.add(groupDn('short'), {
      objectClass: 'groupOfNames',
      cn: 'short',
      member: [personDn('ada'), personDn('bea')],
    })
    await imported()
    expect(await groupNamed('short')).toMatchObject({ members_count: 2 })
    await slapd.admin.modify(groupDn('short'), replace('member', personDn('bea')))
    await imported()
    expect(await groupNamed('short')).toMatchObject({ members_count: 1 })
    await slapd.admin.del(groupDn('short'))
    await imported()
    expect(await groupNamed('short')).toMatchObject({ members_count: 0 })
    expect((await userNamed('bea')).groups.map(({ name }) => name)).not.toContain('short')
  })

  it('disables no users if the directory cannot be read or no one matches the filter', async () => {
    for (const more of [{ search_filter: '(uid=nobody)' }, { search_base_dn: 'dc=nowhere' }]) {
      await set(more)
      expect(await imported()).toMatchObject({ state: 'failed', error: expect.any(String) })
      expect((await lastImport())!.error).not.toBeNull()
      expect(await userNamed('ada')).toMatchObject({ enabled: true })
    }
    await set()
    await server.sql.query(`update setting set sealed = '\\x00' where name = 'ldap'`)
    expect(await imported()).toMatchObject({ state: 'failed', error: expect.stringContaining('another server’s key') })
    expect(await userNamed('ada')).toMatchObject({ enabled: true })
  })

  it('waits for an unresponsive directory and refuses a second import while it waits', async () => {
    slapd.freeze()
    const both = await Promise.allSettled([1, 2].map(() => server.call(ldap.import, { as })))
    slapd.thaw()
    const begun = both.flatMap((one) => (one.status === 'fulfilled' ? [one.value.task_id] : []))
    expect(begun).toHaveLength(1)
    expect(both.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'conflict' } })
    await vi.waitFor(async () => {
      const { state } = await server.call(tasks.view, { as, params: { id: begun[0]! } })
      expect(state).toBe('success')
    }, patient)
  })

  it('runs every hour without a visible task', async () => {
    await server.sql.query("delete from setting where name = 'ldap.import'")
    await server.sql.query("update schedule set next_at = now() where name = 'identity.directory.plan'")
    await server.tools.scheduler.look()
    await vi.waitFor(async () => expect(await lastImport()).toMatchObject({ error: null, people: 6 }), patient)
  })
})

describe('users and groups from the directory', () => {
  const change = (id: string, body: object) => server.call(users.update, { as, params: { ...params, id }, body })
  const byDirectory = (field: string) => ({
    ...{ code: 'validation', fields: { [field]: [expect.stringContaining('directory manages this')] } },
  })

  it('get their names, emails and passwords from the directory but have their permissions here', async () => {
    const { id } = await userNamed('ada')
    await expect(change(id, { name: 'eva' })).rejects.toMatchObject(byDirectory('name'))
    await expect(change(id, { email: 'eva@example.com' })).rejects.toMatchObject(byDirectory('email'))
    await expect(change(id, { password: PASSWORD })).rejects.toMatchObject(byDirectory('password'))
    expect(await change(id, { domain_permissions: ['image_upload'] })).toMatchObject({ id })
  })

  it('get their names and group members from the directory', async () => {
    const [{ id }, ada] = [await groupNamed('crew'), await userNamed('ada')]
    const kept = (field: string) => ({ fields: { [field]: [expect.stringContaining('manages the name and')] } })
    const at = { as, params: { ...params, id } } as const
    await expect(server.call(groups.update, { ...at, body: { name: 'Others' } })).rejects.toMatchObject(kept('name'))
    const body = { uuids: [ada.id] }
    await expect(server.call(groups.removeMembers, { ...at, body })).rejects.toMatchObject(kept('uuids'))
    await expect(server.call(groups.addMembers, { ...at, body })).rejects.toMatchObject(kept('uuids'))
    expect(await server.call(groups.update, { ...at, body: { description: 'Those who fly' } })).toMatchObject({ id })
  })
})

describe('signing in with the directory', () => {
  beforeAll(async () => {
    await letIn('ada')
    await letIn('a*)(uid=*')
  })

  it('verifies the password in the directory and ignores the case of the username', async () => {
    expect(await login('ada', 'password of ada')).toMatchObject({ name: 'ada' })
    expect((await login('ADA', 'password of ada')).name).toBe('ada')
    const wrong = { code: 'wrong_credentials' }
    await expect(login('ada', 'password of bea')).rejects.toMatchObject(wrong)
    await expect(login('nobody', 'password of ada')).rejects.toMatchObject(wrong)
  })

  it('refuses empty passwords and usernames that contain filters or DNs', async () => {
    const refused = { code: expect.stringMatching(/wrong_credentials|validation/) }
    await expect(login('ada', '')).rejects.toMatchObject(refused)
    for (const name of ['*', 'ad*', 'ada)(uid=*', 'ada)(|(uid=*', personDn('ada'), 'ada\u0000', `${READER}`])
      await expect(login(name, 'password of ada')).rejects.toMatchObject(refused)
    expect((await login('a*)(uid=*', 'password of a*)(uid=*')).name).toBe('a*)(uid=*')
  })

  it('refuses users who have been disabled here', async () => {
    const { id } = await userNamed('ada')
    const enable = (enabled: boolean) => server.call(users.update, { as, params: { ...params, id }, body: { enabled } })
    await enable(false)
    await expect(login('ada', 'password of ada')).rejects.toMatchObject({ code: 'access_disabled' })
    await expect(login('ada', 'guess')).rejects.toMatchObject({ code: 'wrong_credentials' })
    await enable(true)
    expect((await login('ada', 'password of ada')).name).toBe('ada')
  })

  it('refuses users who have not been imported', async () => {
    await slapd.admin.add(personDn('fresh'), {
      objectClass: 'inetOrgPerson',
      cn: 'f',
      sn: 'f',
      userPassword: 'fresh word',
    })
    await expect(login('fresh', 'fresh word')).rejects.toMatchObject({ code: 'wrong_credentials' })
    await slapd.admin.del(personDn('fresh'))
  })

  it('requires no second factor even if the domain does, because the directory authenticates the user', async () => {
    const setRule = (second_factor: 'required' | 'off') =>
      server.call(signInRules.set, { as, params, body: { second_factor } })
    await setRule('required')
    try {
      await expect(login('taken', PASSWORD)).rejects.toMatchObject({ code: 'second_factor_missing' })
      expect((await login('ada', 'password of ada')).name).toBe('ada')
    } finally {
      await setRule('off')
    }
  })

  it('locks a user after failed attempts just like a user with a local password', async () => {
    for (let count = 0; count < 5; count += 1)
      await expect(login('ada', 'guess')).rejects.toMatchObject({ code: 'wrong_credentials' })
    await keepLocked(server)
    await expect(login('ada', 'password of ada')).rejects.toMatchObject({ code: 'too_many_attempts' })
  })

  it('is no longer possible after the directory is disabled, and existing sessions end', async () => {
    const { token } = await login('ada', 'password of ada')
    await set({ enabled: false })
    await expect(server.call(session.whoami, { as: { token: token! } })).rejects.toMatchObject({ code: 'unauthorized' })
    await expect(login('ada', 'password of ada')).rejects.toMatchObject({ code: 'wrong_credentials' })
  })

  it('waits for a slow directory without delaying users who have local passwords', { tags: 'all' }, async () => {
    slapd.freeze()
    const slow = Array.from({ length: 30 }, () => login('ada', 'password of ada').catch((error: unknown) => error))
    try {
      for (let count = 0; count < 3; count += 1) expect((await login('taken', PASSWORD)).name).toBe('taken')
      await expect(login('nobody', 'guess')).rejects.toMatchObject({ code: 'directory_unavailable' })
      // a password that could not be verified must not be reported as wrong
      for (const outcome of await Promise.all(slow)) expect(outcome).toMatchObject({ code: 'directory_unavailable' })
      const counted = await server.sql.query('select from sign_in_failure')
      expect(counted.length).toBeGreaterThan(0)
    } finally {
      slapd.thaw()
    }
    // attempts that could not be verified are not counted as failures
    expect((await login('ada', 'password of ada')).name).toBe('ada')
  })

  it('does not allow changing the password here', async () => {
    const { token } = await login('ada', 'password of ada')
    const body = { current_password: 'password of ada', new_password: PASSWORD }
    await expect(server.call(session.changePassword, { as: { token: token! }, body })).rejects.toMatchObject({
      code: 'unsupported',
    })
  })
})
