import type { Flavor } from '@mainstay/contract/compute/flavors'
import type { Image } from '@mainstay/contract/compute/images'
import type { InstanceStatus } from '@mainstay/contract/compute/instance-rules'
import type { Instance, InstanceInterface } from '@mainstay/contract/compute/instances'
import type { Network } from '@mainstay/contract/networking/networks'
import type { Subnet } from '@mainstay/contract/networking/subnets'
import type { Volume } from '@mainstay/contract/storage/volumes'
import { natNetwork } from '../networking/default-network'
import { rangeOf, toAddress } from '../networking/ipv4'
import { chanceOf, type Chance } from './chance'
import { imageRow, instanceRow, machineStateOf, volumeRow, type Owner } from './rows'
import type { World, WorldTools } from './world'
import { projectNamed } from './world-parts'

const instanceCount = 100_000
const rowsPerTransaction = 1000

const domains = ['default', 'north', 'south', 'east', 'west']
const projectsPerDomain = 10
const statuses: readonly (readonly [InstanceStatus, number])[] = [
  ['ACTIVE', 70],
  ['SHUTOFF', 20],
  ['SUSPENDED', 3],
  ['PAUSED', 2],
  ['ERROR', 3],
  ['SHELVED_OFFLOADED', 1],
  ['UNKNOWN', 1],
]
const flavorWeights = [
  ['s1.nano', 5],
  ['s1.tiny', 20],
  ['s1.small', 35],
  ['s1.medium', 25],
  ['s1.large', 10],
  ['s1.xlarge', 5],
] as const
const roles = [
  'web',
  'api',
  'db',
  'cache',
  'worker',
  'build',
  'mail',
  'proxy',
  'queue',
  'search',
  'batch',
  'desk',
] as const
const places = ['prod', 'stage', 'test', 'dev'] as const
const tags = ['production', 'staging', 'test', 'ci', 'pci', 'gdpr', 'backup', 'temporary'] as const
const faults = [
  'The virtual machine stopped unexpectedly: killed by signal 9',
  'The disk storage is full',
  'The virtual machine did not start: no answer in time',
] as const

interface Place {
  owner: Owner
  network: Network
  subnet: Subnet
  images: Image[]
  used: number
}

/** 100 000 instances in 50 projects in 5 domains. Project sizes differ by more than a factor of ten. */
export const busy: World = {
  async fill(tools) {
    const { records, log } = tools
    const begun = Date.now()
    const chance = chanceOf(1)
    const flavors = await records.transaction((tx) => tx.find<Flavor>('flavor', {}))
    const places = await fillPlaces(tools, chance)
    // half of the instances belong to a tenth of the projects
    const weights = places.map((place, at) => [place, 1 / (at + 3)] as const)
    const fillInstances = async (): Promise<void> => {
      // prepare the next batch while the database writes the current one
      let writing = Promise.resolve()
      for (let at = 0; at < instanceCount; at += rowsPerTransaction) {
        const batch = Array.from({ length: rowsPerTransaction }, (_, one) =>
          instanceOf(chance, chance.weighted(weights), at + one, flavors),
        )
        await writing
        writing = writeBatch(tools, batch)
      }
      await writing
    }
    await (records.bulk ? records.bulk(['server', 'volume'], fillInstances) : fillInstances())
    // make new addresses start after those of the world
    await records.transaction(async (tx) => {
      for (const { subnet, used } of places) await tx.putPrivate('subnet', subnet.id, { next: used + 1 })
    })
    log.info({ instances: instanceCount, seconds: (Date.now() - begun) / 1000 }, 'filled the busy world')
  },
}

interface Made {
  row: Instance
  volumes: Volume[]
}

async function writeBatch({ records, hypervisor }: WorldTools, batch: Made[]): Promise<void> {
  await records.transaction(async (tx) => {
    for (const { row, volumes } of batch) {
      await tx.put('server', row)
      for (const volume of volumes) await tx.put('volume', volume)
    }
  })
  hypervisor.simulate(
    batch.map(({ row: { id, name, status, flavor } }) => ({
      id,
      name,
      state: machineStateOf(status),
      vcpus: flavor.vcpus,
      ramMiB: flavor.ram,
    })),
  )
}

async function fillPlaces({ records, identity }: WorldTools, chance: Chance): Promise<Place[]> {
  const found: Place[] = []
  for (const [at, name] of domains.entries()) {
    const domainId = name === 'default' ? 'default' : await domainNamed(identity, records, name)
    for (let number = 1; number <= projectsPerDomain; number++) {
      const project = await projectNamed(identity, domainId, number === 1 && at === 0 ? 'demo' : `${name}-${number}`)
      const owner: Owner = { project_id: project.id, domain_id: domainId, user_id: `${name}-user-${number}` }
      const cidr = `10.${100 + found.length}.0.0/16`
      const { network, subnet } = natNetwork(`busy-${found.length + 1}`, `${project.name} network`, cidr, owner, false)
      const images = (['debian13', 'ubuntu24.04', 'alma9', 'win2k22', 'alpine'] as const).map((distro) =>
        imageRow(owner, { id: chance.uuid(), name: `${project.name} ${distro}`, os_distro: distro, username: 'admin' }),
      )
      await records.transaction(async (tx) => {
        await tx.put('network', network)
        await tx.put('subnet', subnet)
        for (const image of images) await tx.put('image', image)
      })
      found.push({ owner, network, subnet, images, used: 0 })
    }
  }
  return found
}

/**
 * Returns the ID of the domain with this name, creating the domain if necessary. The identity port cannot list domains,
 * so the world records the IDs of those that it created.
 */
async function domainNamed(
  identity: WorldTools['identity'],
  records: WorldTools['records'],
  name: string,
): Promise<string> {
  const noted = await records.transaction((tx) => tx.getPrivate<{ id: string }>('world', `domain ${name}`))
  if (noted) return noted.id
  const { id } = await identity.createDomain({ name })
  await records.transaction((tx) => tx.putPrivate('world', `domain ${name}`, { id }))
  return id
}

function instanceOf(chance: Chance, place: Place, number: number, flavors: Flavor[]): Made {
  const { owner, network, subnet, images } = place
  const id = chance.uuid()
  const name = `${chance.oneOf(roles)}-${chance.oneOf(places)}-${String(number).padStart(6, '0')}`
  const status = chance.weighted(statuses)
  const flavorId = chance.weighted(flavorWeights)
  const flavor = flavors.find((one) => one.id === flavorId) ?? flavors[0]!
  const image = chance.oneOf(images)
  const ageMinutes = Math.floor(chance.share() ** 3 * 60 * 24 * 700)
  const volumes = Array.from(
    {
      length: chance.weighted([
        [1, 75],
        [2, 20],
        [3, 5],
      ]),
    },
    (_, at) =>
      volumeRow(
        owner,
        {
          id: chance.uuid(),
          name: at === 0 ? `${name}-boot` : `${name}-disk-${at + 1}`,
          sizeGib: chance.oneOf([4, 10, 20, 40, 100]),
          image: at === 0 ? image : null,
          ageMinutes,
        },
        { id, name, at },
      ),
  )
  const address = toAddress(rangeOf(subnet.cidr).first + 10 + place.used++)
  const portId = chance.uuid()
  const card: InstanceInterface = {
    id: portId,
    port_id: portId,
    network_id: network.id,
    network_name: network.name,
    mac_addr: `52:54:00:${chance.hex(2)}:${chance.hex(2)}:${chance.hex(2)}`,
    fixed_ips: [{ subnet_id: subnet.id, ip_address: address }],
    spoofing_protection: true,
  }
  const isRunning = status === 'ACTIVE'
  const capacity = volumes.reduce((sum, volume) => sum + volume.size, 0)
  const more: Partial<Instance> = {
    tags: tags.filter(() => chance.share() < 0.12),
    ha_enabled: chance.share() < 0.8,
    statistics: {
      metrics: {
        cpu_usage: isRunning ? Math.round(chance.share() ** 3 * 1000) / 10 : null,
        mem_usage: isRunning ? chance.whole(100, 950) / 10 : null,
        block_capacity: capacity,
        block_usage: Math.floor(capacity * chance.share() * 0.8),
      },
    },
    ...(status === 'ERROR'
      ? { fault: { code: 'ended_unexpectedly', message: chance.oneOf(faults), created: '2026-01-01T03:00:00.000Z' } }
      : {}),
    ...(status === 'UNKNOWN' ? { host_status: 'DOWN' } : {}),
  }
  const row = instanceRow(owner, volumes, { id, name, status, flavor, image, cards: [card], ageMinutes, more })
  return { row, volumes }
}
