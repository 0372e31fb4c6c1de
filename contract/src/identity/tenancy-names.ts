import { says } from '../core/said'
import * as z from 'zod'

/** Name of a domain, project or group. */
export const TenancyName = z
  .string()
  .min(2, says('core.too_short', { least: 2 }))
  .max(64, says('core.too_long', { most: 64 }))
  .regex(/^[\p{L}\p{Nd} ._-]+$/u, says('identity.tenancy_name_form'))
  .regex(/^\S.*\S$/u, says('identity.no_spaces_around'))

/** Username of a local user (S2§5). */
export const LoginName = z
  .string()
  .min(3, says('core.too_short', { least: 3 }))
  .max(32, says('core.too_long', { most: 32 }))
  .regex(/^[A-Za-z0-9_]+$/, says('identity.username_form'))
