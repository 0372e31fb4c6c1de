import type { InstanceDraft, InstanceInterfaceChange } from '@mainstay/contract/compute/instances'
import { Problem, fieldProblem, withField } from '@mainstay/contract/core/problems'
import * as z from 'zod'
import type { ServiceClient } from '../../client/service-client'
import type { Engine } from '../../engine'
import { unlessGone } from '../../read-each'

export type NetworkDraft = InstanceDraft['networks'][number]

/** Network or port to connect an instance to. */
export type PortReference = { uuid: string } | { port: string }

/**
 * Description of ports created by Mainstay. When the cloud deletes an instance, it deletes only the ports that it
 * created itself, so the other ports are found by this mark and deleted.
 */
const mark = 'Made by Mainstay for a virtual machine'
/** Returns the mark for a single command, to find its ports if the command fails before deleting them. */
const markOf = (intent: string) => `${mark} (${intent})`

const Port = z.object({ id: z.string(), description: z.string().nullish(), device_id: z.string() })

/**
 * Prepares the interfaces of a new instance, in the order of the draft. If an interface has a chosen address or other
 * settings, its port is created now, so that errors are reported immediately; the cloud creates the other ports with
 * the instance. `at` returns the field prefix in the request (`networks.0.`).
 */
export async function createPorts(
  { log }: Pick<Engine, 'log'>,
  cloud: ServiceClient,
  drafts: readonly NetworkDraft[],
  at: (card: number) => string,
  { projectId, intent }: { projectId: string; intent: string },
): Promise<{ cards: PortReference[]; takeBack(): Promise<void> }> {
  const made: string[] = []
  const changed: { id: string; before: InstanceInterfaceChange }[] = []
  const takeBack = async () => {
    for (const { id, before } of changed) {
      await changePort(cloud, id, before).catch((error: unknown) =>
        log.warn({ err: error, port: id }, 'failed to restore the protection of a port'),
      )
    }
    for (const id of made) {
      await deleteUnused(cloud, id).catch((error: unknown) =>
        log.warn({ err: error, port: id }, 'failed to delete a port that was created for a virtual machine'),
      )
    }
  }
  try {
    const cards: PortReference[] = []
    for (const [card, draft] of drafts.entries()) {
      const field = at(card)
      if (draft.port_id !== undefined) {
        const before = await freePort(cloud, draft.port_id, projectId, `${field}port_id`)
        const asked = protectionAsked(draft)
        if (Object.keys(asked).length > 0) {
          await changePort(cloud, draft.port_id, asked)
          changed.push({ id: draft.port_id, before })
        }
        cards.push({ port: draft.port_id })
        continue
      }
      await checkNetwork(cloud, draft.id, `${field}id`)
      const isPlain = draft.spoofing_protection !== false && (draft.security_groups ?? []).length === 0
      if (draft.mac === null && draft.fixed_ips.length === 0 && isPlain) {
        cards.push({ uuid: draft.id })
        continue
      }
      const id = await makePort(cloud, draft, field, { project_id: projectId, description: markOf(intent) })
      made.push(id)
      cards.push({ port: id })
    }
    return { cards, takeBack }
  } catch (error) {
    await takeBack()
    throw error
  }
}

const KeptPort = z.object({
  ...{ project_id: z.string(), device_id: z.string() },
  ...{ security_groups: z.array(z.string()).default([]), port_security_enabled: z.boolean().default(true) },
})

/**
 * Returns the current protection settings of an unused port in the project. The port was not created for the instance,
 * so it is kept when the instance is deleted.
 */
async function freePort(
  cloud: ServiceClient,
  id: string,
  projectId: string,
  field: string,
): Promise<InstanceInterfaceChange> {
  const path = `/ports/${encodeURIComponent(id)}`
  const found = await unlessGone(cloud.get('network', path, z.object({ port: KeptPort })))
  if (found?.port.project_id !== projectId) throw fieldProblem(field, 'networking.no_such_port')
  const { device_id, security_groups, port_security_enabled } = found.port
  if (device_id !== '') throw fieldProblem(field, 'networking.port_in_use')
  return { security_groups, spoofing_protection: port_security_enabled }
}

/** Returns the requested protection settings. Clients send an empty list of groups if none is chosen. */
const protectionAsked = ({ spoofing_protection, security_groups = [] }: NetworkDraft): InstanceInterfaceChange => ({
  ...(spoofing_protection !== undefined && { spoofing_protection }),
  ...(security_groups.length > 0 && { security_groups }),
})

async function checkNetwork(cloud: ServiceClient, id: string, field: string): Promise<void> {
  const path = `/networks/${encodeURIComponent(id)}`
  if (await unlessGone(cloud.get('network', path, z.object({ network: z.object({ id: z.string() }) })))) return
  throw fieldProblem(field, 'networking.no_such_network')
}

/** Returns the protection settings as fields of a Neutron port. */
const protectionOf = ({
  spoofing_protection,
  security_groups,
}: Pick<NetworkDraft, 'spoofing_protection' | 'security_groups'>) => ({
  ...(spoofing_protection !== undefined && { port_security_enabled: spoofing_protection }),
  ...(security_groups !== undefined && { security_groups }),
})

/** Changes the port of an interface. */
export async function changePort(cloud: ServiceClient, id: string, change: InstanceInterfaceChange): Promise<void> {
  const port = { ...protectionOf(change), ...(change.fixed_ips && { fixed_ips: change.fixed_ips }) }
  try {
    await cloud.send('PUT', 'network', `/ports/${encodeURIComponent(id)}`, z.void(), { body: { port } })
  } catch (error) {
    throw error instanceof Problem && change.fixed_ips ? atField(error, '', false) : error
  }
}

async function makePort(
  cloud: ServiceClient,
  draft: NetworkDraft,
  at: string,
  more: { project_id: string; description: string },
) {
  const { id, fixed_ips, mac } = draft
  const port = {
    network_id: id,
    ...more,
    ...(fixed_ips.length > 0 && { fixed_ips }),
    ...(mac !== null && { mac_address: mac }),
    ...protectionOf(draft),
  }
  try {
    const made = await cloud.send('POST', 'network', '/ports', z.object({ port: Port }), { body: { port } })
    return made.port.id
  } catch (error) {
    throw error instanceof Problem ? atField(error, at, mac !== null) : error
  }
}

/** Assigns an error to the field that caused it. */
function atField(problem: Problem, at: string, hasMac: boolean): Problem {
  const { code, message } = problem
  const refused = (field: string, as = code) => withField(problem, { field: `${at}${field}`, code: as })
  if (/\bmac\b/i.test(message) && code !== 'forbidden') return refused('mac', 'conflict')
  if (code === 'ip_address_in_use') return refused('fixed_ips')
  if (code === 'validation') return refused('fixed_ips')
  // the cloud's message names only its policy rules
  if (code === 'forbidden')
    return fieldProblem(
      `${at}${hasMac ? 'mac' : 'fixed_ips'}`,
      'networking.owner_chooses_addresses',
      {},
      { data: problem.data, cause: problem },
    )
  if (code === 'quota_exceeded' || code === 'conflict' || code === 'in_use') return refused('id')
  return problem
}

/** Returns the ports of an instance that were created by Mainstay. */
export async function portsMadeFor(cloud: ServiceClient, serverId: string): Promise<string[]> {
  const query = { device_id: serverId, fields: ['id', 'description', 'device_id'] }
  const ids: string[] = []
  for await (const page of cloud.pages('network', '/ports', 'ports', Port, { query })) {
    ids.push(...page.filter(({ description }) => description?.startsWith(mark)).map(({ id }) => id))
  }
  return ids
}

/** Deletes the ports of a failed command, except those in use. */
export async function deletePortsOf(cloud: ServiceClient, intent: string): Promise<void> {
  const query = { description: markOf(intent), fields: ['id', 'description', 'device_id'] }
  for await (const page of cloud.pages('network', '/ports', 'ports', Port, { query })) {
    for (const { id, description } of page) if (description === markOf(intent)) await deleteUnused(cloud, id)
  }
}

/** Returns the ID of the instance that uses the port: empty if there is none, null if the port is gone. */
export async function ownerOfPort(cloud: ServiceClient, id: string): Promise<string | null> {
  const found = await unlessGone(cloud.get('network', `/ports/${encodeURIComponent(id)}`, z.object({ port: Port })))
  return found?.port.device_id ?? null
}

export const deletePort = async (cloud: ServiceClient, id: string): Promise<void> => {
  await unlessGone(cloud.send('DELETE', 'network', `/ports/${encodeURIComponent(id)}`, z.void()))
}

/** Deletes a port unless it is in use. */
export async function deleteUnused(cloud: ServiceClient, id: string): Promise<void> {
  if ((await ownerOfPort(cloud, id)) === '') await deletePort(cloud, id)
}
