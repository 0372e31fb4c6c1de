import { says } from '../core/said'
import * as z from 'zod'

/** A name of a domain, a project or a group. */
export const TenancyName = z
  .string()
  .min(2, says('core.too_short', { least: 2 }))
  .max(64, says('core.too_long', { most: 64 }))
  .regex(/^[\p{L}\p{Nd} ._-]+$/u, says('identity.tenancy_name_form'))
  .regex(/^\S.*\S$/u, says('identity.no_spaces_around'))

/** The name with which a local user signs in (S2§5). */
export const LoginName = z
  .string()
  .min(3, says('core.too_short', { least: 3 }))
  .max(32, says('core.too_long', { most: 32 }))
  .regex(/^[A-Za-z0-9_]+$/, says('identity.username_form'))
