import type { Endpoint, ReplyOf } from '@mainstay/contract/core/endpoint'
import type { Kind } from '@mainstay/contract/core/kind'
import type * as z from 'zod'
import type { Area, Key } from '../i18n/catalogues'
import { withParents, type Parents } from './parents'
import type { MenuPlace, NestedPlace, TabPlace } from './route'

/** What every object of a resource has. */
export interface Named {
  id: string
  name: string
}

interface Answering<Reply> extends Endpoint {
  reply: z.ZodType<Reply>
}

/** The calls that the screens of such objects are made of. A page is there when its call is. */
export interface ResourceCalls<Item extends Named = Named> {
  list: Answering<{ data: Item[] }>
  view?: Answering<Item>
  create?: Endpoint
  update?: Answering<Named>
  delete?: Endpoint
}

/** One object of a resource, as its list answers it. */
export type ItemOf<Calls extends ResourceCalls> =
  ReplyOf<Calls['list']> extends { data: (infer Item extends Named)[] } ? Item : never

/** The texts that the pages of a resource need, by the calls that it has: `sshKeys.title`, `sshKeys.add`, ... */
type Word<Calls> =
  | 'title'
  | 'one'
  | 'many'
  | 'empty'
  | (Calls extends { create: Endpoint } ? 'add' : never)
  | (Calls extends { update: Endpoint } ? 'edit' : never)
  | (Calls extends { delete: Endpoint } ? 'deleteOne' | 'deleteOneVerb' | 'deleteMany' | 'deleteManyVerb' : never)

/** Texts that are not in the catalogue: what is written there must come first. */
type Missing<A extends Area, Words extends string, Needed extends string> = Exclude<`${Words}.${Needed}`, Key<A>>
/** Compiles where the catalogue has these texts, and names those that it lacks. */
export type Checked<A extends Area, Words extends string, Needed extends string> = [Missing<A, Words, Needed>] extends [
  never,
]
  ? unknown
  : { missingTexts: Missing<A, Words, Needed> }

const part = encodeURIComponent

/**
 * The addresses of a resource's pages. Screens link with these and never spell an address. `parents`: those of a resource
 * that is in another one; a parent that is left out is any.
 */
function resourcePaths(path: string) {
  const list = (parents?: Parents) => `/${withParents(path, parents)}`
  return {
    list,
    add: (parents?: Parents) => `${list(parents)}/add`,
    view: (id: string, parents?: Parents) => `${list(parents)}/${part(id)}`,
    edit: (id: string, parents?: Parents) => `${list(parents)}/${part(id)}/edit`,
    /** A page below one object: `below(id, 'assign', 'nodes')`. */
    below: (id: string, ...steps: string[]) => [`${list()}/${part(id)}`, ...steps.map(part)].join('/'),
  }
}

/** A resource as the console knows it. Light: no page's code, no schema; every first page has all of them. */
export interface Resource<
  Calls extends ResourceCalls = ResourceCalls,
  A extends Area = Area,
  Words extends string = string,
> {
  kind: Kind
  calls: Calls
  /** The catalogue of its texts. */
  area: A
  /** What its texts begin with. */
  words: Words
  /** Its name among the resources of the contract; left out: as its texts begin. */
  called?: string | undefined
  /** The address of its list, without a slash at the start; with parameters for its parents: `nodes/$node_id/disks`. */
  path: string
  /** The resource that it is shown in: its list stands below one object of that. */
  parent: Resource | undefined
  paths: ReturnType<typeof resourcePaths>
  /** The place of its list in the tree of the menu; left out: it has none. */
  menu: MenuPlace | TabPlace | NestedPlace | undefined
  /** Words typed into the search may be filters of its list: `status:error`. */
  isTyped: boolean
}

/** A resource of such objects, whatever else its calls are. */
export type ResourceOf<Item extends Named> = Resource<ResourceCalls<Item>>

interface Settings<Calls extends ResourceCalls, A extends Area, Words extends string> {
  kind: Kind
  calls: Calls
  area: A
  words: Words & Checked<A, Words, Word<Calls>>
  called?: string
  /** Of the list, without a slash at the start: `compute/ssh-keys`. Of a resource in another one: behind the object, `disks`. */
  path: string
  /** That of the kind's parent, where the list stands below one object of it. */
  parent?: Resource
  menu?: MenuPlace | TabPlace | NestedPlace
  isTyped?: boolean
}

/**
 * Declares a resource. Its pages are in the `area.ts` of its area, by `resourcePages`. A text that its pages need and the
 * catalogue lacks does not compile, and is named.
 */
export const resource = <Calls extends ResourceCalls, A extends Area, Words extends string>(
  settings: Settings<Calls, A, Words>,
): Resource<Calls, A, Words> => {
  const { kind, menu, parent } = settings
  const path = parent ? `${parent.path}/$${kind.parent!.field}/${settings.path}` : settings.path
  return { ...settings, menu, parent, path, isTyped: settings.isTyped ?? false, paths: resourcePaths(path) }
}
