import * as z from 'zod'
import { says } from './said'

/**
 * A text of characters that are seen. Control characters break logs and terminals; characters without width and those
 * that turn the direction of a text (bidi controls) make one name look like another.
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

/** A name of 2-32 characters, which fits into a menu beside others (S2§5). */
export const ShortName = z
  .string()
  .trim()
  .min(2, says('core.too_short', { least: 2 }))
  .max(32, says('core.too_long', { most: 32 }))
  .regex(isVisible, NOT_VISIBLE)

/** A name of letters and digits of ASCII alone, which filters of mail and names of files take as it is (S2§5). Empty: none. */
export const AlphanumericName = z
  .string()
  .trim()
  .max(32, says('core.too_long', { most: 32 }))
  .regex(/^[A-Za-z0-9]*$/, says('core.letters_and_digits'))

/**
 * A name of 2-255 characters without a slash: command-line clients look for it by `GET .../NAME`, where a slash would end it
 * (S2§5).
 */
export const NameWithoutSlash = z
  .string()
  .min(2, says('core.too_short', { least: 2 }))
  .max(255, says('core.too_long', { most: 255 }))
  .regex(/^[^/]*$/, says('core.no_slashes'))
  .regex(isVisible, NOT_VISIBLE)

/** Labels of letters, digits and hyphens between them (RFC 1123); underscores as well, which Windows gives to hosts. */
const hostName =
  /^(?!.{254})[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?(\.[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?)*\.?$/

/** A server by its host name or IP address; an empty text names none. */
export const ServerHost = z
  .string()
  .trim()
  .max(254, says('core.too_long', { most: 254 }))
  .refine((text) => text === '' || hostName.test(text) || z.ipv6().safeParse(text).success, says('core.enter_host'))

/** A text of several lines, of characters that are seen. */
const isVisibleText = /^(?:[\t\n\r]|[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0])*$/u

export const Description = z
  .string()
  .max(255, says('core.too_long', { most: 255 }))
  .regex(isVisibleText, NOT_VISIBLE)

/** A name of something that is also known without one. */
export const OptionalName = z
  .string()
  .max(255, says('core.too_long', { most: 255 }))
  .regex(isVisible, NOT_VISIBLE)

/** A tag of an instance or an image. A comma or slash would not survive lists and paths. */
export const Tag = z
  .string()
  .min(1, says('core.enter_tag'))
  .max(60, says('core.too_long', { most: 60 }))
  .regex(/^[^,/]+$/, says('core.no_comma_or_slash'))
  .regex(isVisible, NOT_VISIBLE)

/** An id in a path or a body. Anything that cannot be one is simply not found, so only the length is bound. */
export const Id = z.string().min(1).max(64)

/** The rows that a call is about, where it is about several. */
export const Several = z
  .strictObject({
    uuids: z
      .array(Id)
      .min(1, says('core.name_one'))
      .max(100, says('core.name_at_most', { most: 100 })),
  })
  .meta({ examples: [{ uuids: ['00000000-0000-4000-8000-000000000000'] }] })

/** RFC 3339 in UTC. */
export const Time = z.iso.datetime({ offset: true })

/** Stands for a time that the engine does not know: some clouds tell no times of some rows. */
export const unknownTime = new Date(0).toISOString()
