import { randomUUID } from 'node:crypto'
import type { Flavor } from '@mainstay/contract/compute/flavors'
import type { Image } from '@mainstay/contract/compute/images'
import { networksOf, type Instance, type InstanceDraft } from '@mainstay/contract/compute/instances'
import type { SshKey } from '@mainstay/contract/compute/ssh-keys'
import { fieldProblem } from '@mainstay/contract/core/problems'
import { distinctHostName, hostNameOf } from '../../../networking/host-name'
import type { RecordsTransaction } from '../../../ports/records'
import type { ProjectScope } from '../../../ports/scope'
import { networkOfDraft, takePort } from '../../networking/kept-ports'
import { allocatePort, freeDnsName, nicOf, type Card } from '../../networking/ports'
import { lockNetworks } from '../../networking/rows'
import type { Engine } from '../../engine'
import { checkCapacity, checkSpace } from '../capacity'
import { flavorShown } from '../flavors'
import { chooseDisks, makeDisks, type ChosenDisk, type MadeDisks } from './disks'
import { placeInstance } from '../placements/place-instance'
import { putPlan } from '../../rows/instance-plan'
import { now, subjectOf } from './rows'
import { headroomAtStart } from './resize-headroom'
import { checkQuotas } from '../../quotas'
import { joinGroup } from '../server-groups'

/** Creates 1 to 20 instances, all or none: their rows, plans and jobs are written in a single transaction. */
export async function createInstances(
  engine: Engine,
  scope: ProjectScope,
  draft: InstanceDraft,
  event: string | null = null,
): Promise<Instance[]> {
  const made = await engine.records.transaction(async (tx) => {
    const flavor = await tx.get<Flavor>('flavor', draft.flavor)
    if (!flavor) throw fieldProblem('flavor', 'compute.no_such_flavor')
    await lockInOrder(tx, draft)
    const chosen = await chooseDisks(tx, scope, draft.volumes, flavor)
    const key = draft.key_name === null ? null : await keyNamed(tx, scope, draft.key_name)
    const { count } = draft
    await checkQuotas(engine, tx, scope, {
      instances: { amount: count, field: 'count' },
      vcpus: { amount: flavor.vcpus * count, field: 'flavor' },
      ram: { amount: flavor.ram * count, field: 'flavor' },
      volumes: { amount: chosen.filter(({ newBytes }) => newBytes > 0).length * count, field: 'volumes' },
      storage: { amount: sumOf(chosen, ({ newBytes }) => newBytes) * count, field: 'volumes' },
      ports: { amount: draft.networks.filter((it) => it.port_id === undefined).length * count, field: 'networks' },
    })
    await checkCapacity(engine, tx, flavor, count)
    await checkSpace(engine, sumOf(chosen, copiedBytes) * count)
    const boot = bootDisk(chosen)
    const traits = await placeInstance(tx, scope, {
      chosen: draft.traits,
      flavorId: flavor.id,
      ofImage: boot ? await placementsOfBoot(tx, boot) : [],
    })

    const flow = count > 1 ? randomUUID() : null
    const rows: Instance[] = []
    for (let at = 1; at <= count; at++) {
      const id = randomUUID()
      const name = count > 1 ? `${draft.name.slice(0, 252)}-${at}` : draft.name
      const disks = await makeDisks(tx, scope, chosen, { id, name, host: engine.hypervisor.host.hostname })
      const hostName = await hostNameIn(tx, draft.networks, { id, name })
      const ports: Card[] = []
      for (const [card, network] of draft.networks.entries()) {
        const [of, at] = [{ id, name, hostName }, `networks.${card}.`]
        ports.push(
          network.port_id === undefined
            ? await allocatePort(engine, tx, scope, network, of, at)
            : await takePort(tx, scope, network, of, at),
        )
      }
      const row = instanceRow(engine, scope, draft, { id, name, flavor, traits, chosen, disks, ports })
      await tx.put('server', row)
      await putPlan(tx, id, {
        firmware: bootDisk(chosen)?.firmware ?? 'bios',
        isWindows: bootDisk(chosen)?.isWindows ?? false,
        hostname: hostName,
        disks: disks.planned,
        nics: ports.map(({ shown, network }) => nicOf(shown, network)),
        userData: draft.user_data,
        publicKey: key?.public_key ?? null,
        stopping: null,
        serverGroup: draft.server_group,
      })
      await tx.startJob({
        name: 'compute.server.create',
        subject: subjectOf(row),
        args: {},
        scope,
        event,
        cancellable: true,
        flow,
      })
      rows.push(row)
    }
    if (draft.server_group !== null) {
      const ids = rows.map(({ id }) => id)
      await joinGroup(tx, scope, draft.server_group, ids)
    }
    return rows
  })
  engine.carrier.changed()
  return made
}

/** Locks rows in a fixed order, to avoid deadlocks between requests that name the same objects in a different order. */
async function lockInOrder(tx: RecordsTransaction, { volumes, networks }: InstanceDraft): Promise<void> {
  const images = volumes.flatMap((volume) => (volume.source === 'image' || volume.source === 'iso' ? [volume.id] : []))
  for (const id of images.toSorted()) await tx.exclusive(`image:${id}`)
  const existing = volumes.flatMap((volume) => (volume.source === 'volume' ? [volume.id] : []))
  for (const id of existing.toSorted()) await tx.lock('volume', id)
  const places = networks.map((network, card) => networkOfDraft(tx, network, `networks.${card}.`))
  await lockNetworks(tx, await Promise.all(places))
}

/** Returns a host name for a new instance that is unique in its networks. The networks must be locked. */
async function hostNameIn(
  tx: RecordsTransaction,
  networks: InstanceDraft['networks'],
  { id, name }: Pick<Instance, 'id' | 'name'>,
): Promise<string> {
  const hostName = hostNameOf(name, id)
  for (const draft of networks) {
    const networkId = await networkOfDraft(tx, draft, '')
    if ((await freeDnsName(tx, networkId, hostName, draft.port_id ?? '')) === '') return distinctHostName(hostName, id)
  }
  return hostName
}

const sumOf = <Item>(items: Item[], amount: (item: Item) => number) =>
  items.reduce((sum, item) => sum + amount(item), 0)

/** Returns the disk space required immediately. The rest is allocated as the disk is written to. */
const copiedBytes = ({ draft, image }: ChosenDisk) => (draft.source === 'image' ? (image?.size ?? 0) : 0)
const bootDisk = (chosen: ChosenDisk[]) => chosen.find(({ draft }) => draft.boot_index === 0)

/** Returns the placements of the image to boot from, or of the image that the boot volume was created from. */
async function placementsOfBoot(tx: RecordsTransaction, { image, volume }: ChosenDisk): Promise<string[]> {
  const from = image ?? (volume?.image_id ? await tx.get<Image>('image', volume.image_id) : null)
  return from?.traits ?? []
}

async function keyNamed(tx: RecordsTransaction, scope: ProjectScope, name: string): Promise<SshKey> {
  const [key] = await tx.find<SshKey>('key', { project_id: scope.project_id, user_id: scope.user_id, name }, 1)
  if (!key) throw fieldProblem('key_name', 'compute.no_such_key')
  return key
}

interface Parts {
  id: string
  name: string
  flavor: Flavor
  /** Placement IDs. */
  traits: string[]
  chosen: ChosenDisk[]
  disks: MadeDisks
  ports: Card[]
}

function instanceRow(
  engine: Engine,
  scope: ProjectScope,
  draft: InstanceDraft,
  { id, name, flavor, traits, chosen, disks, ports }: Parts,
): Instance {
  const boot = bootDisk(chosen)
  const cards = ports.map(({ shown }) => shown)
  const created = now()
  const { allow_live_resize } = draft
  const shownFlavor = flavorShown(flavor)
  return {
    id,
    name,
    description: draft.description,
    status: 'BUILD',
    task_state: 'scheduling',
    host_status: 'UP',
    host: engine.hypervisor.host.hostname,
    flavor: shownFlavor,
    volumes: disks.shown,
    networks: networksOf(cards),
    network_data: cards,
    image_id: boot?.image?.id ?? boot?.volume?.image_id ?? null,
    image_name: boot?.image?.name ?? boot?.volume?.image_name ?? null,
    os_distro: boot?.image?.os_distro ?? null,
    key_name: draft.key_name,
    username: boot?.image?.username ?? null,
    fault: null,
    ha_enabled: draft.ha_enabled,
    metadata: draft.metadata,
    tags: [...new Set(draft.tags)],
    traits,
    ...headroomAtStart(engine, { allow_live_resize, flavor: shownFlavor }),
    allow_live_resize,
    // guest agents are not used for passwords here, even if the image contains one
    allow_set_password: false,
    has_pci_devices: false,
    statistics: { metrics: { cpu_usage: null, mem_usage: null, block_capacity: null, block_usage: null } },
    project_id: scope.project_id,
    domain_id: scope.domain_id,
    user_id: scope.user_id,
    created,
    updated: created,
  }
}
