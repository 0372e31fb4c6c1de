import { readFile } from 'node:fs/promises'
import { signInPlainly, waitUntil, type PlainClient } from './plain-client'
import type { CloudFixture } from './cloud-fixture'

/*
 * Objects that exist in the cloud while its responses are recorded: some of every kind, in different states, with the
 * names that the specs expect.
 */

const publicKey = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOkBU3ydBHvR9CoLDurNuQ4ZLeb+BuOqZl9WjfaWQRS4 ada@laptop'
type Made<Kind extends string> = Record<Kind, { id: string }>

async function makeImage(ours: PlainClient, file: string): Promise<string> {
  const { id } = await ours.call<{ id: string }>('image', 'POST', '/images', {
    name: 'recorded-image',
    disk_format: 'qcow2',
    container_format: 'bare',
    min_ram: 96,
    tags: ['small', 'boots'],
    os_distro: 'debian',
    os_type: 'linux',
    description: 'A small guest',
    hw_firmware_type: 'uefi',
    os_admin_user: 'root',
    'trait:CUSTOM_FAST': 'required',
  })
  await ours.upload('image', `/images/${id}/file`, await readFile(file))
  // removed again, so that any host can boot servers from the image
  await ours.call('image', 'PATCH', `/images/${id}`, [
    { op: 'remove', path: '/trait:CUSTOM_FAST' },
    { op: 'remove', path: '/hw_firmware_type' },
  ])
  return id
}

const volumeIs = (ours: PlainClient, id: string, status: string) =>
  waitUntil(`volume ${id} to be ${status}`, async () => {
    const { volume } = await ours.call<{ volume: { status: string } }>('volume', 'GET', `/volumes/${id}`)
    return volume.status === status
  })
const serverIs = (ours: PlainClient, id: string, status: string) =>
  waitUntil(`server ${id} to be ${status}`, async () => {
    const { server } = await ours.call<{ server: { status: string } }>('compute', 'GET', `/servers/${id}`)
    return server.status === status
  })

const makeVolume = async (ours: PlainClient, name: string, image: string | null, size: number) => {
  const { volume } = await ours.call<Made<'volume'>>('volume', 'POST', '/volumes', {
    volume: { name, size, description: `The volume ${name}`, ...(image && { imageRef: image }) },
  })
  return volume.id
}

/** Creates a load balancer with all features (amphora) and one that only translates addresses (OVN). */
async function makeBalancers(ours: PlainClient, network: string): Promise<void> {
  if (!ours.has('load-balancer')) return
  interface Subnet {
    id: string
    cidr: string
  }
  const path = `/subnets?network_id=${network}`
  const { subnets } = await ours.call<{ subnets: [Subnet] }>('network', 'GET', path)
  const [{ id, cidr }] = subnets
  const member = (place: number) => ({
    ...{ address: cidr.replace(/0\/.*$/, String(place)), protocol_port: 8080, subnet_id: id },
  })
  const web = await makeBalancer(ours, {
    ...{ name: 'recorded-balancer', description: 'Does everything', provider: 'amphora', vip_subnet_id: id },
  })
  const listener = await web('listeners', 'listener', {
    ...{ name: 'recorded-web', protocol: 'HTTP', protocol_port: 80, allowed_cidrs: ['198.51.100.0/24'] },
    ...{ insert_headers: { 'X-Forwarded-For': 'true' }, connection_limit: 100 },
  })
  const pool = await web('pools', 'pool', {
    ...{ name: 'recorded-web', protocol: 'HTTP', lb_algorithm: 'ROUND_ROBIN', tags: ['mainstay:port=8080'] },
    ...{ listener_id: listener, session_persistence: { type: 'HTTP_COOKIE' } },
  })
  await web('healthmonitors', 'healthmonitor', {
    ...{ name: 'recorded-web', type: 'HTTP', url_path: '/health', pool_id: pool },
    ...{ delay: 5, timeout: 3, max_retries: 3, max_retries_down: 3 },
  })
  await web(`pools/${pool}/members`, 'member', { ...member(81), name: 'one', weight: 3 })
  await web(`pools/${pool}/members`, 'member', { ...member(82), name: 'two', admin_state_up: false })
  const plain = await makeBalancer(ours, { name: 'recorded-translating', provider: 'ovn', vip_subnet_id: id })
  const passing = { name: 'recorded-plain', protocol: 'TCP' }
  const listener_id = await plain('listeners', 'listener', { ...passing, protocol_port: 5432 })
  const behind = await plain('pools', 'pool', { ...passing, lb_algorithm: 'SOURCE_IP_PORT', listener_id })
  await plain(`pools/${behind}/members`, 'member', { ...member(83), name: 'three' })
}

/** Creates a load balancer; returns a function that adds a part to it and waits until it is active again. */
async function makeBalancer(ours: PlainClient, loadbalancer: object) {
  const made = await ours.call<Made<'loadbalancer'>>('load-balancer', 'POST', '/lbaas/loadbalancers', { loadbalancer })
  const { id: loadbalancer_id } = made.loadbalancer
  const atRest = () =>
    waitUntil('the balancer to be at rest', async () => {
      const path = `/lbaas/loadbalancers/${loadbalancer_id}`
      const row = await ours.call<{ loadbalancer: { provisioning_status: string } }>('load-balancer', 'GET', path)
      return row.loadbalancer.provisioning_status === 'ACTIVE'
    })
  await atRest()
  return async (path: string, one: string, draft: object): Promise<string> => {
    const isOwn = one === 'listener' || one === 'pool'
    const body = { [one]: { ...draft, ...(isOwn && { loadbalancer_id }) } }
    const answer = await ours.call<Made<string>>('load-balancer', 'POST', `/lbaas/${path}`, body)
    await atRest()
    return answer[one]!.id
  }
}

/** Creates all objects. `guest`: path to a disk image with any content. */
export async function makeRecordedWorld(fixture: CloudFixture, guest: string): Promise<void> {
  const ours = await signInPlainly(fixture.ours.access)
  const admin = await signInPlainly(fixture.operator.access)
  await makeBalancers(ours, fixture.network)
  await ours.call('compute', 'POST', '/os-keypairs', {
    keypair: { name: 'recorded-key', type: 'ssh', public_key: publicKey },
  })
  const image = await makeImage(ours, guest)
  const boot = await makeVolume(ours, 'recorded-boot', image, 1)
  const data = await makeVolume(ours, 'recorded-data', null, 2)
  await makeVolume(ours, 'recorded-free', null, 1)
  await volumeIs(ours, boot, 'available')
  await volumeIs(ours, data, 'available')

  const create = async (name: string, more: object) => {
    const draft = { name, flavorRef: fixture.flavor, networks: [{ uuid: fixture.network }], ...more }
    return (await ours.call<Made<'server'>>('compute', 'POST', '/servers', { server: draft })).server.id
  }
  const running = await create('recorded-running', {
    description: 'Runs',
    key_name: 'recorded-key',
    metadata: { role: 'web' },
    tags: ['blue', 'green'],
    block_device_mapping_v2: [
      { source_type: 'volume', destination_type: 'volume', uuid: boot, boot_index: 0, delete_on_termination: true },
    ],
  })
  const stopped = await create('recorded-stopped', { imageRef: image })
  await serverIs(ours, running, 'ACTIVE')
  await serverIs(ours, stopped, 'ACTIVE')
  await ours.call('compute', 'POST', `/servers/${running}/os-volume_attachments`, {
    volumeAttachment: { volumeId: data },
  })
  await volumeIs(ours, data, 'in-use')
  await ours.call('compute', 'POST', `/servers/${stopped}/action`, { 'os-stop': null })
  await serverIs(ours, stopped, 'SHUTOFF')
  const broken = await create('recorded-broken', { imageRef: image, networks: 'none', flavorRef: fixture.flavor })
  await serverIs(ours, broken, 'ACTIVE')
  await admin.call('compute', 'POST', `/servers/${broken}/action`, { 'os-resetState': { state: 'error' } })
}
