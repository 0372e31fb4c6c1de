import type { ComponentType } from 'react'
import type { BodyInputOf, Endpoint } from '@mainstay/contract/core/endpoint'
import type * as z from 'zod'
import type { FieldValues } from 'react-hook-form'
import type { ItemOf, Named, Resource, ResourceCalls } from '../../nav/resource'

/** The form of an ordinary resource; schemas are the contract's own, so that form and server check the same. */
export interface ResourceForm<Item extends Named> {
  create?: { schema: z.ZodType<unknown, FieldValues>; start: FieldValues }
  update?: {
    schema: z.ZodType<unknown, FieldValues>
    /** What the fields hold at first. */
    start: (item: Item) => FieldValues
    /** Why it cannot be changed here. */
    useBarred?: () => string | undefined
  }
  Fields: ComponentType
}

type Body<Call> = Call extends Endpoint ? BodyInputOf<Call> : never

interface Settings<Calls extends ResourceCalls, Draft extends FieldValues, Change extends FieldValues> {
  create?: { schema: z.ZodType<Body<Calls['create']>, Draft>; start: NoInfer<Draft> }
  update?: {
    schema: z.ZodType<Body<Calls['update']>, Change>
    start: (item: ItemOf<Calls>) => NoInfer<Change>
    useBarred?: () => string | undefined
  }
  Fields: ComponentType
}

/** Declares the form of a resource: `export default form(serverGroupResource, { create: { schema, start }, Fields })`. */
export const form = <Calls extends ResourceCalls, Draft extends FieldValues, Change extends FieldValues>(
  _resource: Resource<Calls>,
  settings: Settings<Calls, Draft, Change>,
): ResourceForm<ItemOf<Calls>> => settings
