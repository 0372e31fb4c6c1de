import { GiB } from '@mainstay/contract/core/bytes'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { refusal } from '../conformance/cloud'
import { networkingQuotasOf, quotaLimits, storageQuotasOf } from './quotas'
import { startEngineFixture, type EngineFixture } from './testing/engine-fixture'

let fixture: EngineFixture
const told: [service: string, project: string, set: object][] = []
const project = { project_id: 'p1', domain_id: 'd1' }

beforeEach(async () => {
  fixture = await startEngineFixture([])
  told.length = 0
  for (const service of ['compute', 'volume'] as const)
    fixture.cloud.on(service, 'PUT', '/os-quota-sets/:id', ({ params, body }) => {
      told.push([service, params['id']!, (body as { quota_set: object }).quota_set])
      return { body: {} }
    })
  fixture.cloud.on('network', 'PUT', '/quotas/:id', ({ params, body }) => {
    told.push(['network', params['id']!, (body as { quota: object }).quota])
    return { body: {} }
  })
})
afterEach(() => fixture.close())

test("sets each service's own limits in its own units", async () => {
  const { setOfProject } = quotaLimits(fixture.engine)
  await setOfProject(fixture.operator, project, { vcpus: 8, ram: 512, storage: 5 * GiB, volumes: -1 })
  expect(told).toEqual([
    ['compute', 'p1', { cores: 8, ram: 512, force: true }],
    ['volume', 'p1', { gigabytes: 5, volumes: -1 }],
  ])
  await setOfProject(fixture.operator, project, { instances: 0 })
  expect(told.slice(2)).toEqual([['compute', 'p1', { instances: 0, force: true }]])
  await setOfProject(fixture.operator, project, { networks: 3, floatingip: -1 })
  expect(told.slice(3)).toEqual([['network', 'p1', { network: 3, floatingip: -1 }]])
  await setOfProject(fixture.operator, project, { volumes_backups: 20 * GiB })
  expect(told.slice(4)).toEqual([['volume', 'p1', { backup_gigabytes: 20 }]])
})

test('counts reserved amounts as used, and reports zero for quotas that the cloud lacks', async () => {
  fixture.cloud.on('network', 'GET', '/quotas/:id/details', ({ params }) => ({
    body: {
      quota: {
        network: { limit: 10, used: 2, reserved: 1 },
        port: { limit: -1, used: 5, reserved: 0 },
        trunk: { limit: 3, used: 0, reserved: 0 },
      },
      project: params['id'],
    },
  }))
  expect(await networkingQuotasOf(fixture.engine, fixture.member, 'p-demo')).toMatchObject({
    networks: { limit: 10, used: 3 },
    ports: { limit: -1, used: 5 },
    routers: { limit: 0, used: 0 },
  })
  expect(await refusal(networkingQuotasOf(fixture.engine, fixture.stranger, 'p-demo'))).toMatchObject({
    code: 'not_found',
  })
})

test('converts sizes in GiB to bytes, but not the limit for unlimited', async () => {
  const amount = (limit: number, in_use: number) => ({ limit, in_use, reserved: 1 })
  fixture.cloud.on('volume', 'GET', '/os-quota-sets/:id', () => ({
    body: { quota_set: { volumes: amount(10, 2), gigabytes: amount(-1, 4), backup_gigabytes: amount(50, 5) } },
  }))
  expect(await storageQuotasOf(fixture.engine, fixture.member, 'p-demo')).toEqual({
    volumes: { limit: 10, used: 3 },
    storage: { limit: -1, used: 5 * GiB },
    volumes_backups: { limit: 50 * GiB, used: 6 * GiB },
  })
})

test('reports an unsupported limit on its field before calling any service', async () => {
  const refused = quotaLimits(fixture.engine).setOfProject(fixture.operator, project, { vcpus: 1, storage: 1.5 * GiB })
  expect(await refusal(refused)).toMatchObject({
    code: 'validation',
    fields: { 'storage.storage_policies.default.limit': [expect.stringContaining('whole number of GiB')] },
  })
  expect(told).toEqual([])
})

test('refuses limits for images and for domains, which the cloud cannot enforce', async () => {
  const port = quotaLimits(fixture.engine)
  expect(port.ofProjects.toSorted((a, b) => a.localeCompare(b))).toEqual([
    'floatingip',
    'instances',
    'ipsec_site_connection',
    'loadbalancer',
    'networks',
    'ports',
    'ram',
    'routers',
    'security_group_rules',
    'security_groups',
    'storage',
    'subnets',
    'vcpus',
    'volumes',
    'volumes_backups',
  ])
  expect(port.ofDomains).toEqual([])
  expect(await refusal(port.setOfDomain('d1', { vcpus: 1 }))).toMatchObject({ code: 'unsupported' })
  expect(await refusal(port.viewOfDomain('d1'))).toMatchObject({ code: 'unsupported' })
})
