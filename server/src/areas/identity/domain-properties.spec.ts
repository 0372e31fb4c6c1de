import { domainProperties } from '@mainstay/contract/identity/domain-properties'
import { domains } from '@mainstay/contract/identity/domains'
import { describe, expect, it } from 'vitest'
import { admin, name, operator, refusal, server, withDirectory } from '../../testing/directory-fixture'

withDirectory()

const alpha = () => server.cast.domains['alpha']!
type Access = 'pub' | 'auth' | 'domain'
const at = (key: string, domain_id = alpha().id) => ({ domain_id, key })
const make = (key: string, data: unknown, access: Access = 'domain', domain_id?: string) =>
  server.call(domainProperties.create, { as: operator, params: at(key, domain_id), body: { data, access } })
const view = (as: typeof admin | typeof operator | 'project-member' | 'other-member', key: string, domain?: string) =>
  server.call(domainProperties.view, { as, params: at(key, domain) })
const list = (as: typeof admin | typeof operator | 'project-member' | 'other-member', domain_id = alpha().id) =>
  server.call(domainProperties.list, { as, params: { domain_id } })

describe('properties of a domain', () => {
  it('are created, listed, read and deleted by key, with data and access [EN-038] [CA-127] [CA-128] [CA-130] [CA-132]', async () => {
    const data = { colorScheme: 'sea', sizes: [1, 2.5, null, true], nested: { 'a b': 'ö' } }
    expect(await make(name, data, 'auth')).toEqual({ key: name, data, access: 'auth' })
    expect(await list(operator)).toContainEqual({ key: name, access: 'auth' })
    expect(await view(operator, name)).toEqual(data)
    expect(await refusal(make(name, {}))).toMatchObject({ code: 'conflict' })
    await server.call(domainProperties.delete, { as: operator, params: at(name) })
    expect(await refusal(view(operator, name))).toMatchObject({ code: 'not_found' })
    expect((await list(operator)).map(({ key }) => key)).not.toContain(name)
    const again = server.call(domainProperties.delete, { as: operator, params: at(name) })
    expect(await refusal(again)).toMatchObject({ code: 'not_found' })
  })

  it('are updated with PUT, with or without access, if they exist [CA-129]', async () => {
    const put = (body: unknown) =>
      server.call(domainProperties.update, { as: operator, params: at(name), body: body as never })
    expect(await refusal(put({ data: 1, access: 'pub' }))).toMatchObject({ code: 'not_found' })
    await make(name, { a: 1 }, 'domain')
    expect(await put({ data: { a: 2 }, access: 'pub' })).toEqual({ key: name, data: { a: 2 }, access: 'pub' })
    // command-line clients use this format
    expect(await put({ a: 3 })).toEqual({ key: name, data: { a: 3 }, access: 'pub' })
    expect(await put({ data: 4 })).toEqual({ key: name, data: { data: 4 }, access: 'pub' })
    expect(await put([false])).toEqual({ key: name, data: [false], access: 'pub' })
    const access = { as: operator, params: at(name), body: { access: 'auth' as const } } as const
    expect(await server.call(domainProperties.setAccess, access)).toEqual({ key: name, data: [false], access: 'auth' })
  })

  it('are listed by key for all domains that have properties [CA-133]', async () => {
    const { id } = await server.call(domains.create, { as: operator, body: { name } })
    await make('b', 1, 'domain', id)
    await make('a', 1, 'pub', id)
    const all = await server.call(domainProperties.all, { as: operator })
    expect(all).toContainEqual({ domain: name, keys: ['a', 'b'] })
    const own = await server.call(domainProperties.all, { as: admin })
    expect(own.map(({ domain }) => domain)).not.toContain(name)
    // properties are deleted together with their domain
    await server.call(domains.delete, { as: operator, params: { id } })
    expect((await server.call(domainProperties.all, { as: operator })).map(({ domain }) => domain)).not.toContain(name)
    expect(await server.sql.query('select key from domain_property where domain_id = $1', [id])).toEqual([])
  })

  it('belong to a domain that is given by ID or name', async () => {
    await make(name, 'by name', 'domain', 'alpha')
    expect(await view(operator, name)).toBe('by name')
    expect(await view(admin, name, 'alpha')).toBe('by name')
    expect(await refusal(make(name, 1, 'domain', 'no such domain'))).toMatchObject({ code: 'not_found' })
  })

  it.each([
    ['pub', { stranger: true, member: true, admin: true }],
    ['auth', { stranger: false, member: true, admin: true }],
    ['domain', { stranger: false, member: false, admin: true }],
  ] as const)('with access %s can be read by the intended users and are hidden from others', async (access, who) => {
    await make(name, 'read', access)
    const path = `${server.url}/api/v2/domains/${alpha().id}/props/${name}`
    const stranger = await fetch(path)
    expect(stranger.status).toBe(who.stranger ? 200 : 401)
    if (who.stranger) expect(await stranger.json()).toBe('read')
    else expect((await fetch(`${path}_none`)).status).toBe(401)
    for (const [as, isRead] of [
      ['project-member', who.member],
      [admin, who.admin],
      [operator, true],
    ] as const) {
      expect(await refusal(view(as, name))).toEqual(
        isRead ? 'no refusal' : expect.objectContaining({ code: 'not_found' }),
      )
      expect((await list(as)).some(({ key }) => key === name)).toBe(isRead)
    }
    // users in other domains can read only public properties
    expect(await refusal(view('other-member', name))).toEqual(
      who.stranger ? 'no refusal' : expect.objectContaining({ code: 'not_found' }),
    )
    expect(await refusal(list('other-member'))).toMatchObject({ code: 'not_found' })
  })

  it('can be changed by system administrators only', async () => {
    await make(name, 1, 'auth')
    const body = { data: 2, access: 'pub' as const }
    for (const as of [admin, 'project-member', 'viewer'] as const)
      for (const attempt of [
        () => server.call(domainProperties.create, { as, params: at(`${name}_2`), body }),
        () => server.call(domainProperties.update, { as, params: at(name), body }),
        () => server.call(domainProperties.setAccess, { as, params: at(name), body: { access: 'pub' } }),
        () => server.call(domainProperties.delete, { as, params: at(name) }),
      ])
        expect(await refusal(attempt())).toMatchObject({ code: 'forbidden' })
    expect(await view(operator, name)).toBe(1)
  })

  it('have limits for size, access and key', async () => {
    const deep = (levels: number): unknown => (levels === 0 ? 1 : [deep(levels - 1)])
    expect(await refusal(make(name, 'x'.repeat(64 * 1024)))).toMatchObject({ fields: ['data'] })
    expect(await refusal(make(name, deep(21)))).toMatchObject({ fields: ['data'] })
    expect(await refusal(make(name, 1, 'all' as never))).toMatchObject({ fields: ['access'] })
    expect(await refusal(make('a b', 1))).toMatchObject({ fields: ['key'] })
    expect(await refusal(make('x'.repeat(65), 1))).toMatchObject({ fields: ['key'] })
    const bottomless = await fetch(`${server.adminUrl}/api/v2/domains/${alpha().id}/props/${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-auth-token': await server.signIn(operator) },
      body: `{"access":"pub","data":${'['.repeat(60_000)}${']'.repeat(60_000)}}`,
    })
    expect(bottomless.status).toBe(400)
    expect(await refusal(make(name, deep(20)))).toBe('no refusal')
    expect(await view(operator, name)).toEqual(deep(20))
  })

  it('are limited to 100 per domain', async () => {
    const { id } = await server.call(domains.create, { as: operator, body: { name } })
    await server.sql.query(
      "insert into domain_property (domain_id, key, access, data) select $1, 'k' || n, 'pub', '1' from generate_series(1, 99) n",
      [id],
    )
    const both = await Promise.all(['a', 'b'].map((key) => refusal(make(key, 1, 'pub', id))))
    expect(both.filter((it) => it === 'no refusal')).toHaveLength(1)
    expect(both.find((it) => it !== 'no refusal')).toMatchObject({ code: 'conflict' })
  })
})
