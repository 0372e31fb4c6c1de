import type { Endpoint, ReplyOf } from '@mainstay/contract/core/endpoint'
import type { Kind } from '@mainstay/contract/core/kind'
import type * as z from 'zod'
import type { Area, Key } from '../i18n/catalogues'
import { withParents, type Parents } from './parents'
import type { MenuPlace, NestedPlace, TabPlace } from './route'

/** Fields common to all objects of a resource. */
export interface Named {
  id: string
  name: string
}

interface Answering<Reply> extends Endpoint {
  reply: z.ZodType<Reply>
}

/** The calls behind a resource's screens. A page exists if its call exists. */
export interface ResourceCalls<Item extends Named = Named> {
  list: Answering<{ data: Item[] }>
  view?: Answering<Item>
  create?: Endpoint
  update?: Answering<Named>
  delete?: Endpoint
}

/** Type of a resource's objects, as returned by its list call. */
export type ItemOf<Calls extends ResourceCalls> =
  ReplyOf<Calls['list']> extends { data: (infer Item extends Named)[] } ? Item : never

/**
 * Key suffixes of the strings required by a resource's pages, depending on its calls: `sshKeys.title`, `sshKeys.add`, …
 */
type Word<Calls> =
  | 'title'
  | 'one'
  | 'many'
  | 'empty'
  | (Calls extends { create: Endpoint } ? 'add' : never)
  | (Calls extends { update: Endpoint } ? 'edit' : never)
  | (Calls extends { delete: Endpoint } ? 'deleteOne' | 'deleteOneVerb' | 'deleteMany' | 'deleteManyVerb' : never)

/** Required strings that the catalogue does not contain. */
type Missing<A extends Area, Words extends string, Needed extends string> = Exclude<`${Words}.${Needed}`, Key<A>>
/** Accepts any type if all strings exist, and otherwise names the missing strings in the compile error. */
export type Checked<A extends Area, Words extends string, Needed extends string> = [Missing<A, Words, Needed>] extends [
  never,
]
  ? unknown
  : { missingTexts: Missing<A, Words, Needed> }

const part = encodeURIComponent

/**
 * Builds the paths of a resource's pages, so that screens do not hard-code them. `parents` are those of a nested
 * resource; a missing parent means any parent.
 */
function resourcePaths(path: string) {
  const list = (parents?: Parents) => `/${withParents(path, parents)}`
  return {
    list,
    add: (parents?: Parents) => `${list(parents)}/add`,
    view: (id: string, parents?: Parents) => `${list(parents)}/${part(id)}`,
    edit: (id: string, parents?: Parents) => `${list(parents)}/${part(id)}/edit`,
    /** A page under an object: `below(id, 'assign', 'nodes')`. */
    below: (id: string, ...steps: string[]) => [`${list()}/${part(id)}`, ...steps.map(part)].join('/'),
  }
}

/** Describes a resource. Contains neither page code nor schemas, because every first page loads all descriptions. */
export interface Resource<
  Calls extends ResourceCalls = ResourceCalls,
  A extends Area = Area,
  Words extends string = string,
> {
  kind: Kind
  calls: Calls
  /** The catalogue that contains its strings. */
  area: A
  /** Key prefix of its strings. */
  words: Words
  /** Name of the resource in the contract; default: `words`. */
  called?: string | undefined
  /** Path of its list, without a leading slash, with parameters for parents: `nodes/$node_id/disks`. */
  path: string
  /** The parent resource, if the list is nested under one of its objects. */
  parent: Resource | undefined
  paths: ReturnType<typeof resourcePaths>
  /** The place of its list in the menu tree, if any. */
  menu: MenuPlace | TabPlace | NestedPlace | undefined
  /** Whether filters such as `status:error`, typed into the global search, can apply to its list. */
  isTyped: boolean
}

/** A resource whose objects have this type, with any calls. */
export type ResourceOf<Item extends Named> = Resource<ResourceCalls<Item>>

interface Settings<Calls extends ResourceCalls, A extends Area, Words extends string> {
  kind: Kind
  calls: Calls
  area: A
  words: Words & Checked<A, Words, Word<Calls>>
  called?: string
  /**
   * Path of the list, without a leading slash: `compute/ssh-keys`. For a nested resource, only the last segment:
   * `disks`.
   */
  path: string
  /** The parent kind's resource, for lists nested under an object. */
  parent?: Resource
  menu?: MenuPlace | TabPlace | NestedPlace
  isTyped?: boolean
}

/**
 * Declares a resource. `resourcePages` creates its pages in its area's `area.ts`. Strings that are missing from the
 * catalogue cause compile errors that name them.
 */
export const resource = <Calls extends ResourceCalls, A extends Area, Words extends string>(
  settings: Settings<Calls, A, Words>,
): Resource<Calls, A, Words> => {
  const { kind, menu, parent } = settings
  const path = parent ? `${parent.path}/$${kind.parent!.field}/${settings.path}` : settings.path
  return { ...settings, menu, parent, path, isTyped: settings.isTyped ?? false, paths: resourcePaths(path) }
}
