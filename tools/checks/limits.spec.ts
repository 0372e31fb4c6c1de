import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { limits, type Limits } from '../../server/src/limits'
import { inRoot } from '../lib/paths.mjs'
import { readText } from '../lib/repository.mjs'

/* Checks that docs/security.md contains all limits in server/src/limits.ts and names only existing test files. */

const kib = (bytes: number) => (bytes % 1024 ** 2 === 0 ? `${bytes / 1024 ** 2} MiB` : `${bytes / 1024} KiB`)
const seconds = (ms: number) => `${ms / 1000} s`
/** Formats a rate below one per second. */
const oneIn = (perSecond: number) => `one in ${1 / perSecond} s`

/** Texts that each row in the document must contain for the given limits. */
const rules: Record<string, (it: Limits) => string[]> = {
  'Anonymous lines in the audit log': ({ audit: { anonymousOfAddress: one, anonymous: all } }) => [
    `${one.burst} per address, then ${oneIn(one.perSecond)}, and ${all.burst} in total, then ${all.perSecond} per second`,
  ],
  'Texts in the audit log': ({ audit }) => [
    audit.name === audit.path
      ? `names, IDs and paths ${audit.name} characters`
      : `names ${audit.name} and paths ${audit.path} characters`,
    `messages ${audit.message}`,
  ],
  'Changed fields in the audit log': ({ audit }) => [
    `${audit.changes} per line, names ${audit.changedField} and values ${audit.change} characters`,
  ],
  'Age of the audit log': ({ audit }) => [`${audit.pruneAtOnce} lines per statement`],
  'Invalid fields in a body': ({ body }) => [`the first ${body.faults} are named`],
  'Size of a body': ({ body }) => [
    `${kib(body.signedInBytes)}, read only for signed-in users; ${kib(body.publicBytes)} for public calls`,
  ],
  'Slow bodies': ({ body }) => [
    `${seconds(body.graceMs)}, then at least ${kib(body.bytesPerSecond)}/s and at most ` +
      `${seconds(body.graceMs + (body.signedInBytes / body.bytesPerSecond) * 1000)} in total`,
    `${body.unfinishedOfAddress} unfinished per address and ${body.unfinishedInAll} in total`,
  ],
  Connections: ({ connections }) => [
    `${connections.ofAddress} per address (except proxies), ${connections.inAll} in total`,
    `idle ones are closed after ${seconds(connections.idleMs)}`,
  ],
  'Connections to the S3 port': ({ connections }) => [
    `${connections.ofAddress} per address (except proxies), ${connections.inAll} in total`,
    `silent ones are closed after ${seconds(connections.idleOfS3Ms)}, unless they wait for the server`,
  ],
  Rates: ({ rates: { address, token } }) => [
    `${token.burst} requests per token at once, then ${token.perSecond} per second`,
    `${address.burst / token.burst === address.perSecond / token.perSecond ? times(address.burst / token.burst) : ''} as many per address`,
  ],
  'Concurrent calls of tenants': ({ longListRows, turns: { lists, longLists, commands } }) => [
    `lists: ${lists.atOnceOfTenant} per tenant and ${lists.atOnce} in total`,
    `lists of more than ${longListRows} rows: ${longLists.atOnceOfTenant} and ${longLists.atOnce}`,
    `commands: ${commands.atOnceOfTenant} and ${commands.atOnce}`,
    `more than ${same(lists.waitingOfTenant, longLists.waitingOfTenant)} waiting lists or ${commands.waitingOfTenant} waiting commands per tenant: 429`,
    `more than ${lists.waiting}, ${longLists.waiting} or ${commands.waiting} in total: 503`,
    `after a wait of ${lists.waitMs / 1000} or ${same(longLists.waitMs, commands.waitMs) / 1000} s: 429`,
  ],
  'Identity provider tests per user': ({ testedProviders }) => [
    `${testedProviders.burst} at once, then ${oneIn(testedProviders.perSecond)}`,
  ],
  'SAML responses from one address': ({ samlResponses }) => [
    `${samlResponses.burst} at once, then ${oneIn(samlResponses.perSecond)}`,
  ],
  'Responses of SAML providers': ({ samlResponse: { tags, signedInfoCharacters } }) => [
    `${spaced(tags)} tags`,
    `a SignedInfo of ${spaced(signedInfoCharacters)} characters`,
  ],
  'Generated RSA keys': ({ rsaKeys: { ofUser, turns } }) => [
    `${ofUser.burst} per user at once, then ${oneIn(ofUser.perSecond)}: 429`,
    `${same(turns.atOnce, turns.atOnceOfTenant)} at a time`,
    `${turns.waitingOfTenant} per user and ${turns.waiting} in total can wait`,
    `at most ${seconds(turns.waitMs)}`,
  ],
  'Problem reports of a tenant’s user': ({ problemReports }) => [
    `${problemReports.burst} at once, then ${oneIn(problemReports.perSecond)}`,
  ],
  'Registrations of hosts per address': ({ nodeRegistrations }) => [
    `${nodeRegistrations.burst} at once, then ${oneIn(nodeRegistrations.perSecond)}`,
  ],
  'Password reset links per address': ({ forgottenPasswords }) => [
    `${forgottenPasswords.burst} at once, then ${oneIn(forgottenPasswords.perSecond)}`,
  ],
  'Passkey challenges per address': ({ passkeyChallenges }) => [`${passkeyChallenges.waiting} wait for an answer`],
  'Test emails per user': ({ testMails }) => [`${testMails.burst} at once, then ${oneIn(testMails.perSecond)}`],
  'Test SNMP traps per user': ({ testTraps }) => [`${testTraps.burst} at once, then ${oneIn(testTraps.perSecond)}`],
  'Directory tests per user': ({ testDirectories }) => [
    `${testDirectories.burst} at once, then ${oneIn(testDirectories.perSecond)}`,
  ],
  'Sockets per user': ({ sockets }) => [`${sockets.ofUser} signed in; ${sockets.consolesOfUser} consoles`],
  'Sign-ins of sockets': ({ sockets: { logins, loginsOfUser, loginsWaiting, loginWithinMs } }) => [
    `${loginsWaiting} waiting`,
    `a socket without sign-in is closed after ${seconds(loginWithinMs)}`,
    `${logins.burst} per socket at once, then ${oneIn(logins.perSecond)}`,
    `${loginsOfUser.burst} per user at once, then ${loginsOfUser.perSecond} per second`,
  ],
}
/** Formats a number with spaces between groups of thousands, as in the document. */
const spaced = (count: number) => String(count).replace(/\B(?=(\d{3})+$)/g, ' ')
const times = (factor: number) => ({ 2: 'twice', 3: 'three times' })[factor] ?? `${factor} times`
const same = (one: number, other: number) => (one === other ? one : Number.NaN)

/** Wraps limits in a proxy that records which paths are read. */
function noting<Group extends object>(group: Group, read: Set<string>, at = ''): Group {
  return new Proxy(group, {
    get(target, name) {
      const value = (target as Record<string | symbol, unknown>)[name]
      const path = `${at}${String(name)}`
      if (typeof value === 'object' && value !== null) return noting(value, read, `${path}.`)
      read.add(path)
      return value
    },
  })
}
const leaves = (group: object, at = ''): string[] =>
  Object.entries(group).flatMap(([name, value]) =>
    typeof value === 'object' ? leaves(value as object, `${at}${name}.`) : [`${at}${name}`],
  )

/** Returns the rows in the document by subject. */
const rowsIn = (text: string) =>
  new Map(
    text
      .split('\n')
      .filter((line) => line.startsWith('| '))
      .map((line) => line.split(' | '))
      .map(([subject = '', rule = '']) => [subject.slice(2), rule]),
  )

function faultsIn(text: string, given: Limits): string[] {
  const rows = rowsIn(text)
  return Object.entries(rules).flatMap(([subject, says]) =>
    says(given)
      .filter((sentence) => !rows.get(subject)?.includes(sentence))
      .map((sentence) => `${subject}: "${sentence}"`),
  )
}

test('docs/security.md contains every limit in server/src/limits.ts', () => {
  const read = new Set<string>()
  expect(faultsIn(readText('docs/security.md'), noting(limits, read))).toEqual([])
  expect(leaves(limits).filter((leaf) => !read.has(leaf))).toEqual([])
})

test('reports a limit that differs from the document, with the expected text', () => {
  const changed = { ...limits, sockets: { ...limits.sockets, ofUser: 101 } }
  expect(faultsIn(readText('docs/security.md'), changed)).toEqual(['Sockets per user: "101 signed in; 32 consoles"'])
})

test('docs/security.md names only existing test files', () => {
  const named = [...readText('docs/security.md').matchAll(/`([\w./-]+\.(?:spec|e2e)\.tsx?)`/g)].map(([, file]) => file!)
  expect(named.filter((file) => !existsSync(inRoot(file)))).toEqual([])
  expect(named.length).toBeGreaterThan(100)
})
