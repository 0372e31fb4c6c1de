import * as z from 'zod'
import { says } from './said'

/**
 * Matches visible text only. Control characters break logs and terminals; zero-width and bidirectional control
 * characters make one name look like another.
 */
export const isVisible = /^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]*$/u
export const NOT_VISIBLE = says('core.not_visible')

/** A resource name has 2-255 characters and starts with a letter (S2§5). */
export const ResourceName = z
  .string()
  .min(2, says('core.too_short', { least: 2 }))
  .max(255, says('core.too_long', { most: 255 }))
  .regex(/^\p{L}/u, says('core.start_with_letter'))
  .regex(isVisible, NOT_VISIBLE)

/** A short name of 2-32 characters, for use in menus (S2§5). */
export const ShortName = z
  .string()
  .trim()
  .min(2, says('core.too_short', { least: 2 }))
  .max(32, says('core.too_long', { most: 32 }))
  .regex(isVisible, NOT_VISIBLE)

/** A name of ASCII letters and digits, safe in mail filters and file names (S2§5). May be empty. */
export const AlphanumericName = z
  .string()
  .trim()
  .max(32, says('core.too_long', { most: 32 }))
  .regex(/^[A-Za-z0-9]*$/, says('core.letters_and_digits'))

/** A name of 2-255 characters without a slash, since command-line clients look it up with `GET .../NAME` (S2§5). */
export const NameWithoutSlash = z
  .string()
  .min(2, says('core.too_short', { least: 2 }))
  .max(255, says('core.too_long', { most: 255 }))
  .regex(/^[^/]*$/, says('core.no_slashes'))
  .regex(isVisible, NOT_VISIBLE)

/**
 * Labels of letters, digits and inner hyphens (RFC 1123). Underscores are allowed because Windows host names may have
 * them.
 */
const hostName =
  /^(?!.{254})[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?(\.[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?)*\.?$/

/** A host name or IP address of a server. May be empty. */
export const ServerHost = z
  .string()
  .trim()
  .max(254, says('core.too_long', { most: 254 }))
  .refine((text) => text === '' || hostName.test(text) || z.ipv6().safeParse(text).success, says('core.enter_host'))

/** A TCP or UDP port of a server. */
export const ServerPort = z
  .number(says('core.enter_port'))
  .int(says('core.whole_number'))
  .min(1, says('core.between', { least: 1, most: 65535 }))
  .max(65535, says('core.between', { least: 1, most: 65535 }))

/** Multi-line visible text. */
const isVisibleText = /^(?:[\t\n\r]|[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0])*$/u

export const Description = z
  .string()
  .max(255, says('core.too_long', { most: 255 }))
  .regex(isVisibleText, NOT_VISIBLE)

/** A name that may be empty, for objects that do not require one. */
export const OptionalName = z
  .string()
  .max(255, says('core.too_long', { most: 255 }))
  .regex(isVisible, NOT_VISIBLE)

/**
 * A tag of an instance or an image. Commas and slashes are refused because they separate list items and path segments.
 */
export const Tag = z
  .string()
  .min(1, says('core.enter_tag'))
  .max(60, says('core.too_long', { most: 60 }))
  .regex(/^[^,/]+$/, says('core.no_comma_or_slash'))
  .regex(isVisible, NOT_VISIBLE)

/** An ID in a path or a body. Only the length is checked, because any invalid ID is simply not found. */
export const Id = z.string().min(1).max(64)

/** IDs for a call that applies to several rows. */
export const Several = z
  .strictObject({
    uuids: z
      .array(Id)
      .min(1, says('core.name_one'))
      .max(100, says('core.name_at_most', { most: 100 })),
  })
  .meta({ examples: [{ uuids: ['00000000-0000-4000-8000-000000000000'] }] })

/** RFC 3339 timestamp. */
export const Time = z.iso.datetime({ offset: true })

/** Placeholder for an unknown time, since some clouds do not report all timestamps. */
export const unknownTime = new Date(0).toISOString()

/** Maximum node ID of clients that number nodes (S2§9). The IDs of nodes here are UUIDs. */
export const MAX_NODE_ID = 2_147_483_647

/** ID of a node in a request. */
export const NodeId = Id.refine(
  (id) => !/^\d+$/.test(id) || BigInt(id) <= BigInt(MAX_NODE_ID),
  says('core.at_most', { most: MAX_NODE_ID }),
)
