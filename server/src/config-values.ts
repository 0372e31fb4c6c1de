import { isIP } from 'node:net'
import * as z from 'zod'
import { featureIds } from '@mainstay/contract/settings/features'

/* Schemas for configuration variables. */

function isNetwork(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/')
  const longest = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1
  return more.length === 0 && (bits === undefined ? longest > 0 : /^\d{1,3}$/.test(bits) && Number(bits) <= longest)
}
const PORT = 'must be a port number from 0 to 65535'
/** 0 picks a free port. */
export const port = z
  .string()
  .regex(/^\d{1,5}$/, PORT)
  .transform(Number)
  .refine((it) => it <= 65535, PORT)
/** A port, or `none`; null if not set. */
export const portOrNone = z
  .union([z.literal('none'), port], `${PORT}, or none`)
  .nullable()
  .default(null)
export const isLoopback = (host: string): boolean => /^(localhost|127(\.\d{1,3}){3}|::1)$/.test(host)
export const host = z.string().regex(/^[A-Za-z0-9.:_-]{1,253}$/, 'must be a host name or an IP address')

/** Trusted proxies, such as `10.0.0.5,192.168.7.0/24`. */
export const proxies = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim()))
  .refine((parts) => parts.every(isNetwork), 'must be addresses or networks: 10.0.0.5,192.168.7.0/24')
  .default([])

/** Normalizes a host for comparison: lower case, no trailing dot, IPv6 addresses in their shortest form. */
export const comparableHost = (text: string): string =>
  isIP(text) === 6
    ? new URL(`http://[${text.replace(/%.*/, '')}]`).hostname.slice(1, -1)
    : text.toLowerCase().replace(/\.$/, '')

/** Host names or addresses, such as `console.example,10.0.0.5`. */
export const hosts = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim().toLowerCase()))
  .refine(
    (parts) => parts.every((part) => /^[a-z0-9._-]{1,253}$/.test(part) || isIP(part) > 0),
    'must be host names or addresses, without ports: console.example,10.0.0.5',
  )
  .transform((parts) => parts.map(comparableHost))
  .nullable()
  .default(null)

/** Host names of the S3 service, such as `s3.example,objects.example`. */
export const domains = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim().toLowerCase()))
  .refine(
    (parts) =>
      parts.every((part) => /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(part) && part.length <= 253 && isIP(part) === 0),
    'must be host names, without ports: s3.example,objects.example',
  )
  .default([])

/** Names of encryption keys, such as `payroll,archive`. */
export const keyNames = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim()))
  .refine(
    (parts) => parts.length <= 1000 && parts.every((part) => /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/.test(part)),
    'must be up to 1000 names of letters, digits, - and _: payroll,archive',
  )
  .default([])

/** URL of a panel, such as `https://console.example/portal`; a trailing slash is removed. */
export const address = z
  .string()
  .regex(/^https?:\/\/[A-Za-z0-9._-]{1,253}(:\d{1,5})?(\/[\w./-]*)?$/, 'must look like https://console.example')
  .transform((text) => text.replace(/\/+$/, ''))
  .nullable()
  .default(null)

/** URL of an external service. `word`: keyword that is accepted instead. */
export const webAddress = (example: string, word?: string) =>
  z
    .string()
    .max(2048)
    .refine(
      (text) => text === word || (/^https?:\/\/\S+$/.test(text) && URL.canParse(text)),
      `must look like ${example}`,
    )
    .transform((text) => text.replace(/\/+$/, ''))
    .nullable()
    .default(null)

/** URL of a server, without a path. */
export const serverAddress = (example: string) =>
  z
    .string()
    .regex(/^https?:\/\/([A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]+\])(:\d{1,5})?\/?$/, `must look like ${example}`)
    .transform((text) => text.replace(/\/$/, ''))
    .nullable()
    .default(null)

/** Comma-separated names of console features. */
export const featuresOff = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim()))
  .pipe(z.array(z.enum(featureIds, `must be features of the console: ${featureIds.join(', ')}`)))
  .default([])

/** Origins of embedding pages, such as `https://portal.example,https://intranet.example:8443`. */
export const parentOrigins = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim().toLowerCase()))
  .refine(
    (parts) => parts.every((part) => /^https?:\/\/[a-z0-9._-]{1,253}(:\d{1,5})?$/.test(part) && URL.canParse(part)),
    'must be page origins, without a path: https://portal.example,https://intranet.example:8443',
  )
  // browsers send origins without the default port
  .transform((parts) => parts.map((part) => new URL(part).origin))
  .default([])

/** A number of hours; fractions are allowed. */
export const hours = (fallback: number) =>
  z
    .string()
    .regex(/^\d{1,4}(\.\d+)?$/, 'must be a number of hours')
    .transform(Number)
    .refine((it) => it > 0 && it <= 24 * 30, 'must be more than 0 and at most 720 hours')
    .default(fallback)

/** One of the given words. */
export const choice = <const Words extends readonly [string, ...string[]]>(words: Words, fallback: Words[number]) =>
  z.enum(words, `must be one of ${words.join(', ')}`).default(fallback as z.core.util.NoUndefined<Words[number]>)
