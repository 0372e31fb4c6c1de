import { flavorKind, flavors } from '@mainstay/contract/compute/flavors'
import { imageKind, images } from '@mainstay/contract/compute/images'
import { instanceKind, instances } from '@mainstay/contract/compute/instances'
import { placementKind, placements } from '@mainstay/contract/compute/placements'
import { serverGroupKind, serverGroups } from '@mainstay/contract/compute/server-groups'
import { sshKeyKind, sshKeys } from '@mainstay/contract/compute/ssh-keys'
import type { Kind } from '@mainstay/contract/core/kind'
import { domainKind, domains } from '@mainstay/contract/identity/domains'
import { groupKind, groups } from '@mainstay/contract/identity/groups'
import { projectKind, projects } from '@mainstay/contract/identity/projects'
import { userKind, users } from '@mainstay/contract/identity/users'
import { volumeKind, volumes } from '@mainstay/contract/storage/volumes'
import type { ResourceCalls } from '../../nav/resource'
import type { Act } from './acts'

interface Things {
  list: ResourceCalls['list']
  kind: Kind
}

/** Where the object of an act is chosen from, by the first word of its call. Limits are those of a project. */
const lists = {
  instances: { list: instances.list, kind: instanceKind },
  volumes: { list: volumes.list, kind: volumeKind },
  images: { list: images.list, kind: imageKind },
  sshKeys: { list: sshKeys.list, kind: sshKeyKind },
  serverGroups: { list: serverGroups.list, kind: serverGroupKind },
  flavors: { list: flavors.list, kind: flavorKind },
  placements: { list: placements.list, kind: placementKind },
  quotas: { list: projects.list, kind: projectKind },
  projects: { list: projects.list, kind: projectKind },
  users: { list: users.list, kind: userKind },
  groups: { list: groups.list, kind: groupKind },
  domains: { list: domains.list, kind: domainKind },
}

export const thingsOf = (act: Act): Things | undefined =>
  (lists as unknown as Partial<Record<string, Things>>)[act.slice(0, act.indexOf('.'))]
