import { says, type RuleText } from '../core/said'
import * as z from 'zod'
import { KiB } from '../core/bytes'
import { create, endpoints, read, remove, update } from '../core/endpoint'
import { isThemeKey, mostThemeBytes } from './themes'

/** Limits: size of a property as JSON in bytes, nesting depth of a property, and number of properties per domain. */
const mostPropertyBytes = 64 * KiB
export const mostPropertyDepth = 20
export const mostProperties = 100

/**
 * Who can read a property, besides operators. `pub`: anyone, without signing in. `auth`: users with a scope in the
 * domain. `domain`: administrators of the domain.
 */
export const propertyAccess = ['pub', 'auth', 'domain'] as const
export const PropertyAccess = z.enum(propertyAccess, says('identity.property_access'))
export type PropertyAccess = z.infer<typeof PropertyAccess>

export const PropertyKey = z
  .string()
  .max(64, says('core.too_long', { most: 64 }))
  .regex(/^[A-Za-z][A-Za-z0-9_.-]*$/, says('identity.property_key_form'))

/** Whether a value is nested at most `levels` deep. Iterative, so that hostile input cannot exhaust the stack. */
function isShallow(value: unknown, levels: number): boolean {
  let level = [value]
  for (let depth = 0; depth <= levels; depth++) {
    level = level.flatMap((it) => (typeof it === 'object' && it !== null ? (Object.values(it) as unknown[]) : []))
    if (level.length === 0) return true
  }
  return false
}
const bytesOf = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length

/** Any JSON value of limited size and depth. */
const PropertyData = z
  .unknown()
  .refine((value) => value !== undefined, says('identity.enter_property_data'))
  .refine((value) => isShallow(value, mostPropertyDepth), {
    error: says('identity.property_too_deep', { most: mostPropertyDepth }),
    abort: true,
  })
  .refine(
    (value) => value === undefined || bytesOf(value) <= mostThemeBytes,
    says('core.too_many_kib', { most: mostThemeBytes / KiB }),
  )

/**
 * Returns the error message for data that exceeds the limit for ordinary properties, or null if it fits. Themes may be
 * larger because they contain images.
 */
export const sizeFault = (key: string, data: unknown): RuleText | null =>
  isThemeKey(key) || bytesOf(data) <= mostPropertyBytes
    ? null
    : says('core.too_many_kib', { most: mostPropertyBytes / KiB })

/** Data that programs store for a domain under a key, such as its theme or its features. */
export const DomainProperty = z.object({ key: z.string(), data: z.unknown(), access: PropertyAccess })
export type DomainProperty = z.infer<typeof DomainProperty>

/** Features of a domain that can be turned on or off, with their defaults (S2§3). */
export const domainFeatures = {
  allow_live_resize: false,
  allow_live_resize_migration: false,
  HciComputeBackupEnabled: true,
} as const
export type DomainFeature = keyof typeof domainFeatures
export const isDomainFeature = (key: string): key is DomainFeature => Object.hasOwn(domainFeatures, key)

const Property = z
  .strictObject({ data: PropertyData, access: PropertyAccess.default('domain') })
  .meta({ examples: [{ data: { colorScheme: 'teal' }, access: 'pub' }] })

/** `{data, access}` sets both. Any other body is the data itself and leaves the access unchanged. */
const PropertyChange = PropertyData.transform((body) => {
  const both = z.strictObject({ data: z.unknown(), access: PropertyAccess }).safeParse(body)
  return both.success && 'data' in both.data ? both.data : { data: body, access: undefined }
}).meta({ examples: [{ data: { colorScheme: 'teal' }, access: 'pub' }] })

const path = '/api/v2/domains/:domain_id/props'
const onePath = `${path}/:key` as const
export const domainProperties = endpoints({
  all: {
    verb: 'GET',
    path: '/api/v2/domains/props',
    needs: read('domain_props'),
    summary: 'List the property keys of all domains',
    reply: z.array(z.object({ domain: z.string(), keys: z.array(z.string()) })),
  },
  list: {
    verb: 'GET',
    path,
    needs: read('domain_props'),
    summary: 'List the properties of a domain. The domain is identified by its ID or its name.',
    reply: z.array(DomainProperty.omit({ data: true })),
  },
  view: {
    verb: 'GET',
    path: onePath,
    needs: 'public',
    summary:
      'Get the data of a domain property. No sign-in is required if its access is `pub`. A domain without `theme` ' +
      'has the `GeneralTheme` of the default domain. Defaults of features: ' +
      Object.entries(domainFeatures)
        .map(([key, isOn]) => `${key} ${isOn}`)
        .join(', ') +
      '.',
    reply: z.unknown(),
  },
  create: {
    verb: 'POST',
    path: onePath,
    needs: create('domain_props'),
    summary: 'Add a property to a domain',
    body: Property,
    status: 201,
    reply: DomainProperty,
  },
  update: {
    verb: 'PUT',
    path: onePath,
    needs: update('domain_props'),
    summary: 'Update a domain property. The body is `{data, access}`, or the data alone.',
    body: PropertyChange,
    reply: DomainProperty,
  },
  setAccess: {
    verb: 'PUT',
    path: `${onePath}/access`,
    needs: update('domain_props'),
    summary: 'Set the access of a domain property',
    body: z.strictObject({ access: PropertyAccess }).meta({ examples: [{ access: 'auth' }] }),
    reply: DomainProperty,
  },
  delete: {
    verb: 'DELETE',
    path: onePath,
    needs: remove('domain_props'),
    summary: 'Delete a domain property',
    reply: z.void(),
  },
})
