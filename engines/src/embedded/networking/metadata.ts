import type { Instance } from '@mainstay/contract/compute/instances'
import type { FloatingIp } from '@mainstay/contract/networking/floating-ips'
import type { Port } from '@mainstay/contract/networking/ports'
import { versionOf } from '@mainstay/contract/networking/addresses'
import { DNS_DOMAIN } from '../../networking/compile-wanted'
import { networkData, type GuestLink } from '../../networking/guest-config'
import type { Records } from '../../ports/records'
import { getPlan, type InstancePlan } from '../rows/instance-plan'
import type { AnswerMetadata, MetadataResponse } from '../../network-model/wanted'
import { linksOf } from './ports'

/** The data from which a guest's metadata is generated. */
export interface Guest {
  server: Instance
  plan: Pick<InstancePlan, 'hostname' | 'publicKey' | 'userData'>
  /** The port that sent the request. */
  port: Port
  /** All interfaces of the guest. */
  links: GuestLink[]
  floatingIp: string | null
}

type Answer = string | Buffer | null

const json = (value: unknown): string => JSON.stringify(value)
const lines = (names: readonly string[]): string => names.join('\n')
const userDataOf = ({ plan: { userData } }: Guest): Answer => (userData ? Buffer.from(userData, 'base64') : null)
const ipv4Of = (port: Port): string | null =>
  port.fixed_ips.find(({ ip_address }) => versionOf(ip_address) === 4)?.ip_address ?? null

/** Returns EC2 metadata by path below `meta-data/`. A directory lists its entries. */
function ec2Data(guest: Guest): Record<string, string> {
  const { server, plan, port, floatingIp } = guest
  const address = ipv4Of(port)
  return {
    'ami-id': server.image_id ?? 'none',
    hostname: `${plan.hostname}.${DNS_DOMAIN}`,
    'instance-id': server.id,
    'instance-type': server.flavor.original_name,
    'local-hostname': `${plan.hostname}.${DNS_DOMAIN}`,
    ...(address !== null && { 'local-ipv4': address }),
    mac: port.mac_address,
    'placement/availability-zone': 'default',
    'public-hostname': `${plan.hostname}.${DNS_DOMAIN}`,
    ...(floatingIp !== null && { 'public-ipv4': floatingIp }),
    ...(plan.publicKey !== null && { 'public-keys/0/openssh-key': plan.publicKey }),
  }
}

/** Returns the entries of a directory without duplicates; subdirectories end with a slash. */
function membersOf(data: Record<string, string>, branch: string): string[] {
  const below = Object.keys(data).flatMap((path) => (path.startsWith(branch) ? [path.slice(branch.length)] : []))
  return [...new Set(below.map((path) => (path.includes('/') ? `${path.split('/')[0]}/` : path)))]
}

function ec2(guest: Guest, path: string): Answer {
  if (path === '') return lines(['meta-data/', ...(guest.plan.userData ? ['user-data'] : [])])
  if (path === 'user-data') return userDataOf(guest)
  const inside = /^meta-data(?:\/(.*))?$/.exec(path)?.[1]
  if (inside === undefined) return path === 'meta-data' ? lines(membersOf(ec2Data(guest), '')) : null
  const data = ec2Data(guest)
  const leaf = data[inside]
  if (leaf !== undefined) return leaf
  // EC2 lists keys with their index and name
  if (inside === 'public-keys' || inside === 'public-keys/')
    return guest.plan.publicKey === null ? null : `0=${guest.server.key_name ?? 'key'}`
  const members = membersOf(data, inside === '' || inside.endsWith('/') ? inside : `${inside}/`)
  return members.length > 0 ? lines(members) : null
}

const metaData = ({ server, plan }: Guest) => ({
  uuid: server.id,
  name: server.name,
  hostname: `${plan.hostname}.${DNS_DOMAIN}`,
  project_id: server.project_id,
  availability_zone: 'default',
  launch_index: 0,
  meta: server.metadata,
  devices: [],
  ...(plan.publicKey !== null && {
    public_keys: { [server.key_name ?? 'key']: plan.publicKey },
    keys: [{ name: server.key_name ?? 'key', type: 'ssh', data: plan.publicKey }],
  }),
})

const vendorData = ({ server: { username } }: Guest) =>
  username === null
    ? {}
    : { 'cloud-init': `#cloud-config\nsystem_info:\n  default_user:\n    name: ${json(username)}\n` }

function openstack(guest: Guest, path: string): Answer {
  switch (path) {
    case '':
      return lines([
        ...['meta_data.json', 'network_data.json', 'vendor_data.json', 'vendor_data2.json'],
        ...(guest.plan.userData ? ['user_data'] : []),
      ])
    case 'meta_data.json':
      return json(metaData(guest))
    case 'network_data.json':
      return json(networkData(guest.links))
    case 'vendor_data.json':
      return json(vendorData(guest))
    case 'vendor_data2.json':
      return json({})
    case 'user_data':
      return userDataOf(guest)
    default:
      return null
  }
}

const ec2Versions = ['2009-04-04', 'latest']
const openstackVersions = ['2018-08-27', 'latest']

/** Returns the metadata at a path, in EC2 or OpenStack format, or null if the path does not exist. */
export function metadataAt(guest: Guest, address: string): Answer {
  const [, first = '', ...rest] = (address.split('?')[0] ?? '').replace(/\/$/, '').split('/')
  const path = rest.join('/')
  if (first === '') return lines([...ec2Versions])
  if (ec2Versions.includes(first)) return ec2(guest, path)
  if (first !== 'openstack') return null
  const [version = '', ...below] = rest
  if (version === '') return lines(openstackVersions)
  return openstackVersions.includes(version) || /^20\d\d-\d\d-\d\d$/.test(version)
    ? openstack(guest, below.join('/'))
    : null
}

const isJson = (path: string): boolean => /\.json($|\?)/.test(path)
const notThere: MetadataResponse = { status: 404, headers: { 'content-type': 'text/plain' }, body: 'Not found\n' }

/** Serves the metadata for the port that sends the request. Ports without an instance get a 404 response. */
export const answerMetadata =
  (records: Records): AnswerMetadata =>
  async ({ portId, method, path }) => {
    if (method !== 'GET' && method !== 'HEAD')
      return { status: 405, headers: { allow: 'GET, HEAD', 'content-type': 'text/plain' }, body: 'Only GET\n' }
    const guest = portId === null ? null : await guestAt(records, portId)
    const body = guest && metadataAt(guest, path)
    if (body === null) return notThere
    const type = isJson(path)
      ? 'application/json'
      : typeof body === 'string'
        ? 'text/plain'
        : 'application/octet-stream'
    return { status: 200, headers: { 'content-type': type }, body: method === 'HEAD' ? '' : body }
  }

const guestAt = (records: Records, portId: string): Promise<Guest | null> =>
  records.transaction(async (tx) => {
    const port = await tx.get<Port>('port', portId)
    const server = port && (await tx.get<Instance>('server', port.device_id))
    if (!port || !server) return null
    const [first] = port.floating_ips
    const floating = first === undefined ? null : await tx.get<FloatingIp>('floating_ip', first)
    const plan = await getPlan(tx, server.id)
    return { server, plan, port, links: await linksOf(tx, server), floatingIp: floating?.floating_ip_address ?? null }
  })
