import * as z from 'zod'

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
