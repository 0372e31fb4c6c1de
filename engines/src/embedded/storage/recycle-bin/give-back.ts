import { networksOf, type Instance } from '@mainstay/contract/compute/instances'
import type { Image } from '@mainstay/contract/compute/images'
import type { ServerGroup } from '@mainstay/contract/compute/server-groups'
import type { LeftOut, Restored } from '@mainstay/contract/storage/recycle-bin'
import type { Volume } from '@mainstay/contract/storage/volumes'
import type { RecordsTransaction } from '../../../ports/records'
import { noteIsoUse } from '../../compute/instances/disks'
import { getPlan, putPlan, type InstancePlan } from '../../rows/instance-plan'
import { now } from '../../compute/instances/rows'
import { nicOf, type Card } from '../../networking/ports'
import { attachedTo, changeVolume } from '../../rows/volumes'
import { takeCards } from './cards'
import type { RecycledMachine } from './items'

/**
 * Recreates the rows of a recycled machine: the instance with the task state `restoring`, its ports and its volumes.
 * Interfaces in deleted networks, volumes in use elsewhere, and deleted images and groups are left out and listed in
 * the result.
 */
export async function giveBack(
  tx: RecordsTransaction,
  recycled: RecycledMachine,
): Promise<{ row: Instance } & Pick<Restored, 'left_out' | 'new_addresses'>> {
  const { instance, volumes, wasUp, isOff } = recycled
  const { id } = instance
  const { cards, leftOut, new_addresses } = await takeCards(tx, recycled)
  const shownCards = cards.map(({ shown }) => shown)

  const disks: Instance['volumes'] = []
  const others: Volume[] = []
  for (const shown of instance.volumes) {
    const isWithIt = volumes.some((volume) => volume.id === shown.id)
    const other = isWithIt ? null : await freeVolume(tx, shown.id, instance)
    if (other) others.push(other)
    if (isWithIt) disks.push(shown)
    // the volume may have been renamed or extended
    else if (other) disks.push({ ...shown, name: other.name, size: other.size })
    else leftOut.push({ kind: 'volume', name: shown.name })
  }

  const plan = await planWithout(tx, instance, { cards, disks, leftOut })
  await putPlan(tx, id, plan)
  const row: Instance = {
    ...instance,
    network_data: shownCards,
    networks: networksOf(shownCards),
    volumes: disks,
    status: wasUp && isOff ? 'SHUTOFF' : instance.status,
    task_state: 'restoring',
    fault: null,
    updated: now(),
  }
  await tx.put('server', row)
  for (const volume of [...volumes, ...others]) await changeVolume(tx, volume, attachedTo(volume, row))
  return { row, left_out: leftOut, new_addresses }
}

/**
 * Returns a volume that was kept when the instance was deleted, or null if it is in use or belongs to another project.
 */
async function freeVolume(tx: RecordsTransaction, volumeId: string, instance: Instance): Promise<Volume | null> {
  const volume = await tx.lock<Volume>('volume', volumeId)
  if (volume?.project_id !== instance.project_id) return null
  const isStillItsOwn = volume.status === 'detaching' && volume.attachments[0]?.server_id === instance.id
  return volume.status === 'available' || isStillItsOwn ? volume : null
}

/**
 * Returns the machine's plan without objects that no longer exist. Marks its ISOs as in use and rejoins its server
 * group.
 */
async function planWithout(
  tx: RecordsTransaction,
  { id, project_id, image_id, image_name }: Instance,
  { cards, disks, leftOut }: { cards: Card[]; disks: Instance['volumes']; leftOut: LeftOut[] },
): Promise<InstancePlan> {
  const plan = await getPlan(tx, id)
  const kept: InstancePlan['disks'] = []
  for (const disk of plan.disks) {
    if (disk.kind === 'volume') {
      if (disks.some((shown) => shown.id === disk.id)) kept.push(disk)
    } else if (await tx.get<Image>('image', disk.id)) {
      await noteIsoUse(tx, disk.id, id, true)
      kept.push(disk)
    } else leftOut.push({ kind: 'image', name: (disk.id === image_id && image_name) || disk.id })
  }
  const group = plan.serverGroup ? await tx.lock<ServerGroup>('server_group', plan.serverGroup) : null
  // because there is only one node, an anti-affinity group can have only one member
  const takesIt = group?.project_id === project_id && (group.policy !== 'anti-affinity' || group.members.length === 0)
  if (group && takesIt) await tx.put('server_group', { ...group, members: [...group.members, id] })
  if (plan.serverGroup && !takesIt) leftOut.push({ kind: 'server_group', name: group?.name ?? plan.serverGroup })
  return {
    ...plan,
    disks: kept,
    nics: cards.map(({ shown, network }) => nicOf(shown, network)),
    serverGroup: takesIt ? plan.serverGroup! : null,
  }
}
