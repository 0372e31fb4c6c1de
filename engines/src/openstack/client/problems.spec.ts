import { GiB } from '@mainstay/contract/core/bytes'
import type { Problem } from '@mainstay/contract/core/problems'
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as z from 'zod'
import { problemOf } from '../testing/outcomes'
import type { Reply } from '../testing/pretended-cloud'
import { type PretendedClient, startPretendedClient } from '../testing/pretended-client'
import type { Service } from './caller'

let client: PretendedClient
beforeAll(async () => {
  client = await startPretendedClient()
})
afterAll(() => client.stop())

function refusalOf(service: Service, reply: Reply): Promise<Problem> {
  client.pretended.on(service, 'POST', '/thing', () => reply)
  return problemOf(client.service().send('POST', service, '/thing', z.void()))
}

const nova = (fault: string, code: number, message: string): Reply => ({
  status: code,
  body: { [fault]: { code, message } },
})
const neutron = (status: number, type: string, message: string): Reply => ({
  status,
  body: { NeutronError: { type, message, detail: '' } },
})
const glance = (status: number, title: string, message: string): Reply => ({
  status,
  body: { message: `${message}<br /><br />\n\n\n`, code: `${status} ${title}`, title },
})
const keystone = (status: number, title: string, message: string): Reply => ({
  status,
  body: { error: { code: status, message, title } },
})

const id = '8c3f3c1e-9f4b-4e0a-8f57-0f6f8d7e3c11'
const refusals: [Service, Reply, string, string][] = [
  [
    'compute',
    nova('badRequest', 400, 'Invalid input for field/attribute name.'),
    'validation',
    'Invalid input for field/attribute name.',
  ],
  [
    'compute',
    nova('itemNotFound', 404, `Instance ${id} could not be found.`),
    'not_found',
    `Instance ${id} could not be found.`,
  ],
  [
    'compute',
    nova('conflictingRequest', 409, `Cannot 'stop' instance ${id} while it is in vm_state stopped`),
    'invalid_state',
    `Cannot 'stop' instance ${id} while it is in vm_state stopped`,
  ],
  ['compute', nova('conflictingRequest', 409, `Instance ${id} is locked`), 'invalid_state', `Instance ${id} is locked`],
  [
    'compute',
    nova('conflictingRequest', 409, `Key pair 'mine' already exists.`),
    'duplicate_name',
    `Key pair 'mine' already exists.`,
  ],
  [
    'compute',
    nova('badRequest', 400, 'No valid host was found. No valid host found for resize'),
    'no_valid_host',
    'No valid host was found. No valid host found for resize',
  ],
  [
    'compute',
    nova('forbidden', 403, `Policy doesn't allow os_compute_api:os-quota-sets:update to be performed.`),
    'forbidden',
    `Policy doesn't allow os_compute_api:os-quota-sets:update to be performed.`,
  ],
  [
    'volume',
    nova('badRequest', 400, 'Invalid volume: Volume status must be available or error, but current status is: in-use.'),
    'invalid_state',
    'Invalid volume: Volume status must be available or error, but current status is: in-use.',
  ],
  [
    'volume',
    nova('badRequest', 400, 'Invalid input received: Invalid volume size provided'),
    'validation',
    'Invalid input received: Invalid volume size provided',
  ],
  [
    'network',
    neutron(
      409,
      'NetworkInUse',
      `Unable to complete operation on network ${id}. There are one or more ports still in use on the network.`,
    ),
    'in_use',
    `Unable to complete operation on network ${id}. There are one or more ports still in use on the network.`,
  ],
  [
    'network',
    neutron(409, 'IpAddressAlreadyAllocated', 'IP address 10.0.0.5 already allocated in subnet a'),
    'ip_address_in_use',
    'IP address 10.0.0.5 already allocated in subnet a',
  ],
  [
    'network',
    neutron(403, 'PolicyNotAuthorized', 'rule:create_port is disallowed by policy'),
    'forbidden',
    'rule:create_port is disallowed by policy',
  ],
  [
    'network',
    neutron(412, 'RevisionNumberConstraintFailed', 'Constrained to 3, but current revision is 4'),
    'changed_meanwhile',
    'Constrained to 3, but current revision is 4',
  ],
  [
    'image',
    glance(403, 'Forbidden', `Image ${id} is protected and cannot be deleted.`),
    'image_protected',
    `Image ${id} is protected and cannot be deleted.`,
  ],
  [
    'image',
    glance(409, 'Conflict', `Image ${id} could not be deleted because it is in use: The image cannot be deleted.`),
    'image_in_use',
    `Image ${id} could not be deleted because it is in use: The image cannot be deleted.`,
  ],
  [
    'image',
    glance(409, 'Conflict', 'Image status transition from active to queued is not allowed'),
    'invalid_state',
    'Image status transition from active to queued is not allowed',
  ],
  [
    'image',
    glance(413, 'Request Entity Too Large', 'Image exceeds the largest size'),
    'too_large',
    'Image exceeds the largest size',
  ],
  [
    'identity',
    keystone(409, 'Conflict', 'Conflict occurred attempting to store project - Duplicate entry found with name demo'),
    'duplicate_name',
    'Conflict occurred attempting to store project - Duplicate entry found with name demo',
  ],
  [
    'identity',
    keystone(403, 'Forbidden', 'You are not authorized to perform the requested action: identity:create_user.'),
    'forbidden',
    'You are not authorized to perform the requested action: identity:create_user.',
  ],
  [
    'placement',
    {
      status: 404,
      body: {
        errors: [{ status: 404, title: 'Not Found', detail: 'No resource provider', code: 'placement.undefined_code' }],
      },
    },
    'not_found',
    'No resource provider',
  ],
  [
    'compute',
    {
      status: 406,
      body: { errors: [{ status: 406, title: 'Not Acceptable', detail: 'Version 2.99 is not supported by the API.' }] },
    },
    'unsupported',
    'Version 2.99 is not supported by the API.',
  ],
  [
    'compute',
    nova('computeFault', 500, `Unexpected API Error. <class 'oslo_db.exception.DBConnectionError'>`),
    'engine_unavailable',
    'The compute service failed (500): Unexpected API Error.',
  ],
]

test.each(refusals)('%s: a refusal is told with its reason (%#)', async (service, reply, code, message) => {
  const problem = await refusalOf(service, reply)
  expect(problem).toMatchObject({ code, message, data: { service, status: reply.status } })
  expect(problem.data['cloud_request_id']).toMatch(/^req-[\da-f-]{36}$/)
})

const quotas: [Service, Reply, object][] = [
  [
    'compute',
    nova(
      'forbidden',
      403,
      'Quota exceeded for cores, ram: Requested 4, 8192, but already used 18, 40000 of 20, 51200 cores, ram',
    ),
    { resource: 'vcpus', limit: 20, used: 18, requested: 4 },
  ],
  [
    'compute',
    nova('forbidden', 403, 'Quota exceeded for instances: Requested 1, but already used 10 of 10 instances'),
    { resource: 'instances', limit: 10, used: 10, requested: 1 },
  ],
  [
    'compute',
    nova(
      'forbidden',
      403,
      `Project 1f is over a limit for [Resource class:MEMORY_MB is over limit of 512 due to current usage 512 and delta 64]`,
    ),
    { resource: 'ram', limit: 512, used: 512, requested: 64 },
  ],
  ['compute', nova('forbidden', 403, 'Quota exceeded, too many key pairs.'), {}],
  ['compute', nova('forbidden', 403, 'Maximum number of metadata items exceeds 1'), {}],
  [
    'volume',
    nova('overLimit', 413, "VolumeLimitExceeded: Maximum number of volumes allowed (10) exceeded for quota 'volumes'."),
    { resource: 'volumes', limit: 10 },
  ],
  [
    'volume',
    nova(
      'overLimit',
      413,
      'VolumeSizeExceedsAvailableQuota: Requested volume or snapshot exceeds allowed gigabytes quota. Requested 10G, quota is 1000G and 995G has been consumed.',
    ),
    { resource: 'storage', limit: 1000 * GiB, used: 995 * GiB, requested: 10 * GiB },
  ],
  ['network', neutron(409, 'OverQuota', `Quota exceeded for resources: ['port'].`), { resource: 'port' }],
  [
    'image',
    glance(
      413,
      'Request Entity Too Large',
      'Project 1f is over a limit for [Resource image_count_total is over limit of 2 due to current usage 2 and delta 1]',
    ),
    { resource: 'images', limit: 2, used: 2, requested: 1 },
  ],
]
test.each(quotas)('%s: an exceeded quota is told with its numbers (%#)', async (service, reply, numbers) => {
  const problem = await refusalOf(service, reply)
  expect(problem.code).toBe('quota_exceeded')
  const { service: _, status: __, cloud_request_id: ___, ...told } = problem.data
  expect(told).toEqual(numbers)
})

test('answers of something that is not the service are no refusals: nothing is "not found" by them', async () => {
  const strange = { 'x-openstack-request-id': '', 'content-type': 'text/html' }
  for (const status of [404, 403, 409, 500, 502, 503, 504]) {
    const problem = await refusalOf('compute', { status, headers: strange, text: '<html><h1>Not here</h1></html>' })
    expect(problem).toMatchObject({
      code: 'engine_unavailable',
      message: `The compute service answered ${status} without a reason`,
    })
  }
})

test('a redirect is not followed', async () => {
  const problem = await refusalOf('network', {
    status: 302,
    headers: { location: `${client.pretended.endpoints.network}/thing` },
  })
  expect(problem).toMatchObject({
    code: 'engine_unavailable',
    message: 'The network service sends elsewhere (302), which is not followed',
  })
})

test('no token and no password is told, whatever the cloud repeats', async () => {
  let token = ''
  client.pretended.on('compute', 'POST', '/thing', ({ headers }) => {
    token = String(headers['x-auth-token'])
    const said = `Bad call with ${token}, other gAAAAABlongenoughtobeafernettoken12, {"adminPass": "hunter22"}`
    return nova('badRequest', 400, said)
  })
  const error = await problemOf(client.service().send('POST', 'compute', '/thing', z.void()))
  expect(error.message).toBe('Bad call with [hidden], other [hidden], {"adminPass": "[hidden]"}')
  expect(token).not.toBe('')
  expect(JSON.stringify([error.message, error.data, error.cause])).not.toContain(token)
})

test('a long reason is cut', async () => {
  const problem = await refusalOf('compute', nova('badRequest', 400, 'x'.repeat(10_000)))
  expect(problem.message.length).toBeLessThan(600)
})
