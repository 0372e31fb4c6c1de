import type { BodyOf, Endpoint, ParentNames, ReplyOf } from '@mainstay/contract/core/endpoint'
import type { CrudName } from '@mainstay/contract/core/crud'
import type { Resources } from '@mainstay/contract/resources'
import type { QuotasPort } from './quotas'
import type { ProjectScope, Scope } from './scope'

/*
 * The standard commands for a resource, derived from its calls in the contract. The port of an area has them for each
 * plain resource without declaring them. For a kind with a parent, each command takes the parent ID before the row ID.
 * Errors other than `not_found` and `validation` are documented with the implementation.
 */

/** The ID of the parent, if the path of the call contains one. */
type InParent<E extends Endpoint> = [ParentNames<E['path']>] extends [never] ? [] : [parentId: string]

// methods, so that an implementation can accept any scope if it does not require a project
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

/** Commands for the standard calls of a resource; `Own` lists the calls that have their own implementation. */
export type PlainPort<Calls, Own = never> = If<Usual<Calls, Own, 'create'>, Creates<Usual<Calls, Own, 'create'>>> &
  If<Usual<Calls, Own, 'update'>, Updates<Usual<Calls, Own, 'update'>>> &
  If<Usual<Calls, Own, 'delete'>, Deletes<Usual<Calls, Own, 'delete'>>>

/** A port whose types are unknown. */
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

/** The standard commands of an area: those of its plain resources, and of its quotas. */
export type UsualPort<Area extends string> = PlainPorts<Area> & QuotasPort<Area>
