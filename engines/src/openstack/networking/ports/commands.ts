import { says, type RuleText } from '@mainstay/contract/core/said'
import type { Problem } from '@mainstay/contract/core/problems'
import { fieldProblem, problemOf, withField } from '@mainstay/contract/core/problems'
import type { FloatingIp } from '@mainstay/contract/networking/floating-ips'
import type { Port, PortChange, PortDraft } from '@mainstay/contract/networking/ports'
import * as z from 'zod'
import type { PortsPort } from '../../../ports/networking'
import type { ProjectScope, Scope } from '../../../ports/scope'
import type { ServiceClient } from '../../client/service-client'
import type { Engine, TaskSteps } from '../../engine'
import { unlessGone } from '../../read-each'
import { deleteRow, markedBy, markOf } from '../marks'
import { leftBehind, orElse } from '../refusals'
import { usableNetwork } from '../visible'
import { portReader } from './reader'

const pathOf = (id: string) => `/ports/${encodeURIComponent(id)}`
const setTags = (cloud: ServiceClient, id: string, tags: string[]) =>
  cloud.send('PUT', 'network', `${pathOf(id)}/tags`, z.void(), { body: { tags } })

export function portCommands(engine: Engine): PortsPort {
  engine.registerTaskSteps('compute.port.create', createSteps(engine))
  return { create: (scope, draft) => create(engine, scope, draft), ...otherCommands(engine) }
}

async function create(engine: Engine, scope: ProjectScope, draft: PortDraft): Promise<Port> {
  checkOperators(scope, draft)
  checkGroups(draft, true)
  const network = await usableNetwork(engine, scope, draft.network_id, { action: 'direct', field: 'network_id' })
  const { project_id, network_id, tags = [], ...fields } = draft
  if (project_id !== undefined && project_id !== scope.project_id && scope.kind !== 'system')
    throw fieldProblem('project_id', 'networking.ports_of_others')
  const cloud = await engine.as(scope)
  const body = {
    network_id,
    ...attributesOf(fields),
    ...(draft.mac_address !== undefined && { mac_address: draft.mac_address }),
    ...(project_id !== undefined && { project_id }),
  }
  const send = async (more: object = {}): Promise<string> => {
    const Made = z.object({ port: z.object({ id: z.string() }) })
    const sent = cloud.send('POST', 'network', '/ports', Made, { body: { port: { ...body, ...more } } })
    const { port } = await orElse(sent, (problem) => {
      throw refusalOf(problem, draft, network.name)
    })
    return port.id
  }
  const withTags = async (intent: string): Promise<string> => {
    const id = await send({ description: markOf(intent) })
    try {
      await setTags(cloud, id, tags)
      const port = { description: draft.description ?? '' }
      await cloud.send('PUT', 'network', pathOf(id), z.void(), { body: { port } })
    } catch (error) {
      await deleteRow(cloud, 'ports', id).catch((cause: unknown) => {
        throw leftBehind(cause)
      })
      throw error
    }
    return id
  }
  const subject = { kind: 'port', id: '', name: draft.name ?? '' }
  const id =
    tags.length === 0
      ? await send()
      : await engine.command({ name: 'compute.port.create', subject, until: 'settled', scope }, withTags, () => [])
  return engine.refresh(portReader, id)
}

/**
 * Steps of tasks that create ports. Tags require a separate call, so a port that still has the mark of its intent is
 * incomplete.
 */
const createSteps = (engine: Engine): TaskSteps => ({
  find: async () => false,
  async undo({ task_id }) {
    const id = await markedBy(engine.reading.caller, 'ports', task_id)
    if (id !== null) await deleteRow(engine.reading.caller, 'ports', id)
  },
})

const otherCommands = (engine: Engine): Pick<PortsPort, 'update' | 'delete'> => ({
  async update(scope, id, change) {
    const row = await engine.known<Port>('port', scope, id)
    checkSame(row, change)
    checkOperators(scope, change, row)
    checkGroups(change, row.spoofing_protection)
    const { tags, project_id: _, network_id: __, mac_address: ___, ...fields } = change
    const cloud = await engine.as(scope)
    const attributes = attributesOf(fields)
    if (Object.keys(attributes).length > 0)
      await orElse(cloud.send('PUT', 'network', pathOf(id), z.void(), { body: { port: attributes } }), (problem) => {
        throw refusalOf(problem, change, row.network_name)
      })
    if (tags !== undefined) await setTags(cloud, id, tags)
    return engine.refresh(portReader, id)
  },

  async delete(scope, id) {
    const row = await engine.known<Port>('port', scope, id)
    const refusal = await whyItStays(engine, row)
    if (refusal) throw refusal
    await deleteRow(await engine.as(scope), 'ports', id)
    await unlessGone(engine.refresh(portReader, id))
  },
})

/** Throws if a port has security groups without spoofing protection, which they require. */
function checkGroups({ spoofing_protection, security_groups }: PortChange, before: boolean): void {
  const isProtected = spoofing_protection ?? before
  if (security_groups?.length === 0 && isProtected)
    throw fieldProblem('security_groups', 'networking.group_or_no_protection')
  if (security_groups && security_groups.length > 0 && !isProtected)
    throw fieldProblem('security_groups', 'networking.groups_need_spoofing_protection')
}

/** Returns the port attributes in Neutron. Without spoofing protection, a port has no security groups. */
function attributesOf(fields: Omit<PortChange, 'network_id' | 'project_id' | 'tags'>): Record<string, unknown> {
  const { spoofing_protection: isProtected, mac_address: _, ...rest } = fields
  return {
    ...rest,
    ...(isProtected !== undefined && { port_security_enabled: isProtected }),
    ...(isProtected === false && rest.security_groups === undefined && { security_groups: [] }),
  }
}

/** Fields that only operators may set, with their defaults. */
const ofOperators = { device_id: '', device_owner: '', 'binding:host_id': '', 'binding:vnic_type': 'normal' } as const

/** Throws if a member sets a field reserved for operators. Clients may send its current value again. */
function checkOperators(scope: Scope, said: PortChange, row?: Port): void {
  if (scope.kind === 'system') return
  for (const field of Object.keys(ofOperators) as (keyof typeof ofOperators)[])
    if (said[field] !== undefined && said[field] !== ((row ? row[field] : null) ?? ofOperators[field]))
      throw fieldProblem(field, 'networking.operators_only')
}

function checkSame(row: Port, change: PortChange): void {
  for (const field of ['network_id', 'mac_address', 'project_id'] as const)
    if (change[field] !== undefined && change[field] !== row[field])
      throw fieldProblem(field, 'networking.field_is_fixed', { value: row[field] })
}

/** Assigns an error to the field that caused it. */
function refusalOf(problem: Problem, said: PortChange, network: string): Problem {
  const { code, message } = problem
  const chosen = said.mac_address === undefined ? 'fixed_ips' : 'mac_address'
  if (code === 'no_free_addresses')
    return withField(problem, {
      field: said.fixed_ips === undefined ? 'network_id' : 'fixed_ips',
      message: says('networking.addresses_used_up', { network }),
    })
  if (code === 'ip_address_in_use') return withField(problem, { field: 'fixed_ips' })
  if (code === 'not_found' && said.security_groups !== undefined) {
    const at = said.security_groups.findIndex((id) => message.includes(id))
    const field = at < 0 ? 'security_groups' : `security_groups.${at}`
    return withField(problem, { field, code: 'validation', message: says('networking.no_such_group') })
  }
  if (code === 'forbidden' && (said.fixed_ips !== undefined || said.mac_address !== undefined))
    return withField(problem, {
      field: chosen,
      message: says('networking.owner_chooses_addresses'),
    })
  if (code === 'forbidden' && said.spoofing_protection !== undefined)
    return withField(problem, {
      field: 'spoofing_protection',
      message: says('networking.owner_sets_protection'),
    })
  // the cloud reports "in use" for MAC addresses as well as IP addresses
  if (/\bmac\b/i.test(message)) return withField(problem, { field: 'mac_address', code: 'conflict' })
  if (/security.?group|port.?security/i.test(message) && (code === 'conflict' || code === 'in_use'))
    return withField(problem, { field: 'security_groups', code: 'conflict' })
  if (code === 'validation' && said.fixed_ips !== undefined) return withField(problem, { field: 'fixed_ips' })
  return problem
}

/** Returns an error that names the owner of a port, which therefore cannot be deleted; null if it has no owner. */
async function whyItStays(engine: Engine, row: Port): Promise<Problem | null> {
  const { device_id, device_owner, device_name, floating_ips } = row
  const inUse = (kind: string, id: string, name: string, words: RuleText) =>
    problemOf(words, { data: { used_by: [{ kind, id, name }] } })
  if (device_id !== '') {
    const name = device_name || device_id
    if (device_owner.startsWith('compute:'))
      return inUse('server', device_id, name, says('networking.port_of_instance', { name }))
    if (device_owner.startsWith('network:router_'))
      return inUse('router', device_id, name, says('networking.port_of_router', { name }))
    return inUse('port', device_id, name, says('networking.port_of_owner', { owner: device_owner || name }))
  }
  const [floating] = floating_ips
  if (floating === undefined) return null
  const found = await engine.records.transaction((tx) => tx.get<FloatingIp>('floating_ip', floating))
  const address = found?.floating_ip_address ?? floating
  return inUse('floating_ip', floating, address, says('networking.port_of_floating_ip', { address }))
}
