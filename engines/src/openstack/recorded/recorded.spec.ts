import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { Flavor } from '@mainstay/contract/compute/flavors'
import { Image } from '@mainstay/contract/compute/images'
import { Instance } from '@mainstay/contract/compute/instances'
import { SshKey } from '@mainstay/contract/compute/ssh-keys'
import { GiB } from '@mainstay/contract/core/bytes'
import { LoadBalancer } from '@mainstay/contract/load-balancing/load-balancers'
import { LoadBalancerPool } from '@mainstay/contract/load-balancing/pools'
import { Network } from '@mainstay/contract/networking/networks'
import { Subnet } from '@mainstay/contract/networking/subnets'
import { Volume } from '@mainstay/contract/storage/volumes'
import { expect, onTestFinished, test } from 'vitest'
import type * as z from 'zod'
import { flavorReader } from '../compute/flavors/shape'
import { imageReader } from '../compute/images/shape'
import { instanceReader } from '../compute/instances/reader'
import { sshKeyReader } from '../compute/ssh-keys/shape'
import type { KindReader } from '../kind-reader'
import { loadBalancerReader } from '../load-balancing/balancers/reader'
import { lbPoolReader } from '../load-balancing/pools/reader'
import { networkReader } from '../networking/networks/reader'
import { subnetReader } from '../networking/subnets/reader'
import { volumeReader } from '../storage/volumes/shape'
import { openReplay, type Exchange } from '../testing/recorded'
import type { CloudAccess } from '../testing/plain-client'
import { nobody, readKind, readPeople } from './reading-kinds'

/* Rows built from responses that were recorded from a real cloud; see `record.cloud.spec.ts`. */

const here = path.dirname(fileURLToPath(import.meta.url))
const exchangesOf = (name: string) => JSON.parse(readFileSync(path.join(here, `${name}.json`), 'utf8')) as Exchange[]

async function replayOf(name: string): Promise<{ access: CloudAccess; missed: string[] }> {
  const { authUrl, missed, close } = await openReplay(exchangesOf(name))
  onTestFinished(close)
  const anybody = { username: 'anybody', password: 'anything', userDomain: 'Default' }
  return { access: { authUrl, ...anybody, projectName: 'any', projectDomain: 'Default', region: null }, missed }
}

/**
 * Returns the recorded rows by name. Checks all rows against the contract, and checks that reading them one by one
 * gives the same rows.
 */
async function rowsOf<Row extends { id: string; name: string; [field: string]: unknown }>(
  reader: KindReader<Row>,
  shape: z.ZodType<Row>,
): Promise<Record<string, Row>> {
  const { access, missed } = await replayOf(reader.kind)
  const { all, some } = await readKind(access, reader)
  expect(missed).toEqual([])
  expect(all.length).toBeGreaterThan(0)
  for (const row of all) expect(shape.parse(row)).toEqual(row)
  expect(some.get(nobody)).toBeNull()
  const alone = [...some.values()].filter((row) => row !== null)
  expect(alone.length).toBeGreaterThan(0)
  for (const row of alone) expect(row).toEqual(all.find(({ id }) => id === row.id))
  return Object.fromEntries(alone.map((row) => [row.name.replace(/^(conformance-)?recorded-/, ''), row]))
}

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/)
const text = expect.stringMatching(/./)

test('reads servers with flavor, ordered volumes, interfaces, tags and faults', async () => {
  const { running, stopped, broken } = await rowsOf(instanceReader, Instance)
  expect(running).toMatchObject({
    status: 'ACTIVE',
    task_state: null,
    description: 'Runs',
    flavor: { id: text, original_name: 'conformance-recorded-small', vcpus: 1, ram: 128 },
    volumes: [
      { name: 'recorded-boot', size: GiB, boot_index: 0, device: 'vda', delete_on_termination: true },
      { name: 'recorded-data', size: 2 * GiB, boot_index: null, device: 'vdb', delete_on_termination: false },
    ],
    network_data: [
      {
        network_name: 'conformance-recorded-net',
        mac_addr: expect.stringMatching(/^fa:16:3e:/),
        fixed_ips: [{ ip_address: expect.stringMatching(/^10\.91\.\d+\.\d+$/) }],
      },
    ],
    image_name: 'recorded-image',
    os_distro: 'debian',
    key_name: 'recorded-key',
    metadata: { role: 'web' },
    tags: ['blue', 'green'],
    host_status: 'UP',
    fault: null,
    created: time,
    updated: time,
  })
  expect(stopped).toMatchObject({ status: 'SHUTOFF', volumes: [], image_name: 'recorded-image', tags: [] })
  expect(broken).toMatchObject({ status: 'ERROR', network_data: [] })
})

test('reads flavors with sizes and visibility', async () => {
  const { small, larger } = await rowsOf(flavorReader, Flavor)
  expect(small).toMatchObject({ vcpus: 1, ram: 128, swap: 0, is_public: true, extra_specs: {} })
  expect(larger).toMatchObject({ vcpus: 1, ram: 192 })
})

test('reads keys with their type and the fingerprint that ssh-keygen prints', async () => {
  const { key } = await rowsOf(sshKeyReader, SshKey)
  expect(key).toMatchObject({
    type: 'ed25519',
    fingerprint: 'SHA256:BN2XSKQzgAgLEVSs0B00VODE8WUFXSi6YBj29YJUmUE',
    weak: false,
    created_at: time,
  })
})

test('reads images with sizes, operating system, tags and properties', async () => {
  const { image } = await rowsOf(imageReader, Image)
  expect(image).toMatchObject({
    status: 'active',
    description: 'A small guest',
    disk_format: 'qcow2',
    type: 'template',
    os_distro: 'debian',
    os_type: 'linux',
    tags: ['boots', 'small'],
    min_ram: 96,
    min_disk: 1,
    visibility: 'private',
    protected: false,
    username: 'root',
    created_at: time,
  })
  expect(image!.size).toBeGreaterThan(1024 ** 2)
  expect(image!.virtual_size).toBeGreaterThan(image!.size!)
})

test('reads volumes with sizes in bytes, attachments and source image', async () => {
  const { boot, data, free } = await rowsOf(volumeReader, Volume)
  expect(boot).toMatchObject({
    status: 'in-use',
    size: GiB,
    bootable: true,
    image_name: 'recorded-image',
    attachments: [{ server_name: 'recorded-running', device: 'vda', attached_at: time }],
    description: 'The volume recorded-boot',
  })
  expect(data).toMatchObject({ size: 2 * GiB, bootable: false, attachments: [{ device: 'vdb' }], image_id: null })
  expect(free).toMatchObject({ status: 'available', attachments: [], fault: null, created_at: time })
})

test('reads networks and subnets with addresses and the projects they are shared with', async () => {
  const { net } = await rowsOf(networkReader, Network)
  expect(net).toMatchObject({ status: 'ACTIVE', shared: true, router_external: false, ipam_enabled: true })
  const subnets = await rowsOf(subnetReader, Subnet)
  // the network and its subnets have the same policies
  expect(net!.rbac_policies).toEqual(subnets['net']!.rbac_policies)
  expect(net!.subnets).toEqual([{ ...subnets['net'], rbac_policies: undefined }])
  expect(subnets['net']).toMatchObject({
    network_id: net!.id,
    cidr: expect.stringMatching(/^10\.91\.\d+\.0\/24$/),
    ip_version: 4,
    gateway_ip: null,
    enable_dhcp: true,
  })
})

test('reads a user with their roles in projects, the project and its domain', async () => {
  const idIn = (kind: string) =>
    exchangesOf('people')
      .map(({ request }) => new RegExp(`/v3/${kind}/([0-9a-f]{32})$`).exec(request)?.[1])
      .find((id) => id !== undefined) ?? ''
  const [userId, projectId] = [idIn('users'), idIn('projects')]
  const { access, missed } = await replayOf('people')
  const people = await readPeople(access, userId, projectId)
  expect(missed).toEqual([])
  expect(people.user).toMatchObject({
    id: userId,
    name: 'conformance-recorded-ours',
    enabled: true,
    roles: [],
    assigned_projects: [{ project_id: projectId, role: 'project_member' }],
    identity_provider: null,
  })
  expect(people.project).toMatchObject({ id: projectId, name: 'conformance-recorded-ours', enabled: true })
  expect(people.domain).toMatchObject({ id: people.project!.domain_id, name: 'Default' })
  expect(people.enterable).toMatchObject([{ id: projectId, domain_name: 'Default' }])
  expect(people.nobody).toEqual([null, null])
})

test('reads load balancers with provider, address and pools', async () => {
  const { balancer, translating } = await rowsOf(loadBalancerReader, LoadBalancer)
  expect(balancer).toMatchObject({
    ...{ name: 'recorded-balancer', description: 'Does everything', status: 'ACTIVE', fault: null, enabled: true },
    ...{ provider: 'amphora', ip_version: 4, network_name: 'conformance-recorded-net', floating_ip: null, foreign: [] },
    ...{ amphorae: [{ role: 'STANDALONE', active: true }], pools: [{ name: 'recorded-web' }], ha_enabled: false },
    ...{ address: text, port_id: text, created_at: time, updated_at: time },
  })
  expect(translating).toMatchObject({ provider: 'ovn', amphorae: [], pools: [{ name: 'recorded-plain' }] })
})

test('reads pools with listener, members and health check', async () => {
  const { web, plain } = await rowsOf(lbPoolReader, LoadBalancerPool)
  expect(web).toMatchObject({
    ...{ status: 'ACTIVE', loadbalancer_name: 'recorded-balancer', protocol: 'HTTP', protocol_port: 80 },
    ...{ backend_protocol: 'HTTP', backend_protocol_port: 8080, lb_algorithm: 'ROUND_ROBIN', sticky_session: true },
    ...{ connection_limit: 100, allowed_cidrs: ['198.51.100.0/24'], insert_headers: { 'X-Forwarded-For': true } },
    healthmonitor: { type: 'HTTP', url_path: '/health', delay: 5, timeout: 3, max_retries: 3, enabled: true },
    ...{ foreign: ['The health check expects the status 200'], members_count: 2, members_healthy: 1 },
  })
  expect(web!.members).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ name: 'one', weight: 3, health: 'UNKNOWN' }),
      expect.objectContaining({ name: 'two', enabled: false, health: 'DISABLED' }),
    ]),
  )
  expect(plain).toMatchObject({ protocol: 'TCP', lb_algorithm: 'SOURCE_IP_PORT', members: [{ name: 'three' }] })
})
