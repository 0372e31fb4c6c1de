import * as z from 'zod'
import { says } from '../core/said'

/** A unicast MAC address, converted to lowercase. */
export const MacAddress = z
  .string()
  .regex(/^([0-9a-f]{2}:){5}[0-9a-f]{2}$/i, says('networking.mac_form'))
  .refine((mac) => (Number.parseInt(mac.slice(0, 2), 16) & 1) === 0, says('networking.mac_is_multicast'))
  .refine((mac) => !/^[0:]+$/.test(mac), says('networking.mac_is_none'))
  .transform((mac) => mac.toLowerCase())
