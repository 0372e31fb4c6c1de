import { isDeepStrictEqual } from 'node:util'
import { domains } from '@mainstay/contract/identity/domains'
import { explanations } from '@mainstay/contract/identity/explanations'
import { groups } from '@mainstay/contract/identity/groups'
import { account } from '@mainstay/contract/identity/account'
import { projects } from '@mainstay/contract/identity/projects'
import { session } from '@mainstay/contract/identity/session'
import { users } from '@mainstay/contract/identity/users'
import { resourceList } from '@mainstay/contract/resources'
import { volumes } from '@mainstay/contract/storage/volumes'
import { describe, expect, it } from 'vitest'
import { tier } from '../../../../../tools/lib/tier.mjs'
import {
  admin,
  join,
  makeGroup,
  makeProject,
  makeUser,
  name,
  operator,
  refusal,
  server,
  signIn,
  withDirectory,
} from '../../../testing/directory-fixture'
import { createSamples } from '../../../testing/create-samples'
import type { PersonaName } from '../../../testing/personas'
import { authenticatedCalls, isRefused } from '../../../testing/refused-calls'

withDirectory()

it('lists every call with the list from which its object can be chosen', async () => {
  const { data } = await server.call(explanations.calls, { as: 'project-member' })
  expect(data.map((it) => it.name)).toEqual(
    resourceList.flatMap(([resource, { calls }]) => Object.keys(calls).map((called) => `${resource}.${called}`)),
  )
  const known = new Map(data.map((it) => [it.name, it]))
  expect(known.get('volumes.delete')).toMatchObject({
    is_about_one: true,
    objects: { list: volumes.list.path, kind: 'volume', needs: volumes.list.needs, of_project: true },
  })
  expect(known.get('domains.update')!.objects).toMatchObject({ list: domains.list.path, of_project: false })
  for (const call of ['volumes.list', 'volumes.create', 'session.login'])
    expect(known.get(call)).toMatchObject({ is_about_one: false, objects: null })
})

/** In the gate, one call for each permission, because a token restricts permissions, and all calls that need none. */
const callsOfTokens = authenticatedCalls.filter(
  ({ endpoint: { needs } }, at) =>
    tier !== 'gate' ||
    typeof needs !== 'object' ||
    authenticatedCalls.findIndex(({ endpoint }) => isDeepStrictEqual(endpoint.needs, needs)) === at,
)

type Query = { call: string; user_id?: string; project_id?: string; object_id?: string }
const explain = (as: PersonaName | { token: string }, query: Query) => server.call(explanations.explain, { as, query })
/** Codes of the failed checks. */
const refusing = async (as: PersonaName | { token: string }, query: Query) =>
  (await explain(as, query)).checks.filter(({ passed }) => passed === false).map(({ code }) => code)
const notThere = '00000000-0000-4000-8000-000000000000'
const projectNamed = (named: string) => server.cast.projects[named]!.id
const enter = async (token: string, id: string) =>
  (await server.call(session.enterProject, { as: { token }, params: { id } })).token

describe('an explanation of an allowed call', () => {
  it('names the role, the scope of the role and the group that grants it', async () => {
    const project = await makeProject()
    const user = await makeUser({ domain_permissions: ['image_upload'] })
    const group = await makeGroup({ assigned_projects: [{ project_id: project.id, role: 'project_member' }] })
    await join(group.id, user)
    const query = { call: 'volumes.create', user_id: user.id, project_id: project.id }
    expect(await explain(admin, query)).toMatchObject({
      allowed: true,
      user: { name },
      call: { verb: 'POST', path: '/api/v2/compute/volumes' },
      scope: { kind: 'project', project: { name } },
      checks: [
        { code: 'user_enabled', passed: true },
        { code: 'domain_enabled', passed: true },
        { code: 'project_entered', passed: true },
        { code: 'project_enabled', passed: true },
        { code: 'permission', passed: true, data: { resource: 'compute_volumes', ability: 'create' } },
        // quotas are reported but do not affect the result
        { code: 'quota', passed: null, data: { quotas: ['volumes', 'storage'] } },
      ],
      roles: [
        { role: 'image_upload', given_in: 'domain', group: null, allows: false },
        { role: 'project_member', given_in: 'project', group: { id: group.id, name }, allows: true },
      ],
      would_allow: [],
    })
    const upload = await explain(admin, { ...query, call: 'images.create' })
    expect(upload.roles.map(({ role, allows }) => [role, allows])).toEqual([
      ['image_upload', true],
      ['project_member', false],
    ])
  })

  it('names both groups if two groups grant the same role', async () => {
    const project = await makeProject()
    const user = await makeUser()
    const assigned_projects = [{ project_id: project.id, role: 'project_member' as const }]
    for (const at of ['a', 'b']) await join((await makeGroup({ name: `${name} ${at}`, assigned_projects })).id, user)
    const { roles } = await explain(admin, { call: 'volumes.list', user_id: user.id, project_id: project.id })
    expect(roles.map(({ group, allows }) => [group?.name, allows])).toEqual([
      [`${name} a`, true],
      [`${name} b`, true],
    ])
  })
})

describe('an explanation of a refused call', () => {
  it('names the missing permission and the roles that would grant it', async () => {
    const said = await explain('domain-admin', {
      call: 'quotas.set',
      user_id: server.cast.people['project-member'].user.id,
      project_id: projectNamed('alpha-one'),
    })
    expect(said).toMatchObject({
      allowed: false,
      roles: [{ role: 'project_member', allows: false }],
      would_allow: [
        { role: 'domain_admin', given_in: 'domain' },
        { role: 'quota_manager', given_in: 'domain' },
      ],
    })
    expect(said.checks.find(({ passed }) => passed === false)).toMatchObject({
      code: 'permission',
      message: 'No role allows this. It needs the ability "create" for compute_quotas',
    })
  })

  it('reports a disabled user, domain or project, consistent with the results of calls', async () => {
    const domain = await server.call(domains.create, { as: operator, body: { name } })
    const params = { domain_id: domain.id }
    const project = await server.call(projects.create, { as: operator, params, body: { name } })
    const draft = { assigned_projects: [{ project_id: project.id, role: 'project_admin' as const }] }
    const user = await makeUser(draft, domain.id)
    const unscoped = await signIn(name, undefined, domain.name)
    const inside = { token: await enter(unscoped, project.id) }
    const enable = {
      user: (enabled: boolean) =>
        server.call(users.update, { as: operator, params: { ...params, id: user.id }, body: { enabled } }),
      domain: (enabled: boolean) =>
        server.call(domains.update, { as: operator, params: { id: domain.id }, body: { enabled } }),
      project: (enabled: boolean) =>
        server.call(projects.update, { as: operator, params: { ...params, id: project.id }, body: { enabled } }),
    }
    const asked = { call: 'volumes.list', user_id: user.id, project_id: project.id }
    await enable.project(false)
    expect(await refusing(operator, asked)).toEqual(['project_enabled'])
    for (const { name: call, endpoint } of authenticatedCalls) {
      const { allowed } = await explain(operator, { ...asked, call })
      expect([call, allowed]).toEqual([call, !(await isRefused(server, inside, endpoint))])
    }
    await enable.domain(false)
    expect(await refusing(operator, asked)).toEqual(['domain_enabled', 'project_enabled'])
    // a user from another domain is refused because the project's domain is disabled
    const fromElsewhere = { call: asked.call, project_id: project.id }
    expect(await refusing(operator, fromElsewhere)).toEqual(['project_enabled', 'project_domain_enabled'])
    expect(await refusal(signIn(name, undefined, domain.name))).toMatchObject({ code: 'access_disabled' })
    await enable.domain(true)
    await enable.project(true)
    expect(await refusing(operator, asked)).toEqual([])
    // disabling a domain or user ends their sessions; the next sign-in is refused for the same reason
    await enable.user(false)
    expect(await refusing(operator, asked)).toEqual(['user_enabled'])
    expect(await refusal(signIn(name, undefined, domain.name))).toMatchObject({ code: 'access_disabled' })
  })

  it('reports a read-only token, consistent with the results of all calls', { tags: 'all' }, async () => {
    const token = await signIn('project_member')
    const project_id = projectNamed('alpha-one')
    const body = { name, project_id, read_only: true, expires_at: new Date(Date.now() + 3_600_000).toISOString() }
    const made = { token: (await server.call(account.createToken, { as: { token }, body })).token }
    const disagreeing: string[] = []
    for (const { name: call, endpoint } of callsOfTokens) {
      const { allowed } = await explain(made, { call, project_id })
      if (allowed === (await isRefused(server, made, endpoint))) disagreeing.push(call)
    }
    expect(disagreeing).toEqual([])
    expect(await refusing(made, { call: 'volumes.create', project_id })).toEqual(['token'])
    expect(await refusing({ token }, { call: 'volumes.create', project_id })).toEqual([])
  })

  it(
    'reports an object that the user cannot see, consistent with view calls for every kind',
    { tags: 'all' },
    async () => {
      const made = await createSamples(server, 'project-member', name)
      const people: [PersonaName, string | undefined][] = [
        ['project-member', 'alpha-one'],
        ['project-admin', 'alpha-one'],
        ['service-account', 'alpha-one'],
        ['service-account@beta-one', 'beta-one'],
        ['other-member', 'beta-one'],
        ['domain-admin', undefined],
        ['viewer', undefined],
      ]
      const kinds = new Set<string>()
      for (const { kind, id } of made) {
        const [resource, { calls }] = resourceList.find(([, it]) => it.kind?.name === kind)!
        const view = calls['view']!
        for (const [as, projectName] of people) {
          const { user } = server.cast.people[as.split('@')[0] as 'viewer']
          const project_id = projectName && projectNamed(projectName)
          const response = await server.fetch(view, { as, params: { id } })
          await response.body?.cancel()
          const query = { call: `${resource}.view`, user_id: user.id, object_id: id, ...(project_id && { project_id }) }
          const { allowed } = await explain(operator, query)
          expect([kind, as, allowed]).toEqual([kind, as, response.status === 200])
          kinds.add(kind)
        }
      }
      expect(kinds.size).toBeGreaterThan(2)
    },
  )

  it('reports rules that protect the built-in user, more privileged users, oneself and federated users', async () => {
    const { superuser, viewer } = server.cast.people
    const builtIn = { call: 'users.delete', object_id: superuser.user.id }
    const delegate = await makeUser({ name: `${name}_admin`, system_permissions: ['admin'] }, 'default')
    const rule = async (as: PersonaName | { token: string }, query: Query) =>
      (await explain(as, query)).checks
        .filter(({ code }) => code === 'rule')
        .map((it) => [it.data['err_code'], it.passed])
    expect(await rule(operator, { ...builtIn, user_id: delegate.id })).toEqual([['builtin_admin_protected', false]])
    expect(await rule(operator, { call: 'users.delete', user_id: delegate.id, object_id: delegate.id })).toEqual([
      ['user_is_self', false],
    ])
    const mayNot = await refusal(
      server.call(users.delete, { as: operator, params: { domain_id: 'default', id: superuser.user.id } }),
    )
    expect(mayNot).toMatchObject({ code: 'builtin_admin_protected' })
    expect(await rule(operator, { ...builtIn, user_id: viewer.user.id })).toEqual([
      ['forbidden', false],
      ['builtin_admin_protected', false],
    ])
    const federated = await makeUser({ name: `${name}_federated` })
    await server.sql.query(`update identity_user set identity_provider = 'sso' where id = $1`, [federated.id])
    await server.call(users.update, { as: admin, params: { id: federated.id }, body: { description: 'again' } })
    expect(await rule(admin, { call: 'users.update', object_id: federated.id })).toEqual([['validation', null]])
    expect(await explain(admin, { call: 'users.update', object_id: federated.id })).toMatchObject({ allowed: true })
    const group = await server.call(groups.create, {
      as: operator,
      params: { domain_id: 'default' },
      body: { name, system_permissions: ['viewer'] },
    })
    expect(await rule(operator, { call: 'groups.delete', user_id: delegate.id, object_id: group.id })).toEqual([])
    expect(await rule(operator, { call: 'groups.delete', user_id: viewer.user.id, object_id: group.id })).toEqual([
      ['forbidden', false],
    ])
  })
})

describe('object rules', () => {
  const rule = async (as: PersonaName, query: Query) =>
    (await explain(as, query)).checks.filter(({ code }) => code === 'rule').map((it) => [it.message, it.passed])

  it('report the same message as the call that they refuse', async () => {
    const as = 'project-member'
    const project_id = projectNamed('alpha-one')
    const [made] = (await createSamples(server, as, name)).filter(({ kind }) => kind === 'volume')
    const { id } = made!
    const turn = (status: string) =>
      server.sql.query(
        `update resource set status = $2, body = jsonb_set(body, '{status}', to_jsonb($2::text)) where kind = 'volume' and id = $1`,
        [id, status],
      )
    await turn('available')
    for (const call of ['volumes.delete', 'volumes.update', 'volumes.extend'])
      expect(await rule(as, { call, object_id: id, project_id })).toEqual([])
    await turn('deleting')
    const acts = [
      ['volumes.delete', () => server.call(volumes.delete, { as, params: { id } })],
      ['volumes.update', () => server.call(volumes.update, { as, params: { id }, body: { name } })],
      ['volumes.extend', () => server.call(volumes.extend, { as, params: { id }, body: { size: 2 ** 40 } })],
    ] as const
    for (const [call, done] of acts) {
      const said = await refusal(done())
      expect(said).toMatchObject({ code: 'invalid_state' })
      expect(await rule(as, { call, object_id: id, project_id })).toEqual([
        [(said as { message: string }).message, false],
      ])
    }
    await turn('error')
  })

  it('protect the default domain and domains with projects, but allow deleting users with their domain', async () => {
    const domain = await server.call(domains.create, { as: operator, body: { name } })
    const params = { domain_id: domain.id }
    const removal = (id: string) => ({ call: 'domains.delete', object_id: id })
    const said = async (id: string) =>
      (
        (await refusal(server.call(domains.delete, { as: operator, params: { id } }))) as {
          message: string
        }
      ).message
    expect(await rule(operator, removal('default'))).toEqual(expect.arrayContaining([[await said('default'), false]]))
    expect((await rule(operator, { call: 'domains.update', object_id: 'default' }))[0]![1]).toBeNull()
    await makeUser({}, domain.id)
    expect(await rule(operator, removal(domain.id))).toEqual([[await said(domain.id), null]])
    const project = await server.call(projects.create, { as: operator, params, body: { name } })
    expect(await rule(operator, removal(domain.id))).toEqual([
      [await said(domain.id), false],
      ['This domain still has 1 user', null],
    ])
    await server.call(projects.delete, { as: operator, params: { ...params, id: project.id } })
  })
})

describe('access to explanations', () => {
  it('is limited to the caller and, for administrators, to users in their domains', async () => {
    const { 'project-member': member, 'other-member': stranger, 'project-admin': colleague } = server.cast.people
    const call = 'volumes.list'
    const project_id = projectNamed('alpha-one')
    expect(await explain('project-member', { call, project_id })).toMatchObject({
      allowed: true,
      user: { id: member.user.id },
    })
    const as = 'project-member'
    const absent = { code: 'not_found' }
    expect(await refusal(explain(as, { call, user_id: colleague.user.id }))).toMatchObject(absent)
    expect(await refusal(explain(as, { call, user_id: notThere }))).toMatchObject(absent)
    expect(await refusal(explain(as, { call, project_id: projectNamed('alpha-two') }))).toMatchObject(absent)
    expect(await refusal(explain(admin, { call, user_id: stranger.user.id }))).toMatchObject(absent)
    expect(await refusal(explain(admin, { call, project_id: projectNamed('beta-one') }))).toMatchObject(absent)
    expect(await explain(operator, { call, user_id: stranger.user.id })).toMatchObject({ allowed: false })
  })

  it('does not reveal objects, groups or projects that the caller cannot see', async () => {
    const [volume] = (await createSamples(server, 'other-member', name)).filter(({ kind }) => kind === 'volume')
    const query = { call: 'volumes.delete', object_id: volume!.id }
    const project_id = projectNamed('alpha-one')
    const seen = await refusal(explain('project-member', { ...query, project_id }))
    expect(seen).toEqual(await refusal(explain('project-member', { ...query, project_id, object_id: notThere })))
    expect(seen).toMatchObject({ code: 'not_found' })
    const project = await makeProject()
    const user = await makeUser({ assigned_projects: [{ project_id, role: 'project_member' }] })
    await join((await makeGroup({ assigned_projects: [{ project_id: project.id, role: 'project_admin' }] })).id, user)
    const own = { call: 'volumes.list', project_id: project.id }
    const { roles } = await explain({ token: await signIn(name) }, own)
    expect(roles).toMatchObject([{ role: 'project_admin', group: { name: null } }])
    expect((await explain(admin, { ...own, user_id: user.id })).roles).toMatchObject([{ group: { name } }])
  })

  it('is refused for unknown calls and objects with a reason', async () => {
    const unknown = { code: 'validation', fields: ['call'], message: 'This API operation does not exist' }
    for (const call of ['volumes', 'volumes.explode', 'constructor.name', 'volumes.constructor'])
      expect(await refusal(explain(admin, { call }))).toMatchObject(unknown)
    expect(await refusal(explain(admin, { call: 'volumes.list', object_id: notThere }))).toMatchObject({
      code: 'validation',
      fields: ['object_id'],
    })
  })
})
