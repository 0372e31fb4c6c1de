import type { ComponentType } from 'react'
import type { BodyInputOf, Endpoint } from '@mainstay/contract/core/endpoint'
import type * as z from 'zod'
import type { FieldValues } from 'react-hook-form'
import type { ItemOf, Resource, ResourceCalls } from '../../nav/resource'

/** The form of an ordinary resource; schemas are the contract's own, so that form and server check the same. */
export interface ResourceForm {
  create?: { schema: z.ZodType<unknown, FieldValues>; start: FieldValues }
  update?: {
    schema: z.ZodType<unknown, FieldValues>
    /** What the fields hold at first. */
    start: (item: { id: string }) => FieldValues
    /** Why it cannot be changed here. */
    useBarred?: () => string | undefined
  }
  Fields: ComponentType
}

type Body<Call> = Call extends Endpoint ? BodyInputOf<Call> & FieldValues : never

interface Settings<
  Calls extends ResourceCalls,
  Draft extends z.ZodType<unknown, FieldValues>,
  Change extends z.ZodType<unknown, FieldValues>,
> {
  create?: { schema: Draft & (z.output<Draft> extends Body<Calls['create']> ? unknown : never); start: z.input<Draft> }
  update?: {
    schema: Change & (z.output<Change> extends Body<Calls['update']> ? unknown : never)
    start: (item: ItemOf<Calls>) => z.input<Change>
    useBarred?: () => string | undefined
  }
  Fields: ComponentType
}

/** Declares the form of a resource: `export default form(serverGroupResource, { create: { schema, start }, Fields })`. */
export const form = <
  Calls extends ResourceCalls,
  Draft extends z.ZodType<unknown, FieldValues>,
  Change extends z.ZodType<unknown, FieldValues> = never,
>(
  _resource: Resource<Calls>,
  settings: Settings<Calls, Draft, Change>,
) => settings as unknown as ResourceForm
