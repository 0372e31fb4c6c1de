import path from 'node:path'
import * as z from 'zod'
import { S3_REGION } from '@mainstay/contract/object-storage/s3-service'
import { domains, host, isLoopback, keyNames, portOrNone, serverAddress } from './config-values'

/* Object storage: served by this machine, or by a Ceph Object Gateway. */

/** Endpoints and credentials of a Ceph Object Gateway. */
export interface RgwConfig {
  endpoint: string
  adminEndpoint: string
  accessKey: string
  secretKey: string
  region: string
  caFile: string | null
}

/** Address and options of this machine's S3 service. */
export interface S3Config {
  host: string
  /** 0 picks a free port. */
  port: number
  /** S3 host names. In `photos.s3.example`, the labels before the host name `s3.example` are the bucket name. */
  domains: readonly string[]
  /** Whether version 2 signatures are accepted. */
  signatureV2: boolean
  /** Key names for SSE-KMS. */
  kmsKeys: readonly string[]
}

const key = z
  .string()
  .regex(/^[!-~]{1,256}$/, 'must have at most 256 characters without spaces')
  .nullable()
  .default(null)

export const objectStorageVariables = {
  MAINSTAY_S3_HOST: host.nullable().default(null),
  MAINSTAY_S3_PORT: portOrNone,
  MAINSTAY_S3_DOMAIN: domains,
  MAINSTAY_S3_SIGV2: z.enum(['on', 'off'], 'must be on or off').default('on'),
  MAINSTAY_S3_KMS_KEYS: keyNames,
  MAINSTAY_RGW_ENDPOINT: serverAddress('https://s3.example:8443'),
  MAINSTAY_RGW_ADMIN_ENDPOINT: serverAddress('https://s3.example:8443'),
  MAINSTAY_RGW_ACCESS_KEY: key,
  MAINSTAY_RGW_SECRET_KEY: key,
  MAINSTAY_RGW_REGION: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be a name of letters, digits and hyphens')
    .nullable()
    .default(null),
  MAINSTAY_RGW_CA: z.string().nullable().default(null),
}

type Variables = z.output<z.ZodObject<typeof objectStorageVariables>>
/** The server's own addresses, which the object storage settings depend on. */
interface OwnAddresses {
  MAINSTAY_HOST: string
  MAINSTAY_PORT: number
  MAINSTAY_ADMIN_PORT: number
  MAINSTAY_TLS: { kind: string }
}

const S3_PORT = 9000

/**
 * Settings for this machine's S3 service; null if it is disabled. `byDefault`: whether it is enabled when no port is
 * set. Must be enabled explicitly on servers that use a cloud, because several of them can share the cloud but only one
 * can serve S3.
 */
export function s3In(it: Variables & OwnAddresses, byDefault: boolean, lines: string[]): S3Config | null {
  const port = it.MAINSTAY_S3_PORT ?? (byDefault ? S3_PORT : 'none')
  if (port === 'none') return null
  const host = it.MAINSTAY_S3_HOST ?? it.MAINSTAY_HOST
  if (it.MAINSTAY_S3_HOST !== null && !isLoopback(host) && it.MAINSTAY_TLS.kind === 'none')
    lines.push(
      `MAINSTAY_S3_HOST is ${host}, which other hosts can reach: data would be sent unencrypted. ` +
        'Set MAINSTAY_TLS to self-signed, or to certificate.pem,key.pem',
    )
  for (const other of ['MAINSTAY_PORT', 'MAINSTAY_ADMIN_PORT'] as const)
    if (port !== 0 && port === it[other]) lines.push(`MAINSTAY_S3_PORT must differ from ${other}`)
  return {
    ...{ host, port, domains: it.MAINSTAY_S3_DOMAIN },
    ...{ signatureV2: it.MAINSTAY_S3_SIGV2 === 'on', kmsKeys: it.MAINSTAY_S3_KMS_KEYS },
  }
}

/** The configured gateway; null if there is none. Appends configuration errors to `lines`. */
export function rgwIn(it: Variables, folder: string, lines: string[]): RgwConfig | null {
  const { MAINSTAY_RGW_ENDPOINT: endpoint, MAINSTAY_RGW_ACCESS_KEY: accessKey, MAINSTAY_RGW_SECRET_KEY: secretKey } = it
  const { MAINSTAY_RGW_ADMIN_ENDPOINT: admin, MAINSTAY_RGW_REGION: region, MAINSTAY_RGW_CA: ca } = it
  if (endpoint === null) {
    for (const [name, value] of Object.entries(it))
      if (name.startsWith('MAINSTAY_RGW_') && value !== null) lines.push(`${name} requires MAINSTAY_RGW_ENDPOINT`)
    return null
  }
  if (accessKey === null || secretKey === null) {
    lines.push('MAINSTAY_RGW_ENDPOINT requires MAINSTAY_RGW_ACCESS_KEY and MAINSTAY_RGW_SECRET_KEY')
    return null
  }
  for (const [variable, address] of [
    ['ENDPOINT', endpoint],
    ['ADMIN_ENDPOINT', admin],
  ] as const)
    if (address?.startsWith('http:') && !isLoopback(new URL(address).hostname.replaceAll(/[[\]]/g, '')))
      lines.push(`MAINSTAY_RGW_${variable} is ${address}: keys and data would be sent unencrypted. Use https`)
  return {
    ...{ endpoint, adminEndpoint: admin ?? endpoint, accessKey, secretKey },
    region: region ?? S3_REGION,
    caFile: ca === null ? null : path.resolve(folder, ca),
  }
}
