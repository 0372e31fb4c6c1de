import * as z from 'zod'

/** Of one network card, in small letters. */
export const MacAddress = z
  .string()
  .regex(/^([0-9a-f]{2}:){5}[0-9a-f]{2}$/i, 'Use six pairs of hexadecimal digits, such as 52:54:00:12:34:56')
  .refine(
    (mac) => (Number.parseInt(mac.slice(0, 2), 16) & 1) === 0,
    'This is a multicast address; use one whose first pair is even',
  )
  .refine((mac) => !/^[0:]+$/.test(mac), 'This stands for no address: use another one')
  .transform((mac) => mac.toLowerCase())
