import { says, type RuleText } from '../core/said'
import * as z from 'zod'
import { KiB } from '../core/bytes'
import { create, endpoints, read, remove, update } from '../core/endpoint'
import { isThemeKey, mostThemeBytes } from './themes'

/** The most that the data of one property may be, as bytes of JSON and in nested lists and objects, and keys of a domain. */
const mostPropertyBytes = 64 * KiB
export const mostPropertyDepth = 20
export const mostProperties = 100

/**
 * Who reads a property besides operators: `pub` everybody, also before they have signed in; `auth` whoever acts in the domain;
 * `domain` its administrators.
 */
export const propertyAccess = ['pub', 'auth', 'domain'] as const
export const PropertyAccess = z.enum(propertyAccess, says('identity.property_access'))
export type PropertyAccess = z.infer<typeof PropertyAccess>

export const PropertyKey = z
  .string()
  .max(64, says('core.too_long', { most: 64 }))
  .regex(/^[A-Za-z][A-Za-z0-9_.-]*$/, says('identity.property_key_form'))

/** Whether nothing lies deeper in a value than `levels`. Not by recursion, which hostile data could make too deep. */
function isShallow(value: unknown, levels: number): boolean {
  let level = [value]
  for (let depth = 0; depth <= levels; depth++) {
    level = level.flatMap((it) => (typeof it === 'object' && it !== null ? (Object.values(it) as unknown[]) : []))
    if (level.length === 0) return true
  }
  return false
}
const bytesOf = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length

/** Any JSON, as long as it is small. */
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

/** The fault of data that only a theme may have, whose pictures take room; null where there is none. */
export const sizeFault = (key: string, data: unknown): RuleText | null =>
  isThemeKey(key) || bytesOf(data) <= mostPropertyBytes
    ? null
    : says('core.too_many_kib', { most: mostPropertyBytes / KiB })

/** What programs keep of a domain by a key: how it looks, what it may use. */
export const DomainProperty = z.object({ key: z.string(), data: z.unknown(), access: PropertyAccess })
export type DomainProperty = z.infer<typeof DomainProperty>

/** What the product reads of a domain, on or off, and how it is where nobody has set it (S2§3). */
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

/** `{data, access}` sets both; anything else is the data itself, and who reads it stays. */
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
    summary: 'Which properties domains have, by the names of the domains',
    reply: z.array(z.object({ domain: z.string(), keys: z.array(z.string()) })),
  },
  list: {
    verb: 'GET',
    path,
    needs: read('domain_props'),
    summary: 'Properties of a domain, which is named by its id or its name',
    reply: z.array(DomainProperty.omit({ data: true })),
  },
  view: {
    verb: 'GET',
    path: onePath,
    needs: 'public',
    summary:
      'The data of one property of a domain; without signing in where its access is `pub`. Where a domain has no `theme`, it ' +
      'is the `GeneralTheme` of the default domain. Features have a default: ' +
      Object.entries(domainFeatures)
        .map(([key, isOn]) => `${key} ${isOn}`)
        .join(', '),
    reply: z.unknown(),
  },
  create: {
    verb: 'POST',
    path: onePath,
    needs: create('domain_props'),
    summary: 'Give a domain a property that it does not have',
    body: Property,
    status: 201,
    reply: DomainProperty,
  },
  update: {
    verb: 'PUT',
    path: onePath,
    needs: update('domain_props'),
    summary: 'Change a property of a domain: its data and who reads it, or, sent alone, its data',
    body: PropertyChange,
    reply: DomainProperty,
  },
  setAccess: {
    verb: 'PUT',
    path: `${onePath}/access`,
    needs: update('domain_props'),
    summary: 'Change who reads a property of a domain',
    body: z.strictObject({ access: PropertyAccess }).meta({ examples: [{ access: 'auth' }] }),
    reply: DomainProperty,
  },
  delete: {
    verb: 'DELETE',
    path: onePath,
    needs: remove('domain_props'),
    summary: 'Take a property from a domain',
    reply: z.void(),
  },
})
