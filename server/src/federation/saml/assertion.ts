import { HandOverRefusal } from '../refusal'
import { attribute, contentOf, countOf, elementsIn, is, named } from './xml'

/** How far the provider's clock may be from ours, seconds. */
const CLOCK_TOLERANCE = 60
const BEARER = 'urn:oasis:names:tc:SAML:2.0:cm:bearer'
const SUCCESS = 'urn:oasis:names:tc:SAML:2.0:status:Success'
const TRANSIENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient'
/** Conditions that a sign-in here fulfils, or that ask nothing of it. */
const knownConditions = ['AudienceRestriction', 'OneTimeUse', 'ProxyRestriction'] as const

/** For whom an assertion must be meant. */
export interface Meant {
  /** The provider's entity id. */
  issuer: string
  /** Ours. */
  entityId: string
  /** Where it must have been sent. */
  acs: string
  /** Of the request that it answers; null where that is not looked at. */
  requestId: string | null
}

/** What a provider says of somebody, as claims: attributes by their names, and `sub` for the name of the subject. */
export type SamlClaims = Record<string, unknown> & { sub: string }

const untrusted = (message: string) => new HandOverRefusal('provider_untrusted', message)
const quoted = (text: string | null): string => `“${(text ?? '').slice(0, 255)}”`

function timeIn(element: Element, name: string): number | null {
  const text = attribute(element, name)
  if (text === null) return null
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/.test(text)) throw untrusted(`${name} is no time in UTC`)
  const time = Date.parse(text)
  if (Number.isNaN(time)) throw untrusted(`${name} is no time`)
  return time
}

/** Throws `provider_clock` for what is over, or is not yet. */
function checkTimes(element: Element, what: string, now: number): void {
  const from = timeIn(element, 'NotBefore')
  const to = timeIn(element, 'NotOnOrAfter')
  const tolerance = CLOCK_TOLERANCE * 1000
  const words = `, and our clock says ${new Date(now).toISOString()}`
  if (from !== null && now + tolerance < from)
    throw new HandOverRefusal('provider_clock', `${what} begins at ${new Date(from).toISOString()}${words}`)
  if (to !== null && now - tolerance >= to)
    throw new HandOverRefusal('provider_clock', `${what} ended at ${new Date(to).toISOString()}${words}`)
}

/** The assertion in a response that is meant for us. What it says is not signed yet. Throws a `HandOverRefusal`. */
export function assertionIn(response: Element, { acs, requestId, issuer }: Meant): Element {
  if (!is(response, 'protocol', 'Response')) throw untrusted('This is no response of a SAML provider')
  if (attribute(response, 'Version') !== '2.0') throw untrusted('The response is not one of SAML 2.0')
  const destination = attribute(response, 'Destination')
  if (destination !== null && destination !== acs)
    throw untrusted(`The response is meant for ${quoted(destination)}, and came to ${quoted(acs)}`)
  const answers = attribute(response, 'InResponseTo')
  if (requestId !== null && answers !== null && answers !== requestId)
    throw untrusted('The response answers another request than that of this sign-in')
  const from = contentOf(named(response, 'assertion', 'Issuer')[0])
  if (from !== '' && from !== issuer) throw untrusted(`The response is of another issuer: ${quoted(from)}`)
  checkStatus(response)
  if (named(response, 'assertion', 'EncryptedAssertion').length > 0)
    throw untrusted('The assertion is encrypted: have the provider sign it, and not encrypt it')
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
    `The provider answers ${value.split(':').at(-1)!.slice(0, 64)}${words && `: ${words.slice(0, 200)}`}`,
  )
}

/** The name of the subject, where somebody who bears the assertion here and now is it. */
function subjectOf(assertion: Element, { acs, requestId }: Meant, now: number): string {
  const [subject, ...more] = named(assertion, 'assertion', 'Subject')
  if (!subject || more.length > 0) throw untrusted('The assertion has not one subject')
  const [nameId, ...others] = named(subject, 'assertion', 'NameID')
  if (!nameId || others.length > 0)
    throw untrusted('The subject has no name, or several: have the provider send a NameID')
  if (elementsIn(nameId).length > 0) throw untrusted('The name of the subject has elements in it')
  const name = contentOf(nameId)
  if (name === '' || name.length > 1024) throw untrusted('The name of the subject is empty, or too long')
  if (attribute(nameId, 'Format') === TRANSIENT)
    throw untrusted('The name of the subject is another one each time: have the provider send a persistent one')
  const bearers = named(subject, 'assertion', 'SubjectConfirmation').filter((it) => attribute(it, 'Method') === BEARER)
  const [data, ...rest] = bearers.flatMap((it) => named(it, 'assertion', 'SubjectConfirmationData'))
  if (!data || rest.length > 0) throw untrusted('The subject is not confirmed for one who bears the assertion')
  if (attribute(data, 'Recipient') !== acs)
    throw untrusted(
      `The assertion is meant for the address ${quoted(attribute(data, 'Recipient'))}, not ${quoted(acs)}`,
    )
  if (attribute(data, 'NotOnOrAfter') === null) throw untrusted('The confirmation of the subject has no end')
  checkTimes(data, 'The confirmation of the subject', now)
  const answers = attribute(data, 'InResponseTo')
  if (answers === null) throw untrusted('The assertion answers no request: a sign-in begins at this console')
  if (requestId !== null && answers !== requestId)
    throw untrusted('The assertion answers another request than that of this sign-in')
  return name
}

function checkConditions(assertion: Element, { entityId }: Meant, now: number): void {
  const [conditions, ...more] = named(assertion, 'assertion', 'Conditions')
  if (!conditions || more.length > 0) throw untrusted('The assertion has no conditions')
  checkTimes(conditions, 'The assertion', now)
  const unknown = elementsIn(conditions).find((it) => !knownConditions.some((name) => is(it, 'assertion', name)))
  if (unknown) throw untrusted(`The assertion has a condition that is not known: ${quoted(unknown.localName)}`)
  const restrictions = named(conditions, 'assertion', 'AudienceRestriction')
  if (restrictions.length === 0) throw untrusted('The assertion does not say for whom it is')
  for (const restriction of restrictions) {
    const audiences = named(restriction, 'assertion', 'Audience').map(contentOf)
    if (!audiences.includes(entityId))
      throw untrusted(`The assertion is for ${quoted(audiences.join(', '))}, not for ${quoted(entityId)}`)
  }
}

/** When the provider wants the session to be over; null for no such wish. */
function sessionEnd(assertion: Element, now: number): Date | null {
  const statements = named(assertion, 'assertion', 'AuthnStatement')
  if (statements.length === 0) throw untrusted('The assertion does not say that somebody has signed in')
  const ends = statements.flatMap((it) => timeIn(it, 'SessionNotOnOrAfter') ?? [])
  if (ends.length === 0) return null
  const end = Math.min(...ends)
  if (end <= now) throw new HandOverRefusal('provider_clock', 'The session at the provider is over')
  return new Date(end)
}

/**
 * Attributes by their names; one with several values is a list. A FriendlyName is for people to read, and names nothing (SAML core 2.7.3.1).
 */
function attributesOf(assertion: Element): Record<string, unknown> {
  const all = new Map<string, string[]>()
  for (const statement of named(assertion, 'assertion', 'AttributeStatement')) {
    if (named(statement, 'assertion', 'EncryptedAttribute').length > 0)
      throw untrusted('The assertion has encrypted attributes: have the provider sign them, and not encrypt them')
    for (const it of named(statement, 'assertion', 'Attribute')) {
      const values = named(it, 'assertion', 'AttributeValue').map(contentOf)
      const name = attribute(it, 'Name')
      if (name !== null) all.set(name, [...(all.get(name) ?? []), ...values])
    }
  }
  return Object.fromEntries([...all].map(([name, values]) => [name, values.length === 1 ? values[0] : values]))
}

/** What a signed assertion says, where it is meant for us and holds now. Throws a `HandOverRefusal`. */
export function claimsOf(
  assertion: Element,
  meant: Meant,
  now = Date.now(),
): { claims: SamlClaims; sessionEnds: Date | null } {
  if (attribute(assertion, 'Version') !== '2.0') throw untrusted('The assertion is not one of SAML 2.0')
  const issuer = contentOf(named(assertion, 'assertion', 'Issuer')[0])
  if (issuer !== meant.issuer) throw untrusted(`The assertion is of another issuer: ${quoted(issuer)}`)
  const issued = timeIn(assertion, 'IssueInstant')
  if (issued === null || issued > now + CLOCK_TOLERANCE * 1000)
    throw new HandOverRefusal(
      'provider_clock',
      `The assertion is of the future: ${quoted(attribute(assertion, 'IssueInstant'))}`,
    )
  checkConditions(assertion, meant, now)
  const sub = subjectOf(assertion, meant, now)
  return { sessionEnds: sessionEnd(assertion, now), claims: { ...attributesOf(assertion), sub } }
}
