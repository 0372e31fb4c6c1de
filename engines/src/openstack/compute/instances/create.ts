import type { Instance, InstanceDraft } from '@mainstay/contract/compute/instances'
import { Problem } from '@mainstay/contract/core/problems'
import * as z from 'zod'
import type { ProjectScope } from '../../../ports/scope'
import type { ServiceClient } from '../../client/service-client'
import type { Engine, TaskSteps, TrackedTask } from '../../engine'
import { unlessGone } from '../../read-each'
import { volumeReader } from '../../storage/volumes/shape'
import { refreshed, subjectOf } from './act'
import { checkDraft } from './check-draft'
import { blockDevices } from './disks'
import { otherStorage } from './volumes'
import { deletePortsOf, createPorts, type PortReference } from '../../networking/cards/ports'
import { intentTag } from './intent-tag'
import { serverGroupReader } from '../server-groups/shape'

/** Tags can be set on creation since 2.52, volume types since 2.67. */
const version = '2.67'

const Made = z.object({ server: z.object({ id: z.string() }) })
const Reserved = z.object({ reservation_id: z.string() })
const Named = z.object({ id: z.string(), name: z.string() })

/**
 * Creates one to twenty instances, all or none: the cloud numbers them, and accepts or rejects the request as a whole.
 */
export async function createInstances(engine: Engine, scope: ProjectScope, draft: InstanceDraft): Promise<Instance[]> {
  const foreign = draft.volumes.findIndex(({ source }) => source === 'volume')
  if (foreign >= 0 && !engine.areas.has('storage')) throw otherStorage(`volumes.${foreign}.id`)
  const cloud = await engine.as(scope)
  const images = await checkDraft(cloud, scope, draft)
  const followed = (server: { id: string; name: string }, args = {}): TrackedTask => ({
    ...{ name: 'compute.server.create', subject: subjectOf(server), until: 'settled', scope, args },
  })
  const send = async (intent: string) => {
    const of = { projectId: scope.project_id, intent }
    const { cards, takeBack } = await createPorts(engine, cloud, draft.networks, (card) => `networks.${card}.`, of)
    try {
      const devices = { block_device_mapping_v2: blockDevices(draft, images) }
      const servers = await makeServers(cloud, draft, { ...serverOf(draft, cards, intent), ...devices })
      return { servers, intent }
    } catch (error) {
      await takeBack()
      throw error
    }
  }
  // the IDs are unknown until the cloud has created the instances
  const meant = followed({ id: '', name: draft.name })
  const { servers } = await engine.command(meant, send, (made) =>
    made.servers.map((one) => followed(one, { intent: made.intent })),
  )
  const rows = await Promise.all(servers.map(({ id }) => refreshed(engine, id)))
  if (draft.server_group !== null) await engine.refresh(serverGroupReader, draft.server_group)
  return rows
}

/** Maximum number of tags per server. */
const mostTags = 50

function serverOf(draft: InstanceDraft, cards: PortReference[], intent: string): Record<string, unknown> {
  const isAlone = cards.length === 0
  return {
    // with several instances, the cloud appends a number to each name
    name: draft.count > 1 ? draft.name.slice(0, 252) : draft.name,
    description: draft.description,
    flavorRef: draft.flavor,
    networks: isAlone ? 'none' : cards,
    metadata: draft.metadata,
    tags: [...new Set([...draft.tags, intentTag(intent)])].slice(0, mostTags),
    ...(draft.key_name !== null && { key_name: draft.key_name }),
    ...(draft.user_data !== null && { user_data: draft.user_data.replace(/\s+/g, '') }),
    // without a network, the config drive is the only way to pass the key and user data
    ...(isAlone && (draft.key_name !== null || draft.user_data !== null) && { config_drive: true }),
  }
}

/** Creates the servers and returns their IDs and names, ordered by number: `web-1`, `web-2`. */
async function makeServers(
  cloud: ServiceClient,
  { count, server_group }: InstanceDraft,
  server: Record<string, unknown>,
): Promise<{ id: string; name: string }[]> {
  const hints = server_group === null ? {} : { 'os:scheduler_hints': { group: server_group } }
  const make = <Answer>(answer: z.ZodType<Answer>, more: object = {}) =>
    cloud.send('POST', 'compute', '/servers', answer, {
      version,
      body: {
        server: { ...server, ...more },
        ...hints,
      },
    })
  if (count === 1) return [{ id: (await make(Made)).server.id, name: String(server['name']) }]
  const { reservation_id } = await make(Reserved, { min_count: count, max_count: count, return_reservation_id: true })
  const named: z.output<typeof Named>[] = []
  const query = { reservation_id }
  for await (const page of cloud.pages('compute', '/servers', 'servers', Named, { version, query })) named.push(...page)
  const place = (name: string) => Number(/\d+$/.exec(name)?.[0] ?? 0)
  return named.toSorted((one, other) => place(one.name) - place(other.name))
}

/**
 * Steps of tasks that create instances. Volumes that the cloud creates with an instance have no name or a generated
 * one. They get their names once the instance is ready.
 */
export const createSteps = (engine: Engine): TaskSteps => ({
  /** Finds servers by the intent's tag. */
  async find({ name, scope, task_id }) {
    const query = { tags: intentTag(task_id), all_tenants: 'true' }
    const found: TrackedTask[] = []
    for await (const page of engine.reading.caller.pages('compute', '/servers', 'servers', Named, { version, query }))
      for (const server of page)
        found.push({
          ...{ name: name as TrackedTask['name'], subject: subjectOf(server), until: 'settled', scope },
          args: { intent: task_id },
        })
    return found.length > 0 && found
  },

  undo: ({ task_id }) => deletePortsOf(engine.reading.caller, task_id),

  async onSettled({ subject: { id }, args }) {
    const tag = intentTag(String(args['intent']))
    const unmark = engine.reading.caller.send('DELETE', 'compute', `/servers/${id}/tags/${tag}`, z.void(), { version })
    await unlessGone(unmark)
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
    // an unnamed volume does not affect the instance
    if (!(error instanceof Problem)) throw error
    engine.log.warn({ err: error, volume: id }, 'failed to name a volume; it keeps its ID as its name')
  }
}
