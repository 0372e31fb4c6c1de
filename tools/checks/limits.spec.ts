import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { limits, type Limits } from '../../server/src/limits'
import { inRoot } from '../lib/paths.mjs'
import { readText } from '../lib/repository.mjs'

/* The numbers in docs/security.md are those of server/src/limits.ts, every limit there has its row, and every file exists. */

const kib = (bytes: number) => (bytes % 1024 ** 2 === 0 ? `${bytes / 1024 ** 2} MiB` : `${bytes / 1024} KiB`)
const seconds = (ms: number) => `${ms / 1000} s`
/** `perSecond` below one, as a person says it. */
const oneIn = (perSecond: number) => `one in ${1 / perSecond} s`

/** What each row says, by the limits. */
const rules: Record<string, (it: Limits) => string[]> = {
  'Lines of the audit log without a sign-in': ({ audit: { anonymousOfAddress: one, anonymous: all } }) => [
    `${one.burst} at once and ${oneIn(one.perSecond)} an address, ${all.burst} and ${all.perSecond} a second in all`,
  ],
  'Texts in the audit log': ({ audit }) => [
    audit.name === audit.path
      ? `names, ids and paths ${audit.name} characters`
      : `names ${audit.name} and paths ${audit.path} characters`,
    `messages ${audit.message}`,
  ],
  'Changed fields in the audit log': ({ audit }) => [
    `${audit.changes} of a line, names ${audit.changedField} and values ${audit.change} characters`,
  ],
  'Age of the audit log': ({ audit }) => [`${audit.pruneAtOnce} lines a statement`],
  'Wrong fields of a body': ({ body }) => [`the first ${body.faults} are named`],
  'Size of a body': ({ body }) => [
    `${kib(body.signedInBytes)}, read of who is signed in alone; ${kib(body.publicBytes)} for public calls`,
  ],
  'Slow bodies': ({ body }) => [
    `${seconds(body.graceMs)}, then ${kib(body.bytesPerSecond)}/s at least and ` +
      `${seconds(body.graceMs + (body.signedInBytes / body.bytesPerSecond) * 1000)} at most`,
    `${body.unfinishedOfAddress} unfinished ones an address and ${body.unfinishedInAll} in all`,
  ],
  Connections: ({ connections }) => [
    `${connections.ofAddress} an address (proxies excepted), ${connections.inAll} in all`,
    `idle ones end after ${seconds(connections.idleMs)}`,
  ],
  'Connections to the port of S3': ({ connections }) => [
    `${connections.ofAddress} an address (proxies excepted), ${connections.inAll} in all`,
    `silent ones end after ${seconds(connections.idleOfS3Ms)}, unless they wait for the server`,
  ],
  Rates: ({ rates: { address, token } }) => [
    `a token ${token.burst} requests at once, then ${token.perSecond} a second`,
    `an address ${address.burst / token.burst === address.perSecond / token.perSecond ? times(address.burst / token.burst) : ''} as many`,
  ],
  'Turns of tenants': ({ longListRows, turns: { lists, longLists, commands } }) => [
    `lists ${lists.atOnceOfTenant} at once a tenant and ${lists.atOnce} in all`,
    `those of more than ${longListRows} rows ${longLists.atOnceOfTenant} and ${longLists.atOnce}`,
    `commands ${commands.atOnceOfTenant} and ${commands.atOnce}`,
    `beyond ${same(lists.waitingOfTenant, longLists.waitingOfTenant)} waiting lists and ${commands.waitingOfTenant} commands of a tenant 429`,
    `of all ${lists.waiting}, ${longLists.waiting} and ${commands.waiting} 503`,
    `after ${lists.waitMs / 1000} or ${same(longLists.waitMs, commands.waitMs) / 1000} s 429`,
  ],
  'Tests of identity providers by a user': ({ testedProviders }) => [
    `${testedProviders.burst} at once, then ${oneIn(testedProviders.perSecond)}`,
  ],
  'Responses of SAML providers from one address': ({ samlResponses }) => [
    `${samlResponses.burst} at once, then ${oneIn(samlResponses.perSecond)}`,
  ],
  'Responses of SAML providers': ({ samlResponse: { tags, signedInfoCharacters } }) => [
    `${spaced(tags)} tags`,
    `a SignedInfo of ${spaced(signedInfoCharacters)} characters`,
  ],
  'RSA keys that are generated': ({ rsaKeys: { ofUser, turns } }) => [
    `${ofUser.burst} at once a user, then ${oneIn(ofUser.perSecond)}: 429`,
    `${same(turns.atOnce, turns.atOnceOfTenant)} at a time`,
    `${turns.waitingOfTenant} of a user and ${turns.waiting} in all wait`,
    `at most ${seconds(turns.waitMs)}`,
  ],
  'Problem reports of a tenant’s user': ({ problemReports }) => [
    `${problemReports.burst} at once, then ${oneIn(problemReports.perSecond)}`,
  ],
  'Links for forgotten passwords of an address': ({ forgottenPasswords }) => [
    `${forgottenPasswords.burst} at once, then ${oneIn(forgottenPasswords.perSecond)}`,
  ],
  'Challenges for passkeys of an address': ({ passkeyChallenges }) => [
    `${passkeyChallenges.waiting} wait for an answer`,
  ],
  'Test e-mails of a user': ({ testMails }) => [`${testMails.burst} at once, then ${oneIn(testMails.perSecond)}`],
  'Tests of a directory by a user': ({ testDirectories }) => [
    `${testDirectories.burst} at once, then ${oneIn(testDirectories.perSecond)}`,
  ],
  'Sockets of a user': ({ sockets }) => [`${sockets.ofUser} signed-in ones; ${sockets.consolesOfUser} consoles`],
  'Sign-ins of sockets': ({ sockets: { logins, loginsOfUser, loginsWaiting, loginWithinMs } }) => [
    `${loginsWaiting} waiting`,
    `without one a socket ends after ${seconds(loginWithinMs)}`,
    `${logins.burst} at once and ${oneIn(logins.perSecond)} a socket`,
    `${loginsOfUser.burst} and ${loginsOfUser.perSecond} a second a user`,
  ],
}
/** With thin groups of thousands, as the document writes them. */
const spaced = (count: number) => String(count).replace(/\B(?=(\d{3})+$)/g, ' ')
const times = (factor: number) => ({ 2: 'twice', 3: 'three times' })[factor] ?? `${factor} times`
const same = (one: number, other: number) => (one === other ? one : Number.NaN)

/** The limits, which note what of them was read. */
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

/** Rows of the document by their subject: what they say. */
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

test('docs/security.md says the limits of server/src/limits.ts, every one of them', () => {
  const read = new Set<string>()
  expect(faultsIn(readText('docs/security.md'), noting(limits, read))).toEqual([])
  expect(leaves(limits).filter((leaf) => !read.has(leaf))).toEqual([])
})

test('a limit that the document has otherwise is found, with what it should say', () => {
  const changed = { ...limits, sockets: { ...limits.sockets, ofUser: 101 } }
  expect(faultsIn(readText('docs/security.md'), changed)).toEqual([
    'Sockets of a user: "101 signed-in ones; 32 consoles"',
  ])
})

test('every test file that docs/security.md names exists', () => {
  const named = [...readText('docs/security.md').matchAll(/`([\w./-]+\.(?:spec|e2e)\.tsx?)`/g)].map(([, file]) => file!)
  expect(named.filter((file) => !existsSync(inRoot(file)))).toEqual([])
  expect(named.length).toBeGreaterThan(100)
})
