import type { Problem } from '@mainstay/contract/core/problems'
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as z from 'zod'
import { problemOf } from '../testing/outcomes'
import type { Reply } from '../testing/fake-cloud/cloud'
import { type ClientFixture, startClientFixture } from '../testing/client-fixture'
import { glanceRefusal, keystoneRefusal, neutronRefusal, novaRefusal } from '../testing/fake-cloud/refusals'
import type { Service } from './service-client'

let client: ClientFixture
beforeAll(async () => {
  client = await startClientFixture()
})
afterAll(() => client.stop())

function refusalOf(service: Service, reply: Reply): Promise<Problem> {
  client.fake.on(service, 'POST', '/thing', () => reply)
  return problemOf(client.service().send('POST', service, '/thing', z.void()))
}

const id = '8c3f3c1e-9f4b-4e0a-8f57-0f6f8d7e3c11'
const refusals: [Service, Reply, string, string][] = [
  [
    'compute',
    novaRefusal('badRequest', 400, 'Invalid input for field/attribute name.'),
    'validation',
    'Invalid input for field/attribute name.',
  ],
  [
    'compute',
    novaRefusal('itemNotFound', 404, `Instance ${id} could not be found.`),
    'not_found',
    `Instance ${id} could not be found.`,
  ],
  [
    'compute',
    novaRefusal('conflictingRequest', 409, `Cannot 'stop' instance ${id} while it is in vm_state stopped`),
    'invalid_state',
    `Cannot 'stop' instance ${id} while it is in vm_state stopped`,
  ],
  [
    'compute',
    novaRefusal('conflictingRequest', 409, `Instance ${id} is locked`),
    'invalid_state',
    `Instance ${id} is locked`,
  ],
  [
    'compute',
    novaRefusal('conflictingRequest', 409, `Key pair 'mine' already exists.`),
    'duplicate_name',
    `Key pair 'mine' already exists.`,
  ],
  [
    'compute',
    novaRefusal('badRequest', 400, 'No valid host was found. No valid host found for resize'),
    'no_valid_host',
    'No valid host was found. No valid host found for resize',
  ],
  [
    'compute',
    novaRefusal('forbidden', 403, `Policy doesn't allow os_compute_api:os-quota-sets:update to be performed.`),
    'forbidden',
    `Policy doesn't allow os_compute_api:os-quota-sets:update to be performed.`,
  ],
  [
    'volume',
    novaRefusal(
      'badRequest',
      400,
      'Invalid volume: Volume status must be available or error, but current status is: in-use.',
    ),
    'invalid_state',
    'Invalid volume: Volume status must be available or error, but current status is: in-use.',
  ],
  [
    'volume',
    novaRefusal('badRequest', 400, 'Invalid input received: Invalid volume size provided'),
    'validation',
    'Invalid input received: Invalid volume size provided',
  ],
  [
    'network',
    neutronRefusal(
      409,
      'NetworkInUse',
      `Unable to complete operation on network ${id}. There are one or more ports still in use on the network.`,
    ),
    'network_in_use',
    `Unable to complete operation on network ${id}. There are one or more ports still in use on the network.`,
  ],
  [
    'network',
    neutronRefusal(409, 'IpAddressAlreadyAllocated', 'IP address 10.0.0.5 already allocated in subnet a'),
    'ip_address_in_use',
    'IP address 10.0.0.5 already allocated in subnet a',
  ],
  [
    'network',
    neutronRefusal(403, 'PolicyNotAuthorized', 'rule:create_port is disallowed by policy'),
    'forbidden',
    'rule:create_port is disallowed by policy',
  ],
  [
    'network',
    neutronRefusal(412, 'RevisionNumberConstraintFailed', 'Constrained to 3, but current revision is 4'),
    'changed_meanwhile',
    'Constrained to 3, but current revision is 4',
  ],
  [
    'image',
    glanceRefusal(403, 'Forbidden', `Image ${id} is protected and cannot be deleted.`),
    'image_protected',
    `Image ${id} is protected and cannot be deleted.`,
  ],
  [
    'image',
    glanceRefusal(
      409,
      'Conflict',
      `Image ${id} could not be deleted because it is in use: The image cannot be deleted.`,
    ),
    'image_in_use',
    `Image ${id} could not be deleted because it is in use: The image cannot be deleted.`,
  ],
  [
    'image',
    glanceRefusal(409, 'Conflict', 'Image status transition from active to queued is not allowed'),
    'invalid_state',
    'Image status transition from active to queued is not allowed',
  ],
  [
    'image',
    glanceRefusal(413, 'Request Entity Too Large', 'Image exceeds the largest size'),
    'too_large',
    'Image exceeds the largest size',
  ],
  [
    'identity',
    keystoneRefusal(
      409,
      'Conflict',
      'Conflict occurred attempting to store project - Duplicate entry found with name demo',
    ),
    'duplicate_name',
    'Conflict occurred attempting to store project - Duplicate entry found with name demo',
  ],
  [
    'identity',
    keystoneRefusal(403, 'Forbidden', 'You are not authorized to perform the requested action: identity:create_user.'),
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
    novaRefusal('computeFault', 500, `Unexpected API Error. <class 'oslo_db.exception.DBConnectionError'>`),
    'engine_unavailable',
    'The compute service failed (500): Unexpected API Error.',
  ],
]

test.each(refusals)('%s: reports an error with its reason (%#)', async (service, reply, code, message) => {
  const problem = await refusalOf(service, reply)
  expect(problem).toMatchObject({ code, message, data: { service, status: reply.status } })
  expect(problem.data['cloud_request_id']).toMatch(/^req-[\da-f-]{36}$/)
})

/** Neutron errors by type, with their messages in the Zed release. */
const faultsOfNetworks: [status: number, type: string, words: string, code: string][] = [
  [
    409,
    'SubnetInUse',
    'Unable to complete operation on subnet s: One or more ports have an IP allocation.',
    'subnet_in_use',
  ],
  [409, 'RouterInUse', 'Router r still has ports', 'router_in_use'],
  [409, 'RouterInterfaceInUseByFloatingIP', 'Router interface cannot be deleted', 'router_interface_in_use'],
  [409, 'RouterInterfaceInUseByRoute', 'Router interface cannot be deleted', 'router_interface_in_use'],
  [409, 'RbacPolicyInUse', 'RBAC policy on object n cannot be removed', 'network_in_use'],
  [409, 'VlanIdInUse', 'The VLAN 7 on physical network p is in use.', 'vlan_in_use'],
  [409, 'FlatNetworkInUse', 'Physical network p is in use.', 'vlan_in_use'],
  [409, 'IpAddressGenerationFailure', 'No more IP addresses available on network n.', 'no_free_addresses'],
  [400, 'ExternalIpAddressExhausted', 'Unable to find any IP address on external network n.', 'no_free_addresses'],
  [409, 'MacAddressInUse', 'The mac address fa:16:3e:00:00:01 is in use.', 'conflict'],
  [404, 'ExternalGatewayForFloatingIPNotFound', 'External network n is not reachable from subnet s.', 'not_routable'],
  [409, 'FloatingIPPortAlreadyAssociated', 'Cannot associate floating IP', 'port_already_has_fip'],
  [409, 'SecurityGroupInUse', 'Security Group g in use.', 'security_group_in_use'],
  [409, 'SecurityGroupCannotRemoveDefault', 'Insufficient rights', 'security_group_protected'],
  [409, 'PortInUseAsTrunkParent', 'Port p is currently a parent port for trunk t.', 'port_in_use'],
  [409, 'GatewayConflictWithAllocationPools', 'Gateway ip conflicts with allocation pool', 'gateway_in_pool'],
  [400, 'InvalidInput', 'Requested subnet with cidr: c for network: n overlaps with another subnet.', 'cidr_overlaps'],
  [400, 'BadRequest', 'Cidr c of subnet s overlaps with cidr d of subnet t.', 'overlapping_subnet'],
  [
    400,
    'InvalidInput',
    "Invalid input for operation: physical_network 'p' unknown for flat provider network.",
    'no_vm_public',
  ],
  [
    400,
    'InvalidRoutes',
    'Invalid format for routes: [], the nexthop is not connected with router',
    'nexthop_unreachable',
  ],
  [400, 'InvalidInput', 'Invalid input for operation: a word.', 'validation'],
  [409, 'OverQuota', "Quota exceeded for resources: ['floatingip'].", 'quota_exceeded'],
]
test.each(faultsOfNetworks)('maps a Neutron error to its own code: %i %s', async (status, type, words, code) => {
  expect(await refusalOf('network', neutronRefusal(status, type, words))).toMatchObject({ code, message: words })
  // status 500 means that the service failed, regardless of the message
  expect(await refusalOf('network', neutronRefusal(500, type, words))).toMatchObject({ code: 'engine_unavailable' })
})

test('treats an error page that does not come from the service as an outage, never as "not found"', async () => {
  const strange = { 'x-openstack-request-id': '', 'content-type': 'text/html' }
  for (const status of [404, 403, 409, 500, 502, 503, 504]) {
    const problem = await refusalOf('compute', { status, headers: strange, text: '<html><h1>Not here</h1></html>' })
    expect(problem).toMatchObject({
      code: 'engine_unavailable',
      message: `The compute service returned ${status} without a reason`,
    })
  }
})

test('does not follow a redirect', async () => {
  const problem = await refusalOf('network', {
    status: 302,
    headers: { location: `${client.fake.endpoints.network}/thing` },
  })
  expect(problem).toMatchObject({
    code: 'engine_unavailable',
    message: 'The network service returned a redirect (302). Redirects are not followed.',
  })
})

test('hides tokens and passwords that the cloud includes in an error', async () => {
  let token = ''
  client.fake.on('compute', 'POST', '/thing', ({ headers }) => {
    token = String(headers['x-auth-token'])
    const said = `Bad call with ${token}, other gAAAAABlongenoughtobeafernettoken12, {"adminPass": "hunter22"}`
    return novaRefusal('badRequest', 400, said)
  })
  const error = await problemOf(client.service().send('POST', 'compute', '/thing', z.void()))
  expect(error.message).toBe('Bad call with [hidden], other [hidden], {"adminPass": "[hidden]"}')
  expect(token).not.toBe('')
  expect(JSON.stringify([error.message, error.data, error.cause])).not.toContain(token)
})

test('truncates a long reason', async () => {
  const problem = await refusalOf('compute', novaRefusal('badRequest', 400, 'x'.repeat(10_000)))
  expect(problem.message.length).toBeLessThan(600)
})
