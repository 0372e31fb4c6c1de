import { HandOverRefusal } from '../refusal'
import { attribute, contentOf, countOf, elementsIn, is, named } from './xml'

/** Maximum clock skew between the provider and this server, in seconds. */
const CLOCK_TOLERANCE = 60
const BEARER = 'urn:oasis:names:tc:SAML:2.0:cm:bearer'
const SUCCESS = 'urn:oasis:names:tc:SAML:2.0:status:Success'
const TRANSIENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient'
/** Conditions that a sign-in to this service meets or that do not affect it. */
const knownConditions = ['AudienceRestriction', 'OneTimeUse', 'ProxyRestriction'] as const

/** The values that an assertion must match. */
export interface Meant {
  /** Entity ID of the provider. */
  issuer: string
  /** Our entity ID. */
  entityId: string
  /** The URL to which the assertion must have been sent. */
  acs: string
  /** ID of the request that the assertion must answer; null to skip this check. */
  requestId: string | null
}

/** Claims of a user: attributes by name, and `sub` for the subject. */
export type SamlClaims = Record<string, unknown> & { sub: string }

const untrusted = (message: string) => new HandOverRefusal('provider_untrusted', message)
const quoted = (text: string | null): string => `“${(text ?? '').slice(0, 255)}”`

function timeIn(element: Element, name: string): number | null {
  const text = attribute(element, name)
  if (text === null) return null
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/.test(text)) throw untrusted(`${name} is not a UTC time`)
  const time = Date.parse(text)
  if (Number.isNaN(time)) throw untrusted(`${name} is not a valid time`)
  return time
}

/** Throws a `provider_clock` error if the element has expired or is not yet valid. */
function checkTimes(element: Element, what: string, now: number): void {
  const from = timeIn(element, 'NotBefore')
  const to = timeIn(element, 'NotOnOrAfter')
  const tolerance = CLOCK_TOLERANCE * 1000
  const words = `. The clock of this server shows ${new Date(now).toISOString()}`
  if (from !== null && now + tolerance < from)
    throw new HandOverRefusal('provider_clock', `${what} is valid from ${new Date(from).toISOString()}${words}`)
  if (to !== null && now - tolerance >= to)
    throw new HandOverRefusal('provider_clock', `${what} expired at ${new Date(to).toISOString()}${words}`)
}

/** Returns the assertion in a response for this service, without checking its signature. Throws a `HandOverRefusal`. */
export function assertionIn(response: Element, { acs, requestId, issuer }: Meant): Element {
  if (!is(response, 'protocol', 'Response')) throw untrusted('This is not a response of a SAML provider')
  if (attribute(response, 'Version') !== '2.0') throw untrusted('The response is not SAML 2.0')
  const destination = attribute(response, 'Destination')
  if (destination !== null && destination !== acs)
    throw untrusted(`The response is for ${quoted(destination)}, but was sent to ${quoted(acs)}`)
  const answers = attribute(response, 'InResponseTo')
  if (requestId !== null && answers !== null && answers !== requestId)
    throw untrusted('The response belongs to a different request')
  const from = contentOf(named(response, 'assertion', 'Issuer')[0])
  if (from !== '' && from !== issuer) throw untrusted(`The response has a different issuer: ${quoted(from)}`)
  checkStatus(response)
  if (named(response, 'assertion', 'EncryptedAssertion').length > 0)
    throw untrusted('The assertion is encrypted. Configure the provider to sign but not encrypt assertions')
  const [assertion, ...more] = named(response, 'assertion', 'Assertion')
  if (!assertion) throw untrusted('The response has no assertion')
  if (more.length > 0 || countOf(response, 'assertion', 'Assertion') !== 1)
    throw untrusted('The response has several assertions')
  return assertion
}

function checkStatus(response: Element): void {
  const [status] = named(response, 'protocol', 'Status')
  const [code] = status ? named(status, 'protocol', 'StatusCode') : []
  if (!status || !code) throw untrusted('The response has no status')
  if (attribute(code, 'Value') === SUCCESS) return
  const inner = named(code, 'protocol', 'StatusCode')[0]
  const words = contentOf(named(status, 'protocol', 'StatusMessage')[0])
  const value = attribute(inner ?? code, 'Value') ?? ''
  throw new HandOverRefusal(
    'declined',
    `The provider returned ${value.split(':').at(-1)!.slice(0, 64)}${words && `: ${words.slice(0, 200)}`}`,
  )
}

/** Returns the subject's name after checking the bearer confirmation. */
function subjectOf(assertion: Element, { acs, requestId }: Meant, now: number): string {
  const [subject, ...more] = named(assertion, 'assertion', 'Subject')
  if (!subject || more.length > 0) throw untrusted('The assertion must have exactly one subject')
  const [nameId, ...others] = named(subject, 'assertion', 'NameID')
  if (!nameId || others.length > 0)
    throw untrusted('The subject must have exactly one NameID. Configure the provider to send it')
  if (elementsIn(nameId).length > 0) throw untrusted('The NameID contains XML elements')
  const name = contentOf(nameId)
  if (name === '' || name.length > 1024) throw untrusted('The NameID is empty or too long')
  if (attribute(nameId, 'Format') === TRANSIENT)
    throw untrusted('The NameID is transient. Configure the provider to send a persistent one')
  const bearers = named(subject, 'assertion', 'SubjectConfirmation').filter((it) => attribute(it, 'Method') === BEARER)
  const [data, ...rest] = bearers.flatMap((it) => named(it, 'assertion', 'SubjectConfirmationData'))
  if (!data || rest.length > 0) throw untrusted('The subject has no bearer confirmation')
  if (attribute(data, 'Recipient') !== acs)
    throw untrusted(`The recipient of the assertion is ${quoted(attribute(data, 'Recipient'))}, not ${quoted(acs)}`)
  if (attribute(data, 'NotOnOrAfter') === null) throw untrusted('The subject confirmation has no expiry time')
  checkTimes(data, 'The subject confirmation', now)
  const answers = attribute(data, 'InResponseTo')
  if (answers === null) throw untrusted('The assertion does not belong to a request. Start the sign-in in this console')
  if (requestId !== null && answers !== requestId) throw untrusted('The assertion belongs to a different request')
  return name
}

function checkConditions(assertion: Element, { entityId }: Meant, now: number): void {
  const [conditions, ...more] = named(assertion, 'assertion', 'Conditions')
  if (!conditions || more.length > 0) throw untrusted('The assertion has no conditions')
  checkTimes(conditions, 'The assertion', now)
  const unknown = elementsIn(conditions).find((it) => !knownConditions.some((name) => is(it, 'assertion', name)))
  if (unknown) throw untrusted(`The assertion has an unknown condition: ${quoted(unknown.localName)}`)
  const restrictions = named(conditions, 'assertion', 'AudienceRestriction')
  if (restrictions.length === 0) throw untrusted('The assertion has no audience')
  for (const restriction of restrictions) {
    const audiences = named(restriction, 'assertion', 'Audience').map(contentOf)
    if (!audiences.includes(entityId))
      throw untrusted(`The audience of the assertion is ${quoted(audiences.join(', '))}, not ${quoted(entityId)}`)
  }
}

/** End of the session as set by the provider; null if the provider sets none. */
function sessionEnd(assertion: Element, now: number): Date | null {
  const statements = named(assertion, 'assertion', 'AuthnStatement')
  if (statements.length === 0) throw untrusted('The assertion has no authentication statement')
  const ends = statements.flatMap((it) => timeIn(it, 'SessionNotOnOrAfter') ?? [])
  if (ends.length === 0) return null
  const end = Math.min(...ends)
  if (end <= now) throw new HandOverRefusal('provider_clock', 'The session at the provider has expired')
  return new Date(end)
}

/**
 * Attributes by name; multiple values become a list. A FriendlyName is only for display and never identifies an
 * attribute (SAML core 2.7.3.1).
 */
function attributesOf(assertion: Element): Record<string, unknown> {
  const all = new Map<string, string[]>()
  for (const statement of named(assertion, 'assertion', 'AttributeStatement')) {
    if (named(statement, 'assertion', 'EncryptedAttribute').length > 0)
      throw untrusted('The assertion has encrypted attributes. Configure the provider to sign but not encrypt them')
    for (const it of named(statement, 'assertion', 'Attribute')) {
      const values = named(it, 'assertion', 'AttributeValue').map(contentOf)
      const name = attribute(it, 'Name')
      if (name !== null) all.set(name, [...(all.get(name) ?? []), ...values])
    }
  }
  return Object.fromEntries([...all].map(([name, values]) => [name, values.length === 1 ? values[0] : values]))
}

/** Returns the claims of a signed assertion that is current and for this service. Throws a `HandOverRefusal`. */
export function claimsOf(
  assertion: Element,
  meant: Meant,
  now = Date.now(),
): { claims: SamlClaims; sessionEnds: Date | null } {
  if (attribute(assertion, 'Version') !== '2.0') throw untrusted('The assertion is not SAML 2.0')
  const issuer = contentOf(named(assertion, 'assertion', 'Issuer')[0])
  if (issuer !== meant.issuer) throw untrusted(`The assertion has a different issuer: ${quoted(issuer)}`)
  const issued = timeIn(assertion, 'IssueInstant')
  if (issued === null || issued > now + CLOCK_TOLERANCE * 1000)
    throw new HandOverRefusal(
      'provider_clock',
      `The assertion was issued in the future: ${quoted(attribute(assertion, 'IssueInstant'))}`,
    )
  checkConditions(assertion, meant, now)
  const sub = subjectOf(assertion, meant, now)
  return { sessionEnds: sessionEnd(assertion, now), claims: { ...attributesOf(assertion), sub } }
}
