import { ldap, LdapDefaults, LdapSettings, type LdapChange } from '@mainstay/contract/settings/ldap'
import { session } from '@mainstay/contract/identity/session'
import { users } from '@mainstay/contract/identity/users'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { found, result, startScriptedDirectory, type ScriptedDirectory } from '../../testing/outside/scripted-directory'
import { PASSWORD } from '../../testing/personas'
import { startServer, type TestServer } from '../../testing/start-server'

let server: TestServer
let scripted: ScriptedDirectory
const as = 'superuser'
const RIGHT = 'of the reader'
beforeAll(async () => {
  server = await startServer()
  scripted = await startScriptedDirectory((asked) => {
    if (asked.what === 'bind') return [result(asked, asked.password === RIGHT ? 0 : 49)]
    if (asked.what !== 'search') return null
    const isOfPeople = /person/i.test(asked.filter)
    const names = isOfPeople ? ['ada', 'bea', 'cleo', 'dora'] : ['crew']
    return [...names.map((name) => found(asked, `cn=${name}`, { uid: name, cn: name })), result(asked)]
  })
})
afterAll(async () => {
  await server.close()
  await scripted.close()
})
beforeEach(async () => {
  await server.sql.query('delete from setting')
  scripted.asked.length = 0
})

const whole = () =>
  ({
    ...{ kind: 'ldap', enabled: true, advanced: true, host: '127.0.0.1', port: scripted.port },
    ...{ connection_security: 'none', ca_certificate: '', bind_dn: 'cn=reader', bind_password: RIGHT },
    ...{ search_base_dn: 'dc=example', search_filter: '(objectClass=inetOrgPerson)' },
    ...{ user_search_id_attr: 'uid', user_search_login_attr: 'uid' },
    ...{ group_search_id_attr: 'cn', group_name_attr: 'cn' },
  }) satisfies LdapChange
/** Creates another administrator, who has a separate rate limit. */
async function administrator() {
  const body = { name: 'tester', password: PASSWORD, system_permissions: ['admin' as const] }
  await server.call(users.create, { as, params: { domain_id: 'default' }, body })
  const { token } = await server.call(session.login, { body: { username: 'tester', password: PASSWORD } })
  return { as: { token: token! } }
}
const view = () => server.call(ldap.view, { as })
const create = (body: LdapChange) => server.call(ldap.create, { as, body })
const update = (body: LdapChange) => server.call(ldap.update, { as, body })
const test = (body: LdapChange = {}) => server.call(ldap.test, { as, body })
const refused = (field: string, code = 'validation') => ({ code, fields: { [field]: expect.any(Array) } })

describe('the directory settings', () => {
  it('are empty at first, except for port 389 [CA-253] [CO-078]', async () => {
    const response = await server.fetch(ldap.view, { as })
    expect(new URL(response.url).pathname).toBe('/api/v2/ldap/settings')
    const shown = (await response.json()) as LdapSettings
    expect(LdapSettings.parse(shown)).toEqual(shown)
    expect(shown).toMatchObject({ kind: 'none', enabled: false, advanced: false, port: 389, has_bind_password: false })
  })

  it('have defaults that depend on the kind of directory [CA-254]', async () => {
    const of = (kind: string) => server.call(ldap.defaults, { as, params: { kind } })
    const [none, plain, ad] = [await of('none'), await of('ldap'), await of('ad')]
    for (const one of [none, plain, ad]) expect(LdapDefaults.parse(one)).toEqual(one)
    expect([none, plain, ad].map(({ port }) => port)).toEqual([389, 389, 389])
    expect(plain).toMatchObject({
      ...{ search_filter: '(objectClass=inetOrgPerson)', user_search_id_attr: 'entryUUID' },
      ...{ user_search_login_attr: 'uid', group_search_id_attr: 'entryUUID', group_name_attr: 'cn' },
    })
    expect(ad).toMatchObject({
      ...{ search_filter: '(objectClass=user)', user_search_id_attr: 'objectGUID' },
      ...{ user_search_login_attr: 'sAMAccountName', group_search_id_attr: 'objectGUID', group_name_attr: 'cn' },
    })
    await expect(of('novell')).rejects.toMatchObject({ code: 'not_found' })
  })

  it('can be created with all fields and are returned without the password [EN-068] [CA-255]', async () => {
    // use different values to detect fields that are mixed up
    const attributes = {
      ...{ user_search_id_attr: 'entryUUID', user_search_login_attr: 'uid' },
      ...{ group_search_id_attr: 'gidNumber', group_name_attr: 'cn' },
    }
    const { bind_password: _, ...told } = { ...whole(), ...attributes }
    const wanted = { ...told, has_bind_password: true }
    const response = await fetch(`${server.adminUrl}/api/v2/ldap/settings/`, {
      method: 'POST',
      headers: { 'x-auth-token': await server.signIn(as), 'content-type': 'application/json' },
      body: JSON.stringify({ ...whole(), ...attributes }),
    })
    expect(response.status).toBe(201)
    const text = await response.text()
    expect(JSON.parse(text)).toEqual(wanted)
    expect(text).not.toContain(RIGHT)
    expect(await view()).toEqual(wanted)
    await expect(create(whole())).rejects.toMatchObject({ code: 'conflict' })
    // `none` removes the directory, so that another one can be created
    expect(await update({ kind: 'none' })).toMatchObject({ kind: 'none', enabled: false, has_bind_password: false })
    const other = { kind: 'ad', advanced: false } as const
    expect(await create({ ...whole(), ...other })).toMatchObject({ ...other, enabled: true })
  })

  it('can be updated field by field [CA-256]', async () => {
    await create(whole())
    const response = await fetch(`${server.adminUrl}/api/v2/ldap/settings/`, {
      method: 'PUT',
      headers: { 'x-auth-token': await server.signIn(as), 'content-type': 'application/json' },
      body: JSON.stringify({ search_filter: '(uid=*)', enabled: false }),
    })
    expect(response.status).toBe(200)
    const { bind_password: _, ...told } = whole()
    const wanted = { ...told, search_filter: '(uid=*)', enabled: false, has_bind_password: true }
    expect(await response.json()).toEqual(wanted)
    expect(await view()).toEqual(wanted)
  })

  it('use the kind’s defaults for missing and empty fields', async () => {
    const made = await create({ kind: 'ad', host: 'dc.example', search_base_dn: 'dc=example', search_filter: '' })
    expect(made).toMatchObject({ port: 389, connection_security: 'STARTTLS', user_search_id_attr: 'objectGUID' })
    expect(made.search_filter).toBe('(objectClass=user)')
  })

  it.each<[string, LdapChange]>([
    ['port', { port: 0 }],
    ['port', { port: 65_536 }],
    ['host', { host: '' }],
    ['host', { host: 'a host' }],
    ['search_base_dn', { search_base_dn: '' }],
    ['search_filter', { search_filter: '(uid=*' }],
    ['search_filter', { search_filter: 'uid=*)(' }],
    ['search_filter', { search_filter: '(&)(|)' }],
    ['user_search_login_attr', { user_search_login_attr: 'uid)(x=*' }],
    ['ca_certificate', { ca_certificate: 'no certificate' }],
    ['ca_certificate', { ca_certificate: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----' }],
    ['bind_dn', { bind_dn: 'cn=‮reader' }],
    ['kind', { kind: 'novell' as 'ad' }],
  ])('are refused with an error on the field %s', async (field, change) => {
    await create(whole())
    await expect(update(change)).rejects.toMatchObject(refused(field))
  })

  it('use a stored password only for the server that it was entered for', async () => {
    await create(whole())
    const asksAgain = refused('bind_password')
    const others = [
      { host: 'localhost' },
      { port: 9 },
      { bind_dn: 'cn=other' },
      { connection_security: 'SSL' as const },
    ]
    for (const elsewhere of others) {
      await expect(test(elsewhere)).rejects.toMatchObject(asksAgain)
      await expect(update(elsewhere)).rejects.toMatchObject(asksAgain)
    }
    expect(scripted.asked).toEqual([])
    expect(await update({ host: 'localhost', bind_password: 'another' })).toMatchObject({ host: 'localhost' })
  })

  it('never store the password in readable form', async () => {
    await create(whole())
    const [row] = await server.sql.query<{ sealed: Buffer; value: unknown }>('select * from setting')
    expect(JSON.stringify(row!.value)).not.toContain(RIGHT)
    expect(row!.sealed.includes(RIGHT)).toBe(false)
    expect(JSON.stringify(await server.sql.query('select * from audit'))).not.toContain(RIGHT)
  })

  it('are saved as a whole if two administrators save them concurrently', async () => {
    await create(whole())
    const one = { ...whole(), search_base_dn: 'dc=one', search_filter: '(one=*)', bind_password: 'one' }
    const two = { ...whole(), search_base_dn: 'dc=two', search_filter: '(two=*)', bind_password: 'two' }
    for (let round = 0; round < 5; round += 1) {
      await Promise.all([update(one), update(two)])
      const { search_base_dn: base, search_filter: filter } = await view()
      expect([base, filter]).toEqual(base === 'dc=one' ? ['dc=one', '(one=*)'] : ['dc=two', '(two=*)'])
    }
    await server.sql.query('delete from setting')
    const both = await Promise.allSettled([create(one), create(two)])
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  })

  it('can be viewed by operators, changed by administrators and are hidden from tenants', async () => {
    const forbidden = { code: 'forbidden' }
    expect(await server.call(ldap.view, { as: 'viewer' })).toEqual(await view())
    for (const who of ['viewer', 'compute-operator', 'domain-admin', 'project-member'] as const) {
      for (const call of [ldap.create, ldap.update, ldap.test])
        await expect(server.call(call, { as: who, body: {} })).rejects.toMatchObject(forbidden)
      await expect(server.call(ldap.import, { as: who })).rejects.toMatchObject(forbidden)
    }
    for (const who of ['domain-admin', 'project-member'] as const)
      for (const call of [ldap.view, ldap.lastImport])
        await expect(server.call(call, { as: who })).rejects.toMatchObject(forbidden)
  })
})

describe('a connection test', () => {
  it('counts people and groups, returns three names and saves nothing', async () => {
    expect(await test(whole())).toEqual({ people: 4, groups: 1, names: ['ada', 'bea', 'cleo'] })
    expect((await view()).kind).toBe('none')
    await create(whole())
    expect(await test()).toMatchObject({ people: 4 })
  })

  it('reports why it failed and what to do', async () => {
    const wrong = test({ ...whole(), bind_password: 'wrong' })
    await expect(wrong).rejects.toMatchObject({
      ...{ code: 'ldap_bind_failed', message: expect.stringContaining('Enter both again') },
    })
    await expect(test({ ...whole(), port: 9 })).rejects.toMatchObject({
      ...{ code: 'ldap_unreachable', message: expect.stringContaining('Check the host') },
    })
    await expect(test({ ...whole(), bind_password: '' })).rejects.toMatchObject(refused('bind_password'))
    await expect(test({ kind: 'none' })).rejects.toMatchObject(refused('kind'))
    expect(scripted.asked.filter(({ what, password }) => what === 'bind' && password === '')).toEqual([])
  })
})

it('limits the number of connection tests for each user', async () => {
  const { as: who } = await administrator()
  const codes: unknown[] = []
  // another test is allowed every five seconds
  while (!codes.includes('too_many_requests') && codes.length < 100)
    codes.push(
      await server.call(ldap.test, { as: who, body: { kind: 'none' } }).catch(({ code }: { code: string }) => code),
    )
  expect(codes.slice(0, 20)).toEqual(Array(20).fill('validation'))
  expect(codes.length).toBeLessThan(100)
})

it('refuses to import while no directory is enabled', async () => {
  const off = { code: 'conflict' }
  await expect(server.call(ldap.import, { as })).rejects.toMatchObject(off)
  await create({ ...whole(), enabled: false })
  await expect(server.call(ldap.import, { as })).rejects.toMatchObject(off)
  expect(await server.call(ldap.lastImport, { as })).toBeNull()
})

it('refuses all calls and hides the settings if a cloud authenticates the users', async () => {
  const { imports } = server.tools.identity
  server.tools.identity.imports = null
  try {
    const elsewhere = { code: 'unsupported' }
    await expect(view()).rejects.toMatchObject(elsewhere)
    await expect(server.call(ldap.defaults, { as, params: { kind: 'ad' } })).rejects.toMatchObject(elsewhere)
    for (const call of [create, update, test]) await expect(call(whole())).rejects.toMatchObject(elsewhere)
    await expect(server.call(ldap.import, { as })).rejects.toMatchObject(elsewhere)
    await expect(server.call(ldap.lastImport, { as })).rejects.toMatchObject(elsewhere)
    expect((await server.call(session.meta, { as })).permissions).not.toHaveProperty('settings_ldap')
  } finally {
    server.tools.identity.imports = imports
  }
  expect((await server.call(session.meta, { as })).permissions).toHaveProperty('settings_ldap')
})
