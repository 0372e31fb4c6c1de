import type { ShownRequest } from './request'

type Body = Record<string, unknown>
/** Block arguments, in order; a list of objects becomes one nested block per object. */
type Block = Record<string, unknown>

interface Reference {
  variable: string
}
const isReference = (value: unknown): value is Reference =>
  typeof value === 'object' && value !== null && 'variable' in value

const text = (value: string) =>
  `"${JSON.stringify(value)
    .slice(1, -1)
    .replaceAll(/([$%])\{/g, '$1$1{')}"`

const isBlock = (value: unknown): value is Block => typeof value === 'object' && value !== null && !Array.isArray(value)

const isDecoded = (value: unknown): value is { decoded: string } =>
  typeof value === 'object' && value !== null && 'decoded' in value

function valueOf(value: unknown): string {
  if (isDecoded(value)) return `base64decode(${text(value.decoded)})`
  if (isReference(value)) return `var.${value.variable}`
  if (typeof value === 'string') return text(value)
  if (Array.isArray(value)) return `[${value.map(valueOf).join(', ')}]`
  if (isBlock(value))
    return `{\n${Object.entries(value)
      .map(([name, inner]) => `    ${text(name)} = ${valueOf(inner)}`)
      .join('\n')}\n  }`
  return String(value)
}

const isSaid = (value: unknown) =>
  value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0)

function linesOf(block: Block, indent = '  '): string[] {
  return Object.entries(block).flatMap(([name, value]) => {
    if (!isSaid(value)) return []
    if (Array.isArray(value) && value.every(isBlock) && !value.some(isReference))
      return value.flatMap((inner) => ['', `${indent}${name} {`, ...linesOf(inner, `${indent}  `), `${indent}}`])
    return [`${indent}${name} = ${valueOf(value)}`]
  })
}

const GiB = 1024 ** 3
const inGib = (bytes: unknown) => (typeof bytes === 'number' ? Math.ceil(bytes / GiB) : undefined)

/** Replaces a secret with a reference to a variable, which is marked sensitive. */
const secretOr = (value: unknown): unknown => {
  const variable = typeof value === 'string' ? /^\0(.+)\0$/.exec(value)?.[1] : undefined
  return variable === undefined ? value : ({ variable: variable.toLowerCase() } satisfies Reference)
}

interface Volume {
  source?: string
  id?: string
  size?: number
  boot_index?: number
  rm?: boolean
}

const destinations: Record<string, string> = { image: 'image', volume: 'volume', snapshot: 'snapshot', blank: 'blank' }

/** Terraform resources by call; calls without a resource are omitted. */
const resources: Record<string, (body: Body) => [type: string, block: Block]> = {
  'instances.create': (body) => [
    'openstack_compute_instance_v2',
    {
      ...(typeof body['count'] === 'number' && body['count'] > 1 && { count: body['count'] }),
      name: body['name'],
      flavor_id: body['flavor'],
      key_pair: body['key_name'],
      // base64 in our API, plain text in Terraform
      user_data: typeof body['user_data'] === 'string' ? { decoded: body['user_data'] } : undefined,
      metadata: body['metadata'],
      network: ((body['networks'] as { id?: string; fixed_ips?: unknown }[] | undefined) ?? []).map(({ id }) => ({
        uuid: id,
      })),
      block_device: ((body['volumes'] as Volume[] | undefined) ?? []).map((volume, at) => ({
        uuid: volume.id,
        source_type: destinations[volume.source ?? ''] ?? volume.source,
        destination_type: 'volume',
        volume_size: inGib(volume.size),
        boot_index: volume.boot_index ?? (at === 0 ? 0 : -1),
        delete_on_termination: volume.rm ?? false,
      })),
    },
  ],
  'volumes.create': (body) => [
    'openstack_blockstorage_volume_v3',
    {
      name: body['name'],
      description: body['description'],
      size: inGib(body['size']),
      image_id: body['image_id'],
      snapshot_id: body['snapshot_id'],
      volume_type: body['storage_policy_name'],
    },
  ],
  'sshKeys.create': (body) => ['openstack_compute_keypair_v2', { name: body['name'], public_key: body['public_key'] }],
  'sshKeys.generate': (body) => ['openstack_compute_keypair_v2', { name: body['name'] }],
  'serverGroups.create': (body) => [
    'openstack_compute_servergroup_v2',
    { name: body['name'], policies: body['policies'] ?? (body['policy'] === undefined ? [] : [body['policy']]) },
  ],
  'flavors.create': (body) => [
    'openstack_compute_flavor_v2',
    { name: body['name'], vcpus: body['vcpus'], ram: body['ram'], disk: body['disk'] ?? 0, is_public: true },
  ],
  'projects.create': (body) => [
    'openstack_identity_project_v3',
    { name: body['name'], description: body['description'], enabled: body['enabled'] },
  ],
  'users.create': (body) => [
    'openstack_identity_user_v3',
    { name: body['name'], description: body['description'], password: secretOr(body['password']) },
  ],
  'groups.create': (body) => ['openstack_identity_group_v3', { name: body['name'], description: body['description'] }],
}

const label = (name: unknown) => {
  const word = (typeof name === 'string' ? name : '').toLowerCase().replaceAll(/[^a-z0-9]+/g, '_')
  return /^[a-z]/.test(word) ? word : `it_${word}`
}

/** The request as Terraform configuration; null if the provider has no resource for it. */
export function terraformOf({ id, body }: ShownRequest): string | null {
  const made = resources[id]?.((body ?? {}) as Body)
  if (!made) return null
  const [type, block] = made
  const variables = Object.values(block)
    .filter(isReference)
    .map(({ variable }) => `variable ${text(variable)} {\n  type      = string\n  sensitive = true\n}\n\n`)
  return `${variables.join('')}resource ${text(type)} ${text(label(block['name']))} {\n${linesOf(block).join('\n')}\n}`
}
