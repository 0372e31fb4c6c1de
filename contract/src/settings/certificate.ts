import { says } from '../core/said'
import * as z from 'zod'
import { endpoints, read, update } from '../core/endpoint'
import { Time } from '../core/names'

export const certificateExtensions = ['pem', 'crt', 'cer', 'der', 'p7b', 'p7c', 'pfx', 'p12'] as const
export const keyExtensions = ['pem', 'key', 'der'] as const

/** A certificate brings its key along in these. */
export const isKeyStore = (name: string): boolean => /\.(pfx|p12)$/i.test(name)

/** A certificate ends soon, and very soon, from so many days before on. */
export const EXPIRES_SOON_DAYS = 30
export const ENDS_VERY_SOON_DAYS = 7

export const Certificate = z.object({
  subject: z.string(),
  issuer: z.string(),
  /** Hosts for which it is good: names and addresses. */
  names: z.array(z.string()),
  not_before: Time,
  not_after: Time,
  /** Whole days that are left; below none once it is over. */
  days_left: z.number().int(),
  /** SHA-256, as browsers show it. */
  fingerprint: z.string(),
})
export type Certificate = z.infer<typeof Certificate>

/** How the server is reached: over TLS or not, and with which certificate. */
export const SslConfig = z.object({
  /** Whether the certificate can be served: it is neither over nor yet to come. */
  is_valid: z.boolean(),
  /** Whether it was made by the server itself. */
  self_signed: z.boolean(),
  /** Whether connections are by TLS. */
  ssl: z.boolean(),
  /** Where the certificate comes from; `files` are those of the configuration. */
  source: z.enum(['none', 'self-signed', 'files', 'uploaded']),
  certificate: Certificate.nullable(),
  /** What is to be known of it, for people. */
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
    /** Base64. */
    data: z
      .base64(says('settings.bytes_as_base64'))
      .max(MOST_FILE_CHARACTERS, says('settings.file_too_large', { most: 256 })),
  })

export const CertificateUpload = z
  .strictObject({
    /** TLS itself is switched by the configuration: this only says what is so. */
    ssl: z.boolean().optional(),
    /** The server makes a certificate itself. */
    gen_cert: z.boolean().default(false),
    cert: file(certificateExtensions).optional(),
    key: file(keyExtensions).optional(),
    /** Of the key, or of the file that has both. */
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
    summary: 'Whether the server is reached by TLS, and with which certificate',
    reply: SslConfig,
  },
  upload: {
    verb: 'PUT',
    path: '/api/v2/ssl',
    needs: update('ssl'),
    summary:
      'Serves another certificate from now on; connections that are open go on. Also as multipart/form-data: json, cert, key',
    body: CertificateUpload,
    reply: SslConfig,
    takesForm: true,
  },
})
