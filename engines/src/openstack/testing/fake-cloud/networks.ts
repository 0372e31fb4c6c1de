import { randomUUID } from 'node:crypto'
import { recordedRow } from './recorded-rows'
import type { FakeCloud, Reply } from './cloud'

export interface FakePort {
  id: string
  network_id: string
  project_id: string
  device_id: string
  device_owner: string
  description: string
  mac_address: string
  fixed_ips: { subnet_id: string; ip_address: string }[]
  created_at: string
}

export interface FakeNetworks {
  ports: Map<string, FakePort>
  /** Adds a port to the network `n1`, whose subnet is 10.0.0.0/24. */
  add(port?: Partial<FakePort>): FakePort
}

/** Returns an error in the format of the network service. */
export const networkRefusal = (status: number, type: string, message: string): Reply => ({
  status,
  body: { NeutronError: { type, message, detail: '' } },
})

/**
 * Serves the parts of the network service that instance interfaces use: https://docs.openstack.org/api-ref/network/v2/
 */
export function fakeNetworks(cloud: FakeCloud): FakeNetworks {
  const ports = new Map<string, FakePort>()
  const network = { ...recordedRow('network'), id: 'n1', name: 'private', subnets: ['sub1'] }
  const add: FakeNetworks['add'] = (port = {}) => {
    const place = ports.size + 10
    const made = {
      ...recordedRow('port'),
      id: randomUUID(),
      network_id: network.id,
      project_id: 'p-demo',
      device_id: '',
      device_owner: '',
      description: '',
      mac_address: `fa:16:3e:00:00:${place}`,
      fixed_ips: [{ subnet_id: 'sub1', ip_address: `10.0.0.${place}` }],
      created_at: `2026-11-21T20:00:${place}Z`,
      ...port,
    }
    ports.set(made.id, made)
    return made
  }
  const none = networkRefusal(404, 'PortNotFound', 'Port could not be found.')

  cloud.on('network', 'GET', '/networks', () => ({ body: { networks: [network] } }))
  cloud.on('network', 'GET', '/networks/:id', ({ params }) =>
    params['id'] === network.id
      ? { body: { network } }
      : networkRefusal(404, 'NetworkNotFound', `Network ${params['id']} could not be found.`),
  )
  cloud.on('network', 'GET', '/ports', ({ query }) => {
    const owners = query.getAll('device_id')
    const description = query.get('description')
    const found = [...ports.values()]
      .filter((port) => owners.length === 0 || owners.includes(port.device_id))
      .filter((port) => description === null || port.description === description)
    return { body: { ports: found } }
  })
  cloud.on('network', 'GET', '/ports/:id', ({ params }) => {
    const port = ports.get(params['id']!)
    return port ? { body: { port } } : none
  })
  cloud.on('network', 'POST', '/ports', ({ body }) => {
    const { fixed_ips = [], ...draft } = (body as { port: Partial<FakePort> }).port
    const address = fixed_ips[0]?.ip_address
    if (address && !address.startsWith('10.0.0.')) {
      const why = `IP address ${address} is not a valid IP for any of the subnets on the specified network.`
      return networkRefusal(400, 'InvalidIpForNetwork', why)
    }
    if (address && [...ports.values()].some((port) => port.fixed_ips[0]?.ip_address === address)) {
      const why = `IP address ${address} already allocated in subnet sub1`
      return networkRefusal(409, 'IpAddressAlreadyAllocated', why)
    }
    const made = add({ ...draft, ...(address && { fixed_ips: [{ subnet_id: 'sub1', ip_address: address }] }) })
    return { status: 201, body: { port: made } }
  })
  cloud.on('network', 'DELETE', '/ports/:id', ({ params }) => (ports.delete(params['id']!) ? { status: 204 } : none))
  const many = { limit: 100, used: 0, reserved: 0 }
  cloud.on('network', 'GET', '/quotas/:id/details', () => ({ body: { quota: { network: many, port: many } } }))
  return { ports, add }
}
