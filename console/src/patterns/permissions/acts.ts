import type { Resources } from '@mainstay/contract/resources'

type CallName = { [Name in keyof Resources]: `${Name}.${keyof Resources[Name]['calls'] & string}` }[keyof Resources]

/** What people ask about, by the names of the calls. */
export const acts = [
  'instances.list',
  'instances.create',
  'instances.update',
  'instances.start',
  'instances.stop',
  'instances.resize',
  'instances.console',
  'instances.log',
  'instances.setPassword',
  'instances.attachVolume',
  'instances.attachInterface',
  'instances.migrate',
  'instances.reset',
  'instances.lock',
  'instances.delete',
  'volumes.list',
  'volumes.create',
  'volumes.update',
  'volumes.extend',
  'volumes.resetState',
  'volumes.lock',
  'volumes.delete',
  'images.list',
  'images.create',
  'images.update',
  'images.download',
  'images.delete',
  'sshKeys.create',
  'sshKeys.delete',
  'serverGroups.create',
  'serverGroups.delete',
  'flavors.create',
  'flavors.delete',
  'placements.create',
  'placements.update',
  'placements.delete',
  'networks.list',
  'quotas.view',
  'quotas.set',
  'projects.create',
  'projects.update',
  'projects.delete',
  'users.list',
  'users.create',
  'users.update',
  'users.delete',
  'groups.create',
  'groups.update',
  'groups.delete',
  'domains.create',
  'domains.update',
  'domains.delete',
  'auditLog.list',
] as const satisfies readonly CallName[]
export type Act = (typeof acts)[number]
export const isAct = (call: string): call is Act => (acts as readonly string[]).includes(call)

/** Acts that are about one object. */
const aboutNone: ReadonlySet<string> = new Set(['list', 'create'])
export const isAboutOne = (act: Act): boolean => !aboutNone.has(act.slice(act.indexOf('.') + 1))
