import * as z from 'zod'
import { Id } from '../core/names'

/** A name of a domain, a project or a group. */
export const TenancyName = z
  .string()
  .min(2, 'Use at least 2 characters')
  .max(64, 'Use at most 64 characters')
  .regex(/^[\p{L}\p{Nd} ._-]+$/u, 'Use letters, digits, spaces, dots, underscores and hyphens')
  .regex(/^\S.*\S$/u, 'Leave out spaces at the beginning and at the end')

/** The name with which a local user signs in (S2§5). */
export const LoginName = z
  .string()
  .min(3, 'Use at least 3 characters')
  .max(32, 'Use at most 32 characters')
  .regex(/^[A-Za-z0-9_]+$/, 'Use letters, digits and underscores')

/** The rows that a call is about, where it is about several. */
export const Several = z
  .strictObject({ uuids: z.array(Id).min(1, 'Say at least one').max(100, 'Say at most 100') })
  .meta({ examples: [{ uuids: ['00000000-0000-4000-8000-000000000000'] }] })
export type Several = z.infer<typeof Several>
