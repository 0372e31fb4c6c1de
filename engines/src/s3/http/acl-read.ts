import { S3Error, notImplemented } from '../errors'
import {
  cannedGrants,
  inOrder,
  isCannedAcl,
  MOST_GRANTS,
  permissions,
  type Acl,
  type CannedAcl,
  type Grant,
  type Grantee,
  type Permission,
} from '../policy/acl'
import { canonicalIdOf } from '../accounts'
import { readText } from './body'
import type { S3Call } from './call'
import type { S3Store } from './operations'
import { childText, readXml, type XmlElement } from './xml'

/* ACLs in requests: the name of a canned ACL, one header per permission, or an XML document. */

const MOST_DOCUMENT_BYTES = 64 * 1024
const GROUPS = 'http://acs.amazonaws.com/groups/'
const LOG_DELIVERY = `${GROUPS}s3/LogDelivery`
export const groupUri = (group: string): string => `${GROUPS}global/${group}`

/** A grantee as specified in the request, not yet resolved to a user. */
type Named = { id: string } | { email: string } | { uri: string }
interface NamedGrant {
  to: Named
  permission: Permission
}
/** The ACL in a request, before its grantees are resolved. */
export type AskedAcl = { canned: CannedAcl } | { grants: readonly NamedGrant[] }

const invalid = (message: string) => new S3Error('InvalidArgument', message)
const malformed = (message: string) => new S3Error('MalformedACLError', message)

const kinds: Readonly<Record<string, (value: string) => Named>> = {
  id: (id) => ({ id }),
  emailaddress: (email) => ({ email }),
  uri: (uri) => ({ uri }),
}

/** Parses the grantees in a grant header, such as `id="…", uri="…"`. */
function granteesIn(name: string, value: string): Named[] {
  const one = /\s*(\w+)\s*=\s*(?:"([^"]*)"|([^",\s]*))\s*(,|$)/y
  const found: Named[] = []
  for (;;) {
    const [, kind = '', quoted, bare = '', end] = one.exec(value) ?? []
    const read = kinds[kind.toLowerCase()]
    if (!read) throw invalid(`${name} must be a list of id="…", emailAddress="…" or uri="…"`)
    found.push(read(quoted ?? bare))
    if (end === '') return found
  }
}

/** Returns the ACL in the request headers, or null if there is none. Throws if it is invalid. */
export function askedAcl(headers: S3Call['headers']): AskedAcl | null {
  const canned = headers['x-amz-acl']
  const grants = permissions.flatMap((permission) => {
    const name = `x-amz-grant-${permission.toLowerCase().replace('_', '-')}`
    const value = headers[name]
    return value === undefined ? [] : granteesIn(name, value).map((to) => ({ to, permission }))
  })
  if (canned === undefined) return grants.length === 0 ? null : { grants }
  if (grants.length > 0)
    throw new S3Error('InvalidRequest', 'Specifying both Canned ACLs and Header Grants is not allowed')
  if (canned === 'log-delivery-write' || canned === 'aws-exec-read') throw notImplemented(`access list ${canned}`)
  if (!isCannedAcl(canned)) throw invalid(`The canned access list ${canned} does not exist`)
  return { canned }
}

function grantIn(element: XmlElement): NamedGrant {
  const [grantee] = element.children.filter(({ name }) => name === 'Grantee')
  const permission = permissions.find((it) => it === childText(element, 'Permission'))
  if (element.name !== 'Grant' || !grantee || !permission)
    throw malformed(`A Grant must have a Grantee and a Permission: ${permissions.join(', ')}`)
  const [id, uri, email] = ['ID', 'URI', 'EmailAddress'].map((name) => childText(grantee, name))
  if ([id, uri, email].filter((it) => it !== undefined).length !== 1)
    throw malformed('A Grantee must have an ID, a URI or an EmailAddress')
  return { permission, to: id !== undefined ? { id } : uri !== undefined ? { uri } : { email: email! } }
}

/** Parses the grants in an `AccessControlPolicy` document. Throws `AccessDenied` if it names a different owner. */
function grantsIn(text: string, owner: string): NamedGrant[] {
  const document = readXml(text)
  const [named] = document.children.filter(({ name }) => name === 'Owner')
  const [list] = document.children.filter(({ name }) => name === 'AccessControlList')
  const id = named && childText(named, 'ID')
  if (document.name !== 'AccessControlPolicy' || !list || id === undefined)
    throw malformed('An AccessControlPolicy must have an Owner with an ID, and an AccessControlList')
  if (id !== canonicalIdOf(owner)) throw new S3Error('AccessDenied', 'The owner of an access list cannot be changed')
  return list.children.map(grantIn)
}

async function granteeOf({ grantees }: S3Store, granter: string | null, named: Named): Promise<Grantee> {
  if ('uri' in named) {
    const group = (['AllUsers', 'AuthenticatedUsers'] as const).find((it) => groupUri(it) === named.uri)
    if (group) return { group }
    throw named.uri === LOG_DELIVERY ? notImplemented('log delivery') : invalid('Invalid group uri')
  }
  if ('id' in named) {
    const user = await grantees.byCanonicalId(named.id)
    if (user === null) throw invalid('Invalid id')
    return { user }
  }
  const [user, ...more] = granter === null ? [] : await grantees.byEmail(granter, named.email)
  if (user === undefined)
    throw new S3Error(
      'UnresolvableGrantByEmailAddress',
      'The email address you provided does not match any account on record',
    )
  if (more.length > 0)
    throw new S3Error(
      'AmbiguousGrantByEmailAddress',
      'The email address you provided is associated with more than one account',
    )
  return { user }
}

/** Resolves the grantees of an ACL and removes duplicate grants. */
export async function resolveAcl(
  call: S3Call,
  store: S3Store,
  asked: AskedAcl,
  { owner, bucketOwner }: { owner: string; bucketOwner: string },
): Promise<Acl> {
  if ('canned' in asked) return cannedGrants(asked.canned, owner, bucketOwner)
  if (asked.grants.length > MOST_GRANTS) throw malformed(`An access list has at most ${MOST_GRANTS} grants`)
  const people = new Map<string, Grantee>()
  const grants = new Map<string, Grant>()
  for (const { to: named, permission } of asked.grants) {
    const name = JSON.stringify(named)
    const to = people.get(name) ?? (await granteeOf(store, call.userId, named))
    people.set(name, to)
    grants.set(JSON.stringify([to, permission]), { to, permission })
  }
  return inOrder([...grants.values()])
}

/** Returns the new ACL in a PUT request, from its headers or its body. */
export async function requestedAcl(call: S3Call, owner: string): Promise<AskedAcl> {
  const asked = askedAcl(call.headers)
  const isEmpty = call.headers['content-length'] === '0' || call.headers['content-length'] === undefined
  const isChunked = call.headers['x-amz-decoded-content-length'] !== undefined
  const text = isEmpty && !isChunked ? '' : await readText(call, MOST_DOCUMENT_BYTES)
  if (asked && text !== '')
    throw new S3Error('UnexpectedContent', 'Specify the access list either in headers or in the body')
  if (asked) return asked
  if (text === '') throw new S3Error('MissingSecurityHeader', 'Your request was missing a required header: x-amz-acl')
  return { grants: grantsIn(text, owner) }
}
