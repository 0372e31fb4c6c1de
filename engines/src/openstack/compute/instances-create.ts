import type { Instance, InstanceDraft } from '@mainstay/contract/compute/instances'
import { Problem } from '@mainstay/contract/core/problems'
import * as z from 'zod'
import type { ProjectScope } from '../../ports/scope'
import type { Caller } from '../client/caller'
import type { Engine, FollowSteps } from '../engine'
import { volumeReader } from '../storage/volumes-shape'
import { refreshed, subjectOf } from './instances-acts'
import { checkDraft } from './instances-check'
import { blockDevices } from './instances-disks'
import { makeCards, type Card } from './instances-ports'
import { serverGroupReader } from './server-groups-shape'

/** Tags as servers are made are known from 2.52 on. */
const version = '2.67'

const Made = z.object({ server: z.object({ id: z.string() }) })
const Reserved = z.object({ reservation_id: z.string() })
const Named = z.object({ id: z.string(), name: z.string() })

/** One to twenty instances, all or none: the cloud numbers them, and takes all of a call or none. */
export async function createInstances(engine: Engine, scope: ProjectScope, draft: InstanceDraft): Promise<Instance[]> {
  const cloud = await engine.as(scope)
  const images = await checkDraft(cloud, scope, draft)
  const { cards, takeBack } = await makeCards(
    engine,
    cloud,
    draft.networks,
    (card) => `networks.${card}.`,
    scope.project_id,
  )
  let ids: string[]
  try {
    ids = await makeServers(cloud, draft, {
      ...serverOf(draft, cards),
      block_device_mapping_v2: blockDevices(draft, images),
    })
  } catch (error) {
    await takeBack()
    throw error
  }
  const rows = await Promise.all(ids.map((id) => refreshed(engine, id)))
  if (draft.server_group !== null) await engine.refresh(serverGroupReader, draft.server_group)
  for (const row of rows) {
    await engine.followUp({ name: 'compute.server.create', subject: subjectOf(row), until: 'settled', scope })
  }
  return rows
}

function serverOf(draft: InstanceDraft, cards: Card[]): Record<string, unknown> {
  const isAlone = cards.length === 0
  return {
    // the cloud adds a number to the names of several
    name: draft.count > 1 ? draft.name.slice(0, 252) : draft.name,
    description: draft.description,
    flavorRef: draft.flavor,
    networks: isAlone ? 'none' : cards,
    metadata: draft.metadata,
    tags: [...new Set(draft.tags)],
    ...(draft.key_name !== null && { key_name: draft.key_name }),
    ...(draft.user_data !== null && { user_data: draft.user_data.replace(/\s+/g, '') }),
    // without a network there is no other way for key and script to reach the guest
    ...(isAlone && (draft.key_name !== null || draft.user_data !== null) && { config_drive: true }),
  }
}

/** Ids of what was made, by name: `web-1`, `web-2`. */
async function makeServers(
  cloud: Caller,
  { count, server_group }: InstanceDraft,
  server: Record<string, unknown>,
): Promise<string[]> {
  const hints = server_group === null ? {} : { 'os:scheduler_hints': { group: server_group } }
  const make = <Answer>(answer: z.ZodType<Answer>, more: object = {}) =>
    cloud.send('POST', 'compute', '/servers', answer, {
      version,
      body: {
        server: { ...server, ...more },
        ...hints,
      },
    })
  if (count === 1) return [(await make(Made)).server.id]
  const { reservation_id } = await make(Reserved, { min_count: count, max_count: count, return_reservation_id: true })
  const named: z.output<typeof Named>[] = []
  const query = { reservation_id }
  for await (const page of cloud.pages('compute', '/servers', 'servers', Named, { version, query })) named.push(...page)
  const place = (name: string) => Number(/\d+$/.exec(name)?.[0] ?? 0)
  return named.toSorted((one, other) => place(one.name) - place(other.name)).map(({ id }) => id)
}

/** Volumes that the cloud makes with an instance have no name, or one of its own; they get theirs when the instance is there. */
export const createSteps = (engine: Engine): FollowSteps => ({
  async after({ subject: { id } }) {
    const row = await refreshed(engine, id)
    for (const [at, volume] of row.volumes.entries()) {
      if (volume.name !== volume.id && volume.name !== `${id}-blank-vol`) continue
      const name = `${row.name.slice(0, 245)}-${volume.boot_index === 0 ? 'boot' : `disk-${at + 1}`}`
      await nameVolume(engine, volume.id, name)
    }
    await refreshed(engine, id)
  },
})

async function nameVolume(engine: Engine, id: string, name: string): Promise<void> {
  try {
    await engine.reading.caller.send('PUT', 'volume', `/volumes/${id}`, z.void(), { body: { volume: { name } } })
    await engine.refresh(volumeReader, id)
  } catch (error) {
    // an instance is none the worse for a volume without a name
    if (!(error instanceof Problem)) throw error
    engine.log.warn({ err: error, volume: id }, 'a volume keeps its id for a name')
  }
}
