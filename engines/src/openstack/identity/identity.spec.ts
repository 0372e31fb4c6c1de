import { setTimeout as pause } from 'node:timers/promises'
import * as z from 'zod'
import type { UserRecord } from '../../ports/identity'
import type { Secret } from '../../ports/secret'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { startFaultProxy } from '../testing/fault-proxy'
import { startIdentityFixture, times, type IdentityFixture } from '../testing/identity-fixture'

let fixture: IdentityFixture
let directory: IdentityFixture['directory']
let fake: IdentityFixture['fake']
let records: IdentityFixture['records']
let open: IdentityFixture['open']
beforeEach(async () => {
  fixture = await startIdentityFixture()
  ;({ directory, fake, records, open } = fixture)
})
afterEach(() => fixture.close())

const asked = (verb: string, path: string) =>
  fake.received.filter((it) => it.service === 'identity' && it.verb === verb && it.path === path).length

describe('signing in', () => {
  it('returns the user with their roles, and the token', async () => {
    const { identity } = open()
    const found = await identity.authenticate('mary', 'pass-mary', 'alpha')
    expect(found?.user).toEqual({
      id: 'u-mary',
      name: 'mary',
      domain_id: 'd-alpha',
      email: null,
      enabled: true,
      is_superuser: false,
      roles: [],
      assigned_projects: [
        { project_id: 'p-demo', role: 'image_upload' },
        { project_id: 'p-one', role: 'project_member' },
      ],
      identity_provider: null,
    })
    expect(found?.credential?.reveal()).toMatch(/^gAAAA/)
    expect(found!.expires_at!.getTime() - Date.now()).toBeGreaterThan(3500 * 1000)
    const { body } = fake.received.find(({ path, bytes }) => path === '/auth/tokens' && bytes.includes('pass-mary'))!
    expect(body).toMatchObject({
      auth: { scope: 'unscoped', identity: { password: { user: { domain: { name: 'alpha' } } } } },
    })
  })

  it.each([
    ['mary', 'wrong', 'alpha'],
    ['stranger', 'pass-mary', 'alpha'],
  ])('returns null for %s with the password %s in %s', async (name, password, domain) => {
    expect(await open().identity.authenticate(name, password, domain)).toBeNull()
  })

  it('includes system roles of users and groups', async () => {
    directory.groups.push({ id: 'g-bosses', users: ['u-nobody'], systemRoles: ['admin'] })
    const { identity } = open()
    expect((await identity.user('u-viewer'))?.roles).toEqual(['viewer'])
    expect((await identity.user('u-nobody'))?.roles).toEqual(['admin'])
    expect((await identity.user('u-mary'))?.roles).toEqual([])
  })

  it('includes roles that have just been assigned', async () => {
    const { identity } = open()
    await identity.authenticate('nobody', 'pass-nobody', 'alpha')
    directory.assignments.push({ user: 'u-nobody', project: 'p-two', role: 'member' })
    const { user } = (await identity.authenticate('nobody', 'pass-nobody', 'alpha'))!
    expect(user.assigned_projects).toEqual([{ project_id: 'p-two', role: 'project_member' }])
    expect((await identity.projectsOf(user)).map(({ name }) => name)).toEqual(['two'])
  })
})

describe('projects that a user can enter', () => {
  const names = async (id: string) => {
    const { identity } = open()
    return (await identity.projectsOf((await identity.user(id)) as UserRecord)).map(
      ({ name, domain_name }) => `${name} of ${domain_name}`,
    )
  }
  it('lists the projects in which the user has a role', async () => {
    expect(await names('u-mary')).toEqual(['demo of Default', 'one of alpha'])
    expect(await names('u-viewer')).toEqual([])
  })
  it('lists all projects in the domain for a domain administrator or a cloud administrator', async () => {
    expect(await names('u-head')).toEqual(['one of alpha', 'two of alpha'])
    expect(await names('u-admin')).toEqual(['admin of Default', 'demo of Default'])
  })
})

describe('acting in the cloud', () => {
  const scope = (credential: Secret | null, project_id: string | null, kind: 'project' | 'system' = 'project') => ({
    kind,
    user_id: 'u-mary',
    user_name: 'mary',
    domain_id: 'd-alpha',
    project_id,
    roles: [],
    request_id: 'req-1',
    credential,
  })
  it("uses the caller's own project token, which is requested only once", async () => {
    const { identity, as } = open()
    const { credential } = (await identity.authenticate('mary', 'pass-mary', 'alpha'))!
    fake.list('compute', '/servers', 'servers', [])
    for (let count = 0; count < 3; count += 1) {
      const caller = await as(scope(credential, 'p-one'))
      for await (const page of caller.pages('compute', '/servers', 'servers', z.looseObject({})))
        expect(page).toEqual([])
    }
    const calls = fake.received.filter(({ service }) => service === 'compute')
    expect(calls.map(({ token }) => [token?.user.name, token?.project?.id])).toEqual(Array(3).fill(['mary', 'p-one']))
    expect(asked('POST', '/auth/tokens')).toBe(3)
  })
  it('refuses callers without a role, and sign-ins that the cloud no longer accepts', async () => {
    const { identity, as } = open()
    const { credential } = (await identity.authenticate('nobody', 'pass-nobody', 'alpha'))!
    await expect(as(scope(credential, 'p-one'))).rejects.toMatchObject({
      code: 'forbidden',
      message: expect.stringContaining('no role in this project'),
    })
    await expect(as(scope(credential, 'p-admin', 'system'))).rejects.toMatchObject({ code: 'forbidden' })
    await expect(as(scope(credential, null))).rejects.toMatchObject({ code: 'forbidden' })
    await expect(as(scope(null, 'p-one'))).rejects.toMatchObject({ code: 'unauthorized' })
    fake.expireTokens()
    await expect(as(scope(credential, 'p-one'))).rejects.toMatchObject({ code: 'unauthorized' })
  })
})

describe('lookups', () => {
  it('reads once for parallel callers, and again when the result is stale', async () => {
    const { identity } = open()
    await Promise.all(Array.from({ length: 20 }, () => identity.project('p-one')))
    await identity.project('p-one')
    expect(asked('GET', '/projects/p-one')).toBe(1)
    await pause(times.fresh + 20)
    expect(await identity.project('p-one')).toMatchObject({ name: 'one', domain_id: 'd-alpha', enabled: true })
    expect(asked('GET', '/projects/p-one')).toBe(2)
  })

  it('returns null for unknown and deleted objects', async () => {
    const { identity } = open()
    for (const id of ['gone', '../users', 'a/b?c=d'])
      expect([await identity.user(id), await identity.project(id), await identity.domain(id)]).toEqual([
        null,
        null,
        null,
      ])
    expect(await identity.user('u-nobody')).not.toBeNull()
    directory.users.splice(
      directory.users.findIndex(({ id }) => id === 'u-nobody'),
      1,
    )
    await pause(times.fresh + 20)
    expect(await identity.user('u-nobody')).toBeNull()
    expect(records.kept.has('identity.user/u-nobody')).toBe(false)
  })

  it('returns the last known result while the cloud is down, even after a restart, and recovers', async () => {
    const proxy = await startFaultProxy({ identity: fake.authUrl })
    const before = open(proxy.authUrl)
    const user = (await before.identity.user('u-mary'))!
    await before.identity.projectsOf(user)
    await before.identity.domain('d-alpha')
    await before.identity.adminProjectId()
    await proxy.fault('identity', { kind: 'refuse' })
    await pause(times.fresh + 20)

    const after = open(proxy.authUrl)
    for (const { identity } of [before, after]) {
      const began = performance.now()
      expect(await identity.user('u-mary')).toEqual(user)
      expect((await identity.projectsOf(user)).map(({ id }) => id)).toEqual(['p-demo', 'p-one'])
      expect(await identity.domain('d-alpha')).toMatchObject({ name: 'alpha' })
      expect(await identity.adminProjectId()).toBe('p-admin')
      // callers do not wait until a call times out
      expect(performance.now() - began).toBeLessThan(20_000)
      await expect(identity.authenticate('mary', 'pass-mary', 'alpha')).rejects.toMatchObject({
        code: 'engine_unavailable',
      })
      await expect(identity.project('p-two')).rejects.toMatchObject({ code: 'engine_unavailable' })
    }

    await proxy.heal()
    await pause(times.rest + 20)
    directory.assignments.push({ user: 'u-mary', project: 'p-two', role: 'member' })
    await vi.waitFor(async () => expect((await before.identity.user('u-mary'))?.assigned_projects).toHaveLength(3))
    expect(await before.identity.project('p-two')).toMatchObject({ name: 'two' })
    await proxy.close()
  })

  it('does not wait for a cloud that hangs', async () => {
    const { identity } = open(fake.authUrl, null, { ...times, patience: 200, rest: 60_000 })
    await identity.project('p-one')
    await pause(times.fresh + 20)
    let [asked, hangUp] = [0, () => {}]
    const hanging = new Promise<void>((resolve) => (hangUp = resolve))
    fake.on('identity', 'GET', '/projects/:id', async () => {
      asked++
      await hanging
      return { status: 503 }
    })
    for (let count = 0; count < 5; count += 1) expect(await identity.project('p-one')).toMatchObject({ name: 'one' })
    // only the first lookup waits briefly
    expect(asked).toBe(1)
    hangUp()
  })

  it('reports that the service account lacks permissions instead of reporting a missing user', async () => {
    fake.on('identity', 'GET', '/users/:id', () => ({
      status: 403,
      body: {
        error: { code: 403, message: 'You are not authorized to perform the requested action: identity:get_user.' },
      },
    }))
    await expect(open().identity.user('u-mary')).rejects.toMatchObject({
      code: 'engine_unavailable',
      message: expect.stringContaining('The service account cannot look up users'),
    })
  })

  it('finds the domains of all projects with a single list request', async () => {
    const { domainOf } = open()
    expect(await Promise.all(['p-one', 'p-two', 'p-demo'].map(domainOf))).toEqual(['d-alpha', 'd-alpha', 'default'])
    expect(await domainOf('gone')).toBe('gone')
    expect([asked('GET', '/projects'), asked('GET', '/projects/p-one')]).toEqual([1, 0])
  })
})

describe('changing users, projects and domains', () => {
  it('returns a new token after a password change, and refuses a wrong or weak password', async () => {
    const { identity } = open()
    expect(await identity.changePassword('u-mary', 'wrong', 'longer password')).toBeNull()
    await expect(identity.changePassword('u-mary', 'pass-mary', 'short')).rejects.toMatchObject({
      code: 'validation',
      fields: { new_password: [expect.stringContaining('too short')] },
    })
    const changed = await identity.changePassword('u-mary', 'pass-mary', 'longer password')
    expect(changed?.credential?.reveal()).toMatch(/^gAAAA/)
    expect(await identity.authenticate('mary', 'longer password', 'alpha')).not.toBeNull()
  })

  it('creates domains, projects and users, but never a user without all requested roles', async () => {
    const { identity } = open()
    const domain = await identity.createDomain({ name: 'beta' })
    await expect(identity.createDomain({ name: 'beta' })).rejects.toMatchObject({ code: 'duplicate_name' })
    const project = await identity.createProject({ name: 'beta-one', domain_id: domain.id })
    const person = { domain_id: domain.id, password: 'pass-anna' }
    const anna = await identity.createUser({
      ...person,
      name: 'anna',
      roles: ['domain_admin'],
      assigned_projects: [{ project_id: project.id, role: 'project_member' }],
    })
    expect(anna).toMatchObject({ roles: ['domain_admin'], assigned_projects: [{ role: 'project_member' }] })
    const boss = await identity.createUser({ ...person, name: 'boss', is_superuser: true })
    expect(boss.roles).toEqual(['admin'])
    await expect(
      identity.createUser({
        ...person,
        name: 'half',
        assigned_projects: [{ project_id: project.id, role: 'project_admin' }],
      }),
    ).rejects.toMatchObject({ code: 'unsupported', message: 'The role “project_admin” does not exist in the cloud' })
    expect(await identity.authenticate('half', 'pass-anna', 'beta')).toBeNull()
  })

  it('shows immediately that an object is disabled', async () => {
    const { identity } = open()
    for (const [kind, id] of [
      ['user', 'u-mary'],
      ['project', 'p-one'],
      ['domain', 'd-alpha'],
    ] as const) {
      expect(await identity[kind](id)).toMatchObject({ enabled: true })
      await identity.setEnabled(kind, id, false)
      expect(await identity[kind](id)).toMatchObject({ enabled: false })
    }
  })
})
