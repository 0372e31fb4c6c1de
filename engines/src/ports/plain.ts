import type { BodyOf, Endpoint, ParentNames, ReplyOf } from '@mainstay/contract/core/endpoint'
import type { CrudName } from '@mainstay/contract/core/crud'
import type { Resources } from '@mainstay/contract/resources'
import type { QuotasPort } from './quotas'
import type { ProjectScope, Scope } from './scope'

/*
 * The usual commands of a resource, by its calls in the contract: an area's port has them for each of its plain resources
 * without a word. Of a kind with a parent each takes the ID of the parent before that of the row. What one throws beyond `not_found` and `validation` with the draft's fields is said where it is done.
 */

/** The ID of the parent, where the path of a call names one. */
type InParent<E extends Endpoint> = [ParentNames<E['path']>] extends [never] ? [] : [parentId: string]

// as methods, so that a port may ask for no more than a scope where it needs no project
interface Creates<E extends Endpoint> {
  create(scope: ProjectScope, ...words: [...InParent<E>, draft: BodyOf<E>]): Promise<ReplyOf<E>>
}
interface Updates<E extends Endpoint> {
  update(scope: Scope, ...words: [...InParent<E>, id: string, change: BodyOf<E>]): Promise<ReplyOf<E>>
}
interface Deletes<E extends Endpoint> {
  delete(scope: Scope, ...words: [...InParent<E>, id: string]): Promise<ReplyOf<E>>
}

type Usual<Calls, Own, Name extends CrudName> =
  Calls extends Record<Name, infer E extends Endpoint> ? (Name extends Own ? never : E) : never
type If<E extends Endpoint, Part> = [E] extends [never] ? unknown : Part

/** Commands for the usual calls of a resource; `Own` are names of calls that are served otherwise. */
export type PlainPort<Calls, Own = never> = If<Usual<Calls, Own, 'create'>, Creates<Usual<Calls, Own, 'create'>>> &
  If<Usual<Calls, Own, 'update'>, Updates<Usual<Calls, Own, 'update'>>> &
  If<Usual<Calls, Own, 'delete'>, Deletes<Usual<Calls, Own, 'delete'>>>

/** When nothing of the types is known. */
export interface AnyPlainPort {
  create(scope: ProjectScope, ...words: unknown[]): Promise<unknown>
  update(scope: Scope, ...words: unknown[]): Promise<unknown>
  delete(scope: Scope, ...words: string[]): Promise<unknown>
}

type Command = 'create' | 'update' | 'delete'
type IsPlain<Calls> = [Exclude<keyof Calls, CrudName>] extends [never] ? true : false
type PlainOf<Area extends string> = {
  [Name in keyof Resources]: Resources[Name] extends { area: Area; calls: infer Calls }
    ? IsPlain<Calls> extends true
      ? [keyof Calls & Command] extends [never]
        ? never
        : Name
      : never
    : never
}[keyof Resources]

/** The plain resources of an area that have commands. */
export type PlainPorts<Area extends string> = { [Name in PlainOf<Area>]: PlainPort<Resources[Name]['calls']> }

/** The usual commands of an area: those of its plain resources, and of its quotas. */
export type UsualPort<Area extends string> = PlainPorts<Area> & QuotasPort<Area>
