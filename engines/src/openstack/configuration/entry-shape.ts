import * as z from 'zod'
import type { EndpointOptions } from '../client/catalogue'

// YAML parses a numeric password as a number
const text = z.union([z.string(), z.number()], 'must be a string').transform(String)
const field = text.nullish().transform((it) => (it == null || it === '' ? null : it))
const flag = z
  .union([z.boolean(), z.enum(['true', 'false', 'True', 'False', '1', '0'])], 'must be true or false')
  .nullish()
  .transform((it) => (it == null ? null : [true, 'true', 'True', '1'].includes(it)))
const door = z
  .enum(['public', 'internal', 'admin', 'publicURL', 'internalURL', 'adminURL'], 'must be public, internal or admin')
  .nullish()
  .transform((it) => (it == null ? null : (it.replace('URL', '') as NonNullable<EndpointOptions['interface']>)))

const Auth = z.looseObject({
  auth_url: field,
  username: field,
  user_id: field,
  password: field,
  user_domain_name: field,
  user_domain_id: field,
  project_name: field,
  project_id: field,
  project_domain_name: field,
  project_domain_id: field,
  domain_name: field,
  domain_id: field,
  default_domain: field,
  system_scope: field,
  token: field,
  application_credential_id: field,
  application_credential_name: field,
  application_credential_secret: field,
})
export type Auth = z.output<typeof Auth>

/** The supported fields of a `clouds.yaml` entry. */
export const Entry = z.looseObject(
  {
    profile: z.union([z.string(), z.looseObject({})]).nullish(),
    auth_type: field,
    auth: z.looseObject({}, 'is missing').pipe(Auth),
    region_name: field,
    interface: door,
    endpoint_type: door,
    verify: flag,
    insecure: flag,
    cacert: field,
    cert: field,
    identity_api_version: field,
  },
  'must have fields',
)
export type Entry = z.output<typeof Entry>

/** A validation error in a field, or in the entry itself if the path is empty. */
export interface Fault {
  path: string[]
  message: string
}
export type Fail = (path: string[], message: string) => void
