import * as z from 'zod'
import { paramNames, parentNames, type Endpoint } from './core/endpoint'
import type { KindName, ResourceOfKind } from './resources'

const Enabled = z.strictObject({ enabled: z.boolean() })

type CallOfKind<Name extends KindName> =
  ResourceOfKind<Name> extends { calls: infer Calls } ? Exclude<keyof Calls & string, 'delete'> : never

/**
 * Calls that may be made of many objects besides deleting them, which every kind has whose rows are deleted one by one. A
 * schema says which part of the body a run takes: what a run is begun with is kept, so no secret may be in it.
 */
const furtherActions: { readonly [Name in KindName]?: { readonly [Called in CallOfKind<Name>]?: z.ZodType | null } } = {
  server: {
    start: null,
    stop: null,
    reboot: null,
    suspend: null,
    resume: null,
    pause: null,
    unpause: null,
    shelve: null,
    unshelve: null,
    migrate: null,
    lock: null,
    unlock: null,
  },
  volume: { lock: null, unlock: null },
  recycled_item: { restore: null },
  ipsec_site_connection: { restart: null },
  user: { update: Enabled },
  project: { update: Enabled },
  domain: { update: Enabled },
  identity_provider: { update: Enabled },
}

const known: Readonly<Record<string, Readonly<Record<string, z.ZodType | null>>>> = furtherActions
/** What of a body a run of this call takes; undefined where it is no call for many. */
export function bulkBodyOf(
  kind: string,
  action: string,
  { body, path }: Pick<Endpoint, 'body' | 'path'>,
): z.ZodType | undefined {
  // a run knows objects by their ids, and leaves their parents out
  if (
    paramNames(path)
      .filter((name) => !parentNames(path).includes(name))
      .join() !== 'id'
  )
    return undefined
  const further = Object.hasOwn(known, kind) ? known[kind]! : {}
  const isOne = action === 'delete' || Object.hasOwn(further, action)
  return isOne ? (further[action] ?? body ?? z.undefined()) : undefined
}
