import { domainQuotas, quotas, type DomainQuotasChange, type QuotasChange } from '@mainstay/contract/compute/quotas'
import { GiB, MiB } from '@mainstay/contract/core/bytes'
import { projects } from '@mainstay/contract/identity/projects'
import { users } from '@mainstay/contract/identity/users'
import { session } from '@mainstay/contract/identity/session'
import { volumes } from '@mainstay/contract/storage/volumes'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { PASSWORD, type PersonaName } from '../../testing/personas'
import { startServer, type TestServer } from '../../testing/start-server'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

/** An empty project in an empty domain, with tokens for a project member and for the domain administrator. */
interface Place {
  id: string
  domain_id: string
  as: { token: string }
  admin: { token: string }
}
const operator = 'superuser'
let count = 0
let place: Place
beforeEach(async () => {
  place = await makePlace()
})

async function makePlace(domain_id?: string): Promise<Place> {
  count += 1
  const domain = domain_id ?? (await server.tools.identity.createDomain({ name: `domain ${count}` })).id
  const { id } = await server.tools.identity.createProject({ name: `project ${count}`, domain_id: domain })
  const { name: domainName } = (await server.tools.identity.domain(domain))!
  const name = `chief_${count}`
  await server.call(users.create, {
    as: operator,
    params: { domain_id: domain },
    body: { name, password: PASSWORD, domain_permissions: ['domain_admin'] },
  })
  const { token } = await server.call(session.login, {
    body: { username: name, password: PASSWORD, domain: domainName },
  })
  const admin = { token: token! }
  const entered = await server.call(session.enterProject, { as: admin, params: { id } })
  return { id, domain_id: domain, as: { token: entered.token }, admin }
}

type Asker = PersonaName | { token: string }
const set = (body: QuotasChange, as: Asker = place.admin, id = place.id) =>
  server.call(quotas.set, { as, params: { id }, body })
const view = (as: Asker = place.admin, id = place.id) => server.call(quotas.view, { as, params: { id } })
const storage = (limit: number) =>
  ({ storage: { storage_policies: { default: { limit } } } }) satisfies QuotasChange & DomainQuotasChange
const setDomain = (body: DomainQuotasChange, as: Asker = operator, id = place.domain_id) =>
  server.call(domainQuotas.set, { as, params: { id }, body })
const viewDomain = (as: Asker, id = place.domain_id) => server.call(domainQuotas.view, { as, params: { id } })
const makeVolume = (size: number, as: Asker = place.as) =>
  server.call(volumes.create, { as, body: { name: 'disk', size } })
const refusal = (call: Promise<unknown>) =>
  call.then(
    () => 'no refusal',
    ({ code, status, fields, data, message }: Record<string, unknown>) => ({ code, status, fields, data, message }),
  )
const codes = async (calls: Promise<unknown>[]) =>
  (await Promise.all(calls.map(refusal))).map((it) => (typeof it === 'string' ? 'made' : String(it.code))).toSorted()

describe('project quota limits', () => {
  it('are set individually and returned with the usage, where -1 means unlimited', async () => {
    const before = await view()
    expect(before.compute.cores.limit).toBe(40)
    const answer = await set({ compute: { cores: { limit: 8 }, ram: { limit: 16 * GiB } } })
    expect(answer.compute).toEqual({
      instances: before.compute.instances,
      cores: { limit: 8, used: 0 },
      ram: { limit: 16 * GiB, used: 0 },
    })
    await makeVolume(3 * GiB)
    const next = await set({ compute: { cores: { limit: -1 } }, ...storage(5 * GiB), image: { images: { limit: 0 } } })
    expect(next).toEqual(await view(place.as))
    expect(next.compute).toMatchObject({ cores: { limit: -1 }, ram: { limit: 16 * GiB } })
    expect(next.storage.storage_policies).toEqual({ default: { limit: 5 * GiB, used: 3 * GiB } })
    expect([next.image.images.limit, next.storage.volumes]).toEqual([0, { limit: 100, used: 1 }])
  })

  it('apply to new objects, and errors include limit, usage and requested amount', async () => {
    await set(storage(5 * GiB))
    await makeVolume(3 * GiB)
    expect(await refusal(makeVolume(3 * GiB))).toEqual({
      code: 'quota_exceeded',
      status: 409,
      message:
        'The quota for storage in this project would be exceeded: 3 GiB of 5 GiB are in use, and the request needs 3 GiB more',
      fields: { size: [expect.stringContaining('3 GiB of 5 GiB are in use')] },
      data: { resource: 'storage', of: 'project', limit: 5 * GiB, used: 3 * GiB, requested: 3 * GiB },
    })
    await set(storage(6 * GiB))
    await makeVolume(3 * GiB)
  })

  it('can be lower than the usage, which prevents growth but deletes nothing', async () => {
    const made = await makeVolume(3 * GiB)
    const { storage: told } = await set(storage(2 * GiB))
    expect(told.storage_policies['default']).toEqual({ limit: 2 * GiB, used: 3 * GiB })
    expect(await refusal(makeVolume(GiB))).toMatchObject({
      code: 'quota_exceeded',
      data: { limit: 2 * GiB, used: 3 * GiB, requested: GiB },
    })
    expect(await server.call(volumes.view, { as: place.as, params: { id: made.id } })).toMatchObject({ size: 3 * GiB })
  })

  it('let exactly one of two concurrent requests succeed at the limit', async () => {
    await set(storage(3 * GiB))
    for (let round = 0; round < 3; round += 1) {
      const limit = (round + 1) * 3 * GiB
      await set(storage(limit))
      expect(await codes([makeVolume(2 * GiB), makeVolume(2 * GiB)])).toEqual(['made', 'quota_exceeded'])
      await makeVolume(GiB)
      expect((await view()).storage.storage_policies['default']).toEqual({ limit, used: limit })
    }
  })

  it.each([
    [
      'an unknown service',
      { k8saas: { cluster: { limit: 5 } } },
      'k8saas: Kubernetes clusters are not supported, so they have no quota',
    ],
    ['placements', { placement: { gold: { limit: 5 } } }, 'placement: A quota cannot be set for placements'],
    ['an unknown storage policy', { storage: { storage_policies: { gold: { limit: 1 } } } }, 'gold'],
    ['a limit below -1', { compute: { cores: { limit: -2 } } }, 'compute.cores.limit'],
    ['half a core', { compute: { cores: { limit: 1.5 } } }, 'compute.cores.limit'],
    ['text', { compute: { cores: { limit: 'many' } } }, 'compute.cores.limit'],
    ['a limit above the maximum', { compute: { cores: { limit: 2 ** 31 } } }, 'compute.cores.limit'],
    ['half a MiB of memory', { compute: { ram: { limit: MiB / 2 } } }, 'compute.ram.limit'],
    ['a change to the usage', { compute: { cores: { limit: 5, used: 1 } } }, 'used'],
  ])('reject %s with an error that names it', async (_, body, named) => {
    const answer = await server.fetch(quotas.set, { as: place.admin, params: { id: place.id }, body } as never)
    const text = await answer.text()
    expect([answer.status, text]).toEqual([400, expect.stringContaining(named)])
    expect((await view()).compute.cores.limit).toBe(40)
  })

  it('can be set by domain administrators, operators and quota managers of the project', async () => {
    await set({ compute: { cores: { limit: 7 } } }, operator)
    await set({ compute: { cores: { limit: 6 } } }, place.as)
    const member = async (name: string, domain_permissions: 'quota_manager'[]) => {
      const { domain_id, id: project_id } = place
      const assigned_projects = [{ project_id, role: 'project_member' as const }]
      const body = { name, password: PASSWORD, domain_permissions, assigned_projects }
      await server.call(users.create, { as: place.admin, body, params: { domain_id } })
      const { name: domain } = (await server.tools.identity.domain(domain_id))!
      const { token } = await server.call(session.login, { body: { username: name, password: PASSWORD, domain } })
      const entered = await server.call(session.enterProject, { as: { token: token! }, params: { id: project_id } })
      return { token: entered.token }
    }
    const manager = await member(`manager_${count}`, ['quota_manager'])
    expect((await set({ compute: { cores: { limit: 5 } } }, manager)).compute.cores.limit).toBe(5)
    const plain = await member(`plain_${count}`, [])
    expect(await refusal(set({ compute: { cores: { limit: 99 } } }, plain))).toMatchObject({ code: 'forbidden' })
    expect((await view(plain)).compute.cores.limit).toBe(5)
  })

  it('cannot be read or set for other domains and unknown projects', async () => {
    const other = await makePlace()
    for (const id of [other.id, '00000000-0000-4000-8000-000000000000']) {
      for (const as of [place.admin, place.as]) {
        expect(await refusal(view(as, id))).toMatchObject({ code: 'not_found' })
        expect(await refusal(set({ compute: { cores: { limit: 1 } } }, as, id))).toMatchObject({ code: 'not_found' })
      }
    }
    expect(await refusal(view(operator, '00000000-0000-4000-8000-000000000000'))).toMatchObject({ code: 'not_found' })
    const system = await server.tools.identity.adminProjectId()
    expect(await refusal(view('domain-admin', system))).toMatchObject({ code: 'not_found' })
    expect((await view(other.admin, other.id)).compute.cores.limit).toBe(40)
  })

  it('are stored in a row that is deleted with the project', async () => {
    await set({ compute: { cores: { limit: 3 } } })
    const rows = () => server.sql.query("select id from resource where kind = 'quota' and id = $1", [place.id])
    expect(await rows()).toHaveLength(1)
    await server.call(projects.delete, { as: place.admin, params: { id: place.id, domain_id: place.domain_id } })
    expect(await rows()).toEqual([])
  })

  it('are recorded in the audit log', async () => {
    await set({ compute: { cores: { limit: 3 } } })
    const lines = await server.sql.query<object>(
      "select action, result from audit where subject_kind = 'quota' and subject_id = $1",
      [place.id],
    )
    expect(lines).toEqual([{ action: 'quota.set', result: 'success' }])
  })
})

describe('domain ceilings', () => {
  it('are unlimited at first, set by operators and shown to domain administrators with the total usage', async () => {
    expect(await viewDomain(place.admin)).toEqual({
      compute: { cores: { limit: -1, used: 0 }, ram: { limit: -1, used: 0 } },
      storage: { storage_policies: { default: { limit: -1, used: 0 } } },
    })
    const second = await makePlace(place.domain_id)
    await makeVolume(GiB)
    await makeVolume(2 * GiB, second.as)
    const answer = await setDomain({ compute: { cores: { limit: 64 } }, ...storage(10 * GiB) })
    expect(answer).toEqual(await viewDomain(place.admin))
    expect(answer).toEqual({
      compute: { cores: { limit: 64, used: 0 }, ram: { limit: -1, used: 0 } },
      storage: { storage_policies: { default: { limit: 10 * GiB, used: 3 * GiB } } },
    })
  })

  it('cannot be set by domain administrators and are hidden from project members', async () => {
    const body = { compute: { cores: { limit: 64 } } }
    expect(await refusal(setDomain(body, place.admin))).toMatchObject({ code: 'forbidden' })
    expect(await refusal(setDomain(body, 'compute-operator'))).toMatchObject({ code: 'forbidden' })
    expect(await refusal(viewDomain('project-member', server.cast.domains['alpha']!.id))).toMatchObject({
      code: 'forbidden',
    })
  })

  it('are not found for other or unknown domains', async () => {
    const other = await makePlace()
    expect(await refusal(viewDomain(place.admin, other.domain_id))).toMatchObject({ code: 'not_found' })
    expect(await refusal(viewDomain(operator, 'nowhere'))).toMatchObject({ code: 'not_found' })
    expect(await refusal(setDomain({}, operator, 'nowhere'))).toMatchObject({ code: 'not_found' })
  })

  it('can be lower than the sum of project limits, and errors name the domain', async () => {
    const second = await makePlace(place.domain_id)
    await setDomain(storage(5 * GiB))
    await set(storage(4 * GiB))
    await set(storage(4 * GiB), second.admin, second.id)
    await makeVolume(4 * GiB)
    expect(await refusal(makeVolume(2 * GiB, second.as))).toEqual({
      code: 'quota_exceeded',
      status: 409,
      message:
        'The quota for storage in this domain would be exceeded: 4 GiB of 5 GiB are in use, and the request needs 2 GiB more',
      fields: { size: [expect.stringContaining('in this domain')] },
      data: { resource: 'storage', of: 'domain', limit: 5 * GiB, used: 4 * GiB, requested: 2 * GiB },
    })
    await makeVolume(GiB, second.as)
  })

  it('let exactly one of two concurrent requests from two projects succeed at the limit', async () => {
    const second = await makePlace(place.domain_id)
    for (let round = 1; round <= 3; round += 1) {
      await setDomain(storage(round * 3 * GiB))
      expect(await codes([makeVolume(2 * GiB), makeVolume(2 * GiB, second.as)])).toEqual(['made', 'quota_exceeded'])
      await makeVolume(GiB)
    }
  })

  it.each([
    ['the number of instances', { compute: { instances: { limit: 5 } } }, 'instances'],
    ['recovery points', { storage: { volumes_backups: { limit: 5 } } }, 'volumes_backups'],
  ])('cannot be set for %s', async (_, body, named) => {
    const params = { id: place.domain_id }
    const answer = await server.fetch(domainQuotas.set, { as: operator, params, body } as never)
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining(named)])
  })

  it('are deleted with the domain', async () => {
    const { id } = await server.tools.identity.createDomain({ name: 'short-lived' })
    await setDomain({ compute: { cores: { limit: 1 } } }, operator, id)
    const rows = () => server.sql.query("select id from resource where kind = 'quota' and id = $1", [id])
    expect(await rows()).toHaveLength(1)
    await server.fetch(
      { ...domainQuotas.view, verb: 'DELETE', path: '/api/v2/domains/:id' } as never,
      {
        as: operator,
        params: { id },
      } as never,
    )
    expect(await rows()).toEqual([])
  })
})

it('lists the quotas that can be set, for the console', async () => {
  const { settable_quotas } = await server.call(session.meta, { as: place.admin })
  expect(settable_quotas).toEqual({
    of_projects: [
      ...['instances', 'vcpus', 'ram', 'images', 'image_storage', 'volumes', 'storage', 'volumes_backups'],
      ...['networks', 'subnets', 'ports', 'routers', 'floatingip', 'security_groups', 'security_group_rules'],
      ...['ipsec_site_connection', 'loadbalancer'],
    ],
    of_domains: ['vcpus', 'ram', 'storage'],
  })
})
