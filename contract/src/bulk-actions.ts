import * as z from 'zod'
import { paramNames, parentNames, type Endpoint } from './core/endpoint'
import type { KindName, ResourceOfKind } from './resources'

const Enabled = z.strictObject({ enabled: z.boolean() })

type CallOfKind<Name extends KindName> =
  ResourceOfKind<Name> extends { calls: infer Calls } ? Exclude<keyof Calls & string, 'delete'> : never

/**
 * Calls that support bulk runs in addition to `delete`, which every kind with a single-row delete call supports. The
 * schema restricts the body that a run accepts. The body must not contain secrets, because it is stored with the run.
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
/** Returns a schema for the body of the calls in a bulk run, or undefined if the call does not support bulk runs. */
export function bulkBodyOf(
  kind: string,
  action: string,
  { body, path }: Pick<Endpoint, 'body' | 'path'>,
): z.ZodType | undefined {
  // a run stores only object IDs, not parent IDs
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
