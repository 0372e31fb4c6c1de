import * as z from 'zod'
import { Secret } from '../../ports/secret'
import type { ApplicationRef } from '../../ports/identity'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startIdentityFixture, type IdentityFixture } from '../testing/identity-fixture'

let fixture: IdentityFixture
beforeEach(async () => {
  fixture = await startIdentityFixture()
  const { assignments, applicationCredentials } = fixture.directory
  assignments.push({ user: 'u-mary', project: 'p-one', role: 'image_upload' })
  applicationCredentials.push(
    { id: 'ac-mary', name: 'ci', secret: 'long-secret', user: 'u-mary', project: 'p-one' },
    { id: 'ac-little', secret: 'little-secret', user: 'u-mary', project: 'p-one', roles: ['image_upload'] },
    { id: 'ac-admin', secret: 'admin-secret', user: 'u-admin', project: 'p-admin', roles: ['member'] },
    { id: 'ac-rules', secret: 'rules-secret', user: 'u-mary', project: 'p-one', access_rules: [{ path: '/v2.1' }] },
  )
})
afterEach(() => fixture.close())

const signIn = (ref: ApplicationRef, secret: string) =>
  fixture.open().identity.authenticateApplication(ref, new Secret(secret))

it('signs in with an ID, or with a name and user, and is bound to its project', async () => {
  const byId = (await signIn({ id: 'ac-mary' }, 'long-secret'))!
  expect(byId.user).toMatchObject({ id: 'u-mary' })
  expect(byId.bound).toEqual({
    project_id: 'p-one',
    roles: [],
    assigned_projects: [
      { project_id: 'p-one', role: 'image_upload' },
      { project_id: 'p-one', role: 'project_member' },
    ],
  })
  const byName = await signIn({ name: 'ci', username: 'mary', domainName: 'alpha' }, 'long-secret')
  expect(byName).toMatchObject({ user: { id: 'u-mary' }, bound: byId.bound })
})

it('grants only the roles of the credential', async () => {
  expect((await signIn({ id: 'ac-little' }, 'little-secret'))?.bound).toMatchObject({
    assigned_projects: [{ project_id: 'p-one', role: 'image_upload' }],
  })
  const ofAdministrator = (await signIn({ id: 'ac-admin' }, 'admin-secret'))!
  expect(ofAdministrator.user.roles).toEqual(['admin'])
  expect(ofAdministrator.bound).toMatchObject({ roles: [], assigned_projects: [{ role: 'project_member' }] })
})

it.each([
  [{ id: 'ac-mary' }, 'wrong'],
  [{ id: 'ac-gone' }, 'long-secret'],
  [{ name: 'ci', username: 'head', domainName: 'alpha' }, 'long-secret'],
])('refuses %j with the secret %s', async (ref, secret) => {
  expect(await signIn(ref, secret)).toBeNull()
})

it('refuses credentials with access rules, which the index cannot enforce', async () => {
  await expect(signIn({ id: 'ac-rules' }, 'rules-secret')).rejects.toMatchObject({ code: 'unsupported' })
})

it('acts with its own token and only in its project, even in other processes', async () => {
  const { credential } = (await signIn({ id: 'ac-mary' }, 'long-secret'))!
  const { as } = fixture.open()
  const scope = { kind: 'project', user_id: 'u-mary', user_name: 'mary', domain_id: 'd-alpha', roles: [] } as const
  const inProject = (project_id: string) => as({ ...scope, project_id, request_id: 'req', credential })
  fixture.fake.on('compute', 'GET', '/os-keypairs', ({ token }) => ({
    body: { who: `${token?.application?.id} in ${token?.project?.id}` },
  }))
  const caller = await inProject('p-one')
  const answer = await caller.get('compute', '/os-keypairs', z.object({ who: z.string() }))
  expect(answer.who).toBe('ac-mary in p-one')
  await expect(inProject('p-demo')).rejects.toMatchObject({ code: 'forbidden' })
  // no other token was requested
  const scopes = fixture.fake.received.filter(({ verb, path }) => verb === 'POST' && path === '/auth/tokens')
  expect(scopes.some(({ bytes }) => bytes.includes('"token"'))).toBe(false)
})
