import type { Instance } from '@mainstay/contract/compute/instances'

const statuses = [
  'ACTIVE',
  'ACTIVE',
  'ACTIVE',
  'ACTIVE',
  'ACTIVE',
  'ACTIVE',
  'ACTIVE',
  'SHUTOFF',
  'SHUTOFF',
  'PAUSED',
] as const
const flavors = [
  [1, 1024],
  [2, 2048],
  [4, 8192],
  [8, 16384],
] as const
const roles = ['web', 'db', 'cache', 'worker', 'build', 'mail']

/** Returns a generator of deterministic pseudorandom numbers in [0, 1), so that every run uses the same data. */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/**
 * Generates instance number `index` of a large cloud. 1 % of the instances are in `project-small`, the others in
 * `project`.
 */
export function instanceRow(index: number, project: string): Instance {
  const next = random(index * 7919 + 1)
  // the first numbers from this generator are similar for adjacent seeds
  for (let skip = 0; skip < 4; skip++) next()
  const hex = (length: number): string => Array.from({ length }, () => Math.floor(next() * 16).toString(16)).join('')
  const id = `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(4)}${index.toString(16).padStart(8, '0')}`
  const [vcpus, ram] = flavors[Math.floor(next() * flavors.length)]!
  const status = index % 1000 === 7 ? 'ERROR' : statuses[Math.floor(next() * statuses.length)]!
  const active = status === 'ACTIVE'
  const created = new Date(Date.UTC(2024, 0, 1) + index * 60_000).toISOString()
  const address = `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`
  const network = `network-${index % 200}`
  return {
    id,
    name: `${roles[Math.floor(next() * roles.length)]}-${index}`,
    description: index % 10 === 0 ? `Runs the shop of customer ${index % 977}` : '',
    status,
    task_state: index % 500 === 3 ? 'powering-off' : null,
    host_status: 'UP',
    host: `node-${index % 64}`,
    flavor: {
      original_name: `m${vcpus}`,
      vcpus,
      ram,
      disk: 0,
      ephemeral: 0,
      swap: 0,
      extra_specs: {},
    } as unknown as Instance['flavor'],
    volumes: [
      {
        id: `volume-${index}`,
        name: 'root',
        size: 2 ** 30 * 10,
        delete_on_termination: true,
        boot_index: 0,
        device: '/dev/vda',
      },
    ],
    networks: [{ id: network, name: network, ips: [address] }],
    network_data: [
      {
        id: `port-${index}`,
        port_id: `port-${index}`,
        network_id: network,
        network_name: network,
        mac_addr: '52:54:00:00:00:01',
        fixed_ips: [{ subnet_id: `subnet-${index % 200}`, ip_address: address }],
        spoofing_protection: true,
      },
    ],
    image_id: `image-${index % 30}`,
    image_name: `Image ${index % 30}`,
    os_distro: index % 3 === 0 ? 'debian12' : 'win2k22',
    key_name: index % 4 === 0 ? `key-${index % 50}` : null,
    username: null,
    fault: null,
    ha_enabled: index % 50 !== 0,
    metadata: {},
    tags: index % 20 === 0 ? ['production', `team-${index % 40}`] : [],
    traits: [],
    max_vcpu: null,
    max_mem: null,
    allow_live_resize: false,
    allow_set_password: true,
    has_pci_devices: false,
    statistics: {
      metrics: {
        cpu_usage: active ? Math.round(next() * 1000) / 10 : null,
        mem_usage: active ? Math.round(next() * 1000) / 10 : null,
        block_capacity: 2 ** 30 * 10,
        block_usage: Math.floor(next() * 2 ** 30 * 10),
      },
    },
    project_id: index % 100 === 42 ? 'project-small' : project,
    domain_id: 'default',
    user_id: `user-${index % 25}`,
    created,
    updated: new Date(Date.UTC(2025, 0, 1) + ((index * 7919) % 100_000) * 60_000).toISOString(),
  }
}
