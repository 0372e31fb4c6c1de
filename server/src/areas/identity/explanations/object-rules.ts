import { whyImageStays } from '@mainstay/contract/compute/image-refusals'
import type { Image } from '@mainstay/contract/compute/images'
import { instanceCan, whyNotNow, type InstanceAction } from '@mainstay/contract/compute/instance-rules'
import type { Instance } from '@mainstay/contract/compute/instances'
import { whyPlacementStays } from '@mainstay/contract/compute/placement-rules'
import type { Placement } from '@mainstay/contract/compute/placements'
import { deletionLocked, type DeletionLock } from '@mainstay/contract/core/deletion-locks'
import { Problem, problemOf } from '@mainstay/contract/core/problems'
import type { Domain } from '@mainstay/contract/identity/domains'
import type { Check } from '@mainstay/contract/identity/explanations'
import type { Group } from '@mainstay/contract/identity/groups'
import { requireSystemAdministrator, refuseFederated, refuseLockOut } from '@mainstay/contract/identity/user-rules'
import type { User } from '@mainstay/contract/identity/users'
import { volumeCan, whyVolumeNotNow, type VolumeAction } from '@mainstay/contract/storage/volume-rules'
import { resources } from '@mainstay/contract/resources'
import type { Volume } from '@mainstay/contract/storage/volumes'
import { refuseDefaultDomain, refuseFullDomain } from '@mainstay/engines/ports/directory-rules'
import type { Entity } from '@mainstay/engines/ports/records'
import type { Scope } from '@mainstay/engines/ports/scope'

/*
 * Rules that refuse a call because of the object's state, regardless of roles. They use the same functions as the
 * engines.
 */

/**
 * A rule that throws or returns an error if it refuses the call. `inPart`: it refuses the call only for some requests.
 */
interface Rule {
  refusal: () => Problem | null | void
  inPart?: boolean
}

/** Actions of each instance call. The call is allowed if at least one of its actions is allowed. */
const instanceCalls: Readonly<Record<string, readonly InstanceAction[]>> = {
  start: ['start'],
  stop: ['shutDown', 'powerOff'],
  cancelStop: ['cancelShutdown'],
  reboot: ['reboot', 'hardReboot'],
  suspend: ['suspend'],
  resume: ['resume'],
  pause: ['pause'],
  unpause: ['unpause'],
  shelve: ['shelve'],
  unshelve: ['unshelve'],
  rescue: ['rescue'],
  unrescue: ['unrescue'],
  attachVolume: ['attachVolume'],
  detachVolume: ['detachVolume'],
  attachInterface: ['attachInterface'],
  detachInterface: ['detachInterface'],
  console: ['console'],
  setPassword: ['setPassword'],
  migrate: ['migrate'],
  evacuate: ['evacuate'],
  delete: ['delete'],
}

const volumeCalls: Readonly<Record<string, VolumeAction>> = {
  update: 'rename',
  extend: 'extend',
  clone: 'clone',
  uploadToImage: 'uploadToImage',
  delete: 'delete',
}

function lockRules(resource: string, call: string, object: Entity): Rule[] {
  const deletion_lock = object['deletion_lock'] as DeletionLock | undefined
  if (call !== 'delete' || !deletion_lock) return []
  const kind = resources[resource as 'volumes'].kind.name
  const row = { kind, id: object.id, name: String(object['name']), deletion_lock }
  return [{ refusal: () => deletionLocked([row], row.id) }]
}

function stateRules(resource: string, call: string, object: Entity): Rule[] {
  if (resource === 'instances') {
    const row = object as unknown as Instance
    const actions = instanceCalls[call] ?? []
    const isRefused = actions.length > 0 && !actions.some((action) => instanceCan(action, row))
    return isRefused
      ? [{ refusal: () => problemOf(whyNotNow(actions[0]!, row), { data: { status: row.status } }) }]
      : []
  }
  if (resource === 'volumes') {
    const row = object as unknown as Volume
    const action = volumeCalls[call]
    const isRefused = action !== undefined && !volumeCan(action, row)
    return isRefused ? [{ refusal: () => problemOf(whyVolumeNotNow(row)) }] : []
  }
  if (resource === 'images' && call === 'delete') {
    const image = object as unknown as Image
    // some engines cancel an unfinished upload when its image is deleted
    return [{ refusal: () => whyImageStays(image), inPart: !image.protected }]
  }
  if (resource === 'placements' && call === 'delete') {
    const { nodes = [], images = [], flavors = [] } = object as unknown as Placement
    const use = { nodes: nodes.length, images: images.length, flavors: flavors.length, servers: 0 }
    return [{ refusal: () => whyPlacementStays(use) }]
  }
  return []
}

function domainRules(call: string, object: Entity): Rule[] {
  const { id, projects_count, users_count } = object as unknown as Domain
  if (call === 'update') return [{ refusal: () => refuseDefaultDomain(id, 'disabled'), inPart: true }]
  if (call !== 'delete') return []
  return [
    { refusal: () => refuseDefaultDomain(id, 'deleted') },
    { refusal: () => refuseFullDomain(projects_count, 0, { withUsers: true }) },
    // the deletion is allowed if the users are deleted together with the domain
    { refusal: () => refuseFullDomain(0, users_count, { withUsers: false }), inPart: true },
  ]
}

function userRules(call: string, scope: Scope, object: Entity): Rule[] {
  if (!['update', 'replace', 'delete'].includes(call)) return []
  const row = object as unknown as User
  const whom = {
    id: row.id,
    identity_provider: row.identity_provider,
    roles: [...row.system_permissions, ...row.domain_permissions],
    roles_of_groups: row.groups.flatMap((group) => group.system_permissions),
  }
  const isDeleting = call === 'delete'
  return [
    { refusal: () => requireSystemAdministrator(scope, whom) },
    { refusal: () => refuseLockOut(scope, whom, isDeleting ? 'deleted' : 'disabled'), inPart: !isDeleting },
    ...(isDeleting ? [] : [{ refusal: () => refuseFederated(whom, { name: '', password: '' }), inPart: true }]),
  ]
}

function groupRules(call: string, scope: Scope, object: Entity): Rule[] {
  if (!['update', 'delete', 'addMembers', 'removeMembers'].includes(call)) return []
  const { system_permissions: roles } = object as unknown as Group
  return [{ refusal: () => requireSystemAdministrator(scope, { roles }, 'group') }]
}

/** Returns a check for each rule that refuses a call such as `volumes.delete` in the scope. */
export function rulesOf(name: string, scope: Scope, object: Entity, userId: string): Check[] {
  const [resource = '', call = ''] = name.split('.')
  const rules =
    resource === 'users'
      ? userRules(call, scope, object)
      : resource === 'groups'
        ? groupRules(call, scope, object)
        : resource === 'domains'
          ? domainRules(call, object)
          : [...lockRules(resource, call, object), ...stateRules(resource, call, object)]
  return rules.flatMap(({ refusal, inPart = false }) => {
    const problem = refusalOf(refusal)
    if (!problem) return []
    const data = { err_code: problem.code, fields: Object.keys(problem.fields), user_id: userId }
    // whether this rule refuses the call depends on the request body
    return [{ code: 'rule' as const, passed: inPart ? null : false, message: problem.message, data }]
  })
}

function refusalOf(refusal: Rule['refusal']): Problem | null {
  try {
    return refusal() ?? null
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return error
  }
}
