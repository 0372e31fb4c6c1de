import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import type { Flavor } from '@mainstay/contract/compute/flavors'
import type { Image } from '@mainstay/contract/compute/images'
import type { InstanceStatus } from '@mainstay/contract/compute/instance-rules'
import type { Instance } from '@mainstay/contract/compute/instances'
import { Problem } from '@mainstay/contract/core/problems'
import type { Volume } from '@mainstay/contract/storage/volumes'
import type { IdentityPort } from '../../ports/identity'
import { hostNameOf } from '../../networking/host-name'
import { putPlan, type InstancePlan } from '../rows/instance-plan'
import { makePassword } from '../identity/passwords'
import { defaultNetworkId } from '../networking/default-network'
import { allocatePort, nicOf } from '../networking/ports'
import { chanceOf, type Chance } from './chance'
import { digestFields } from '../compute/images/rows'
import { imageRow, instanceRow, machineStateOf, volumeRow, type Owner } from './rows'
import type { World, WorldTools } from './world'
import { keyRow, projectNamed } from './world-parts'

export interface Seed {
  name: string
  status: InstanceStatus
  flavor: string
  image: string
  disksGib: number[]
  tags?: string[]
  description?: string
  more?: Partial<Instance>
}

const images: (Pick<Image, 'name' | 'os_distro'> & Partial<Image>)[] = [
  {
    name: 'Debian 13',
    os_distro: 'debian13',
    username: 'debian',
    visibility: 'public',
    protected: true,
    min_disk: 4,
    min_ram: 256,
  },
  {
    name: 'Ubuntu 24.04',
    os_distro: 'ubuntu24.04',
    username: 'ubuntu',
    visibility: 'public',
    min_disk: 4,
    min_ram: 512,
  },
  { name: 'Alpine Linux', os_distro: 'alpine', username: 'alpine', min_disk: 1, min_ram: 64, tags: ['small'] },
  {
    name: 'Windows Server 2022',
    os_distro: 'win2k22',
    hw_firmware_type: 'uefi',
    min_disk: 32,
    min_ram: 2048,
    tags: ['licensed'],
  },
  { name: 'Debian 13 installer', os_distro: 'iso', type: 'iso', disk_format: 'iso', min_disk: 0 },
]

const instances: Seed[] = [
  {
    name: 'web-1',
    status: 'ACTIVE',
    flavor: 's1.small',
    image: 'Debian 13',
    disksGib: [10],
    tags: ['web', 'production'],
  },
  {
    name: 'web-2',
    status: 'ACTIVE',
    flavor: 's1.small',
    image: 'Debian 13',
    disksGib: [10],
    tags: ['web', 'production'],
  },
  {
    name: 'database',
    status: 'ACTIVE',
    flavor: 's1.large',
    image: 'Debian 13',
    disksGib: [10, 100],
    tags: ['production'],
    description: 'PostgreSQL, nightly dumps',
    more: { metadata: { 'backup window': '02:00–04:00', 'cost centre': '4711' } },
  },
  { name: 'database-replica', status: 'PAUSED', flavor: 's1.large', image: 'Debian 13', disksGib: [10, 100] },
  { name: 'build-runner', status: 'SHUTOFF', flavor: 's1.medium', image: 'Ubuntu 24.04', disksGib: [40], tags: ['ci'] },
  { name: 'mail', status: 'SHUTOFF', flavor: 's1.tiny', image: 'Alpine Linux', disksGib: [4] },
  { name: 'vpn', status: 'ACTIVE', flavor: 's1.nano', image: 'Alpine Linux', disksGib: [1], tags: ['production'] },
  { name: 'monitoring', status: 'SUSPENDED', flavor: 's1.medium', image: 'Ubuntu 24.04', disksGib: [20] },
  { name: 'windows-desktop', status: 'ACTIVE', flavor: 's1.medium', image: 'Windows Server 2022', disksGib: [64] },
  { name: 'registry', status: 'ACTIVE', flavor: 's1.micro', image: 'Alpine Linux', disksGib: [2, 50], tags: ['ci'] },
  {
    name: 'analytics',
    status: 'SHUTOFF',
    flavor: 's1.small',
    image: 'Ubuntu 24.04',
    disksGib: [20],
    description: 'Runs on the first of the month',
  },
  {
    name: 'old-erp',
    status: 'ERROR',
    flavor: 's1.small',
    image: 'Debian 13',
    disksGib: [10],
    more: {
      fault: {
        code: 'ended_unexpectedly',
        message: 'The virtual machine stopped unexpectedly: killed by signal 9',
        created: '2026-01-01T03:00:00.000Z',
      },
    },
  },
]

const looseVolumes: [name: string, sizeGib: number, more?: Partial<Volume>][] = [
  ['scratch', 20],
  ['media', 200, { description: 'Pictures and recordings' }],
  ['old-home', 50],
  ['broken', 10, { status: 'error', fault: 'The disk storage is full' }],
]

const keys = [
  ['laptop', 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOkBU3ydBHvR9CoLDurNuQ4ZLeb+BuOqZl9WjfaWQRS4 ada@laptop'],
  ['workstation', 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKcOXXHRPxTqqM2H7rmdb3Dc/UIvA+lzMckI1lBP8Qcf ada@workstation'],
] as const

/** A project like that of a small company. Only for simulated machines. */
export const demo: World = {
  async fill(tools) {
    const project = await projectNamed(tools.identity, 'default', 'demo')
    const user = await ensurePerson(tools, 'ada', 'project member', {
      assigned_projects: [{ project_id: project.id, role: 'project_member' }],
    })
    await ensurePerson(tools, 'dora', 'domain administrator', { roles: ['domain_admin'] })
    const owner: Owner = { project_id: project.id, domain_id: project.domain_id, user_id: user ?? 'ada' }
    const chance = chanceOf(42)
    const made = await fillImages(tools, owner, chance)
    for (const seed of instances) await fillInstance(tools, owner, made, seed, chance)
    for (const [name, sizeGib, more] of looseVolumes) {
      const volume = volumeRow(
        owner,
        { id: chance.uuid(), name, sizeGib, ageMinutes: chance.whole(100, 90_000) },
        null,
        more,
      )
      await makeFile(tools, volume)
      await tools.records.transaction((tx) => tx.put('volume', volume))
    }
    for (const [name, text] of keys) {
      await tools.records.transaction((tx) => tx.put('key', keyRow(owner, chance.uuid(), name, text)))
    }
  },
}

/** Creates a user who can sign in. Returns the ID, or null if an interrupted start has already created the user. */
async function ensurePerson(
  { identity, password: given, introduce }: WorldTools,
  username: string,
  role: string,
  rights: Pick<Parameters<IdentityPort['createUser']>[0], 'roles' | 'assigned_projects'>,
): Promise<string | null> {
  const password = given ?? makePassword()
  try {
    const { id } = await identity.createUser({ name: username, domain_id: 'default', password, ...rights })
    introduce({ username, role, password: given === null ? password : null })
    return id
  } catch (error) {
    if (error instanceof Problem && error.code === 'duplicate_name') return null
    throw error
  }
}

const digest = (algorithm: string, bytes: Buffer) => createHash(algorithm).update(bytes).digest('hex')

async function fillImages({ records, cloud }: WorldTools, owner: Owner, chance: Chance) {
  const made = new Map<string, Image>()
  for (const given of images) {
    const bytes = Buffer.alloc(64 * 1024)
    bytes.write(given.name, 16)
    if (given.type === 'iso') bytes.write('\u0001CD001', 0x80_00, 'latin1')
    else bytes.set([0x55, 0xaa], 510)
    const row = imageRow(owner, {
      id: chance.uuid(),
      disk_format: 'raw',
      ...given,
      size: bytes.length,
      virtual_size: bytes.length,
      ...digestFields(digest('md5', bytes), digest('sha256', bytes)),
    })
    await writeFile(cloud.files.image(row.id), bytes)
    await records.transaction(async (tx) => {
      await tx.put('image', row)
      await tx.putPrivate('image', row.id, { stored: 'raw' })
    })
    made.set(row.name, row)
  }
  return made
}

/**
 * Creates an instance with its volumes, an interface in the default network, and a machine in the state that matches
 * its status.
 */
export async function fillInstance(
  tools: WorldTools,
  owner: Owner,
  made: Map<string, Image>,
  seed: Seed,
  chance: Chance,
): Promise<Instance> {
  const { records, hypervisor } = tools
  const image = made.get(seed.image) ?? null
  const id = chance.uuid()
  const ageMinutes = chance.whole(1000, 200_000)
  const volumes = seed.disksGib.map((sizeGib, at) => {
    const name = at === 0 ? `${seed.name}-boot` : `${seed.name}-disk-${at + 1}`
    const given = { id: chance.uuid(), name, sizeGib, image: at === 0 ? image : null, ageMinutes }
    return volumeRow(owner, given, { id, name: seed.name, at })
  })
  for (const volume of volumes) await makeFile(tools, volume)
  const row = await records.transaction(async (tx) => {
    const flavor = (await tx.get<Flavor>('flavor', seed.flavor)) ?? nano
    const before = await tx.get<Instance>('server', id)
    if (before) return before
    const scope = { ...owner, kind: 'project', user_name: 'ada', roles: [], request_id: 'world' } as const
    const draft = { id: defaultNetworkId, fixed_ips: [], mac: null }
    const hostName = hostNameOf(seed.name, id)
    const port = await allocatePort(tools.cloud, tx, scope, draft, { id, name: seed.name, hostName }, '')
    const made = instanceRow(owner, volumes, {
      id,
      name: seed.name,
      status: seed.status,
      flavor,
      image,
      cards: [port.shown],
      ageMinutes,
      more: { tags: seed.tags ?? [], description: seed.description ?? '', ...seed.more },
    })
    const plan: InstancePlan = {
      firmware: image?.hw_firmware_type ?? 'bios',
      isWindows: image?.os_type === 'windows',
      hostname: hostName,
      disks: volumes.map((volume, at) => ({
        id: volume.id,
        kind: 'volume',
        bus: 'virtio',
        bootIndex: at === 0 ? 0 : null,
      })),
      nics: [nicOf(port.shown, port.network)],
      userData: null,
      publicKey: null,
      stopping: null,
    }
    for (const volume of volumes) await tx.put('volume', volume)
    await putPlan(tx, id, plan)
    await tx.put('server', made)
    return made
  })
  const { name, status, flavor } = row
  const machine = { id, name, state: machineStateOf(status), vcpus: flavor.vcpus, ramMiB: flavor.ram }
  hypervisor.simulate([machine], { settles: true })
  return row
}

const nano: Flavor = {
  id: 's1.nano',
  name: 's1.nano',
  vcpus: 1,
  ram: 128,
  swap: 0,
  is_public: true,
  extra_specs: {},
  created_at: new Date(0).toISOString(),
}

async function makeFile({ cloud }: WorldTools, { id, size }: Volume): Promise<void> {
  const path = cloud.files.volume(id)
  if (!existsSync(path)) await cloud.hypervisor.disks.createBlank(path, size)
}
