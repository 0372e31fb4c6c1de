import { says } from '../core/said'
import * as z from 'zod'
import { endpoints, read, update } from '../core/endpoint'
import { Time } from '../core/names'

export const certificateExtensions = ['pem', 'crt', 'cer', 'der', 'p7b', 'p7c', 'pfx', 'p12'] as const
export const keyExtensions = ['pem', 'key', 'der'] as const

/** Whether files with this extension also contain the private key. */
export const isKeyStore = (name: string): boolean => /\.(pfx|p12)$/i.test(name)

/** Remaining days of validity at which a certificate counts as expiring soon or very soon. */
export const EXPIRES_SOON_DAYS = 30
export const ENDS_VERY_SOON_DAYS = 7

export const Certificate = z.object({
  subject: z.string(),
  issuer: z.string(),
  /** Host names and IP addresses for which it is valid. */
  names: z.array(z.string()),
  not_before: Time,
  not_after: Time,
  /** Remaining validity in whole days; negative after expiration. */
  days_left: z.number().int(),
  /** SHA-256, in the format that browsers show. */
  fingerprint: z.string(),
})
export type Certificate = z.infer<typeof Certificate>

/** TLS settings and certificate of the server. */
export const SslConfig = z.object({
  /** Whether the certificate is within its validity period. */
  is_valid: z.boolean(),
  /** Whether the server generated it. */
  self_signed: z.boolean(),
  /** Whether TLS is enabled. */
  ssl: z.boolean(),
  /** Origin of the certificate; `files`: files named in the configuration. */
  source: z.enum(['none', 'self-signed', 'files', 'uploaded']),
  certificate: Certificate.nullable(),
  /** Warnings for users about the certificate. */
  warnings: z.array(z.string()),
})
export type SslConfig = z.infer<typeof SslConfig>

const MOST_FILE_CHARACTERS = 350_000
const file = (extensions: readonly string[]) =>
  z.strictObject({
    name: z
      .string()
      .max(255, says('core.too_long', { most: 255 }))
      .refine(
        (name) => extensions.some((one) => name.toLowerCase().endsWith(`.${one}`)),
        says('settings.file_ending', { endings: extensions.join(', ') }),
      ),
    /** In base64. */
    data: z
      .base64(says('settings.bytes_as_base64'))
      .max(MOST_FILE_CHARACTERS, says('settings.file_too_large', { most: 256 })),
  })

export const CertificateUpload = z
  .strictObject({
    /** Must match the current state, because TLS can be turned on or off only in the configuration. */
    ssl: z.boolean().optional(),
    /** Whether the server generates a certificate. */
    gen_cert: z.boolean().default(false),
    cert: file(certificateExtensions).optional(),
    key: file(keyExtensions).optional(),
    /** Password for the key, or for the file that contains both. */
    password: z
      .string()
      .max(1024, says('core.too_long', { most: 1024 }))
      .optional(),
  })
  .meta({ examples: [{ ssl: true, gen_cert: true }] })
export type CertificateUpload = z.infer<typeof CertificateUpload>

export const ssl = endpoints({
  view: {
    verb: 'GET',
    path: '/api/v2/ssl',
    needs: read('ssl'),
    summary: 'Get the TLS settings and the certificate of the server',
    reply: SslConfig,
  },
  upload: {
    verb: 'PUT',
    path: '/api/v2/ssl',
    needs: update('ssl'),
    summary:
      'Replace the TLS certificate. Open connections are kept. Also accepts multipart/form-data with the parts ' +
      '`json`, `cert` and `key`.',
    body: CertificateUpload,
    reply: SslConfig,
    takesForm: true,
  },
})
