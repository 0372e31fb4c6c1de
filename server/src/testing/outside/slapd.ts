import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect, createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Client } from 'ldapts'
import { makeTestCertificate, type TestCertificate } from '../certificates/certificates'

const run = promisify(execFile)

export const BASE = 'dc=example,dc=com'
export const READER = `cn=reader,${BASE}`
export const READER_PASSWORD = 'of the reader'

export type Entry = { dn: string } & Record<string, string | Buffer | readonly (string | Buffer)[]>

const escaped = (value: string) => value.replace(/[\\,+"<>;=# ]/g, (one) => `\\${one}`)
export const personDn = (uid: string) => `uid=${escaped(uid)},ou=people,${BASE}`
export const groupDn = (cn: string) => `cn=${escaped(cn)},ou=groups,${BASE}`

/** A person who signs in with `uid` and `password of UID`. */
export const person = (uid: string, more: Omit<Entry, 'dn'> = {}): Entry => ({
  dn: personDn(uid),
  objectClass: 'inetOrgPerson',
  ...{ uid, cn: `Name of ${uid}`, sn: uid, userPassword: `password of ${uid}` },
  ...more,
})
export const group = (cn: string, members: readonly string[], more: Omit<Entry, 'dn'> = {}): Entry => ({
  ...{ dn: groupDn(cn), objectClass: 'groupOfNames', cn },
  // a groupOfNames needs at least one member
  member: members.length === 0 ? [READER] : members,
  ...more,
})

/** Formats an entry as LDIF. Values are Base64-encoded, so that no escaping is needed. */
const ldif = ({ dn, ...attributes }: Entry): string => {
  const line = (name: string, value: string | Buffer) => `${name}:: ${Buffer.from(value).toString('base64')}`
  const lines = Object.entries(attributes).flatMap(([name, values]) =>
    (typeof values === 'string' || Buffer.isBuffer(values) ? [values] : values).map((value) => line(name, value)),
  )
  return [line('dn', dn), ...lines, '', ''].join('\n')
}

const frame: Entry[] = [
  { dn: BASE, objectClass: ['dcObject', 'organization'], dc: 'example', o: 'Example' },
  { dn: `ou=people,${BASE}`, objectClass: 'organizationalUnit', ou: 'people' },
  { dn: `ou=groups,${BASE}`, objectClass: 'organizationalUnit', ou: 'groups' },
  {
    ...{ dn: READER, objectClass: ['organizationalRole', 'simpleSecurityObject'], cn: 'reader' },
    userPassword: READER_PASSWORD,
  },
]

export interface Slapd {
  port: number
  /** Port for LDAPS. */
  securePort: number
  authority: TestCertificate
  /** Administrator connection, for changing the entries. */
  admin: Client
  /** Stops responding without closing connections. */
  freeze(): void
  thaw(): void
  close(): Promise<void>
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** Waits until the directory responds. Returns false if it has exited. */
async function answers(port: number, child: ChildProcess): Promise<boolean> {
  while (child.exitCode === null && child.signalCode === null) {
    const socket = connect({ host: '127.0.0.1', port })
    const outcome = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(() => false),
    ]).catch(() => false)
    socket.destroy()
    if (outcome) return true
    await wait(50)
  }
  return false
}

const schemas = ['core', 'cosine', 'inetorgperson', 'nis']

/**
 * Starts a separate `slapd` on free loopback ports, using Debian's package but not its service. `lines`: additional
 * configuration; `of`: additional database configuration; `names`: names in the certificate.
 */
export async function startSlapd(
  entries: readonly Entry[],
  { lines = [], of = [], names = ['127.0.0.1'] }: { lines?: string[]; of?: string[]; names?: string[] } = {},
): Promise<Slapd> {
  const folder = await mkdtemp(path.join(tmpdir(), 'slapd-'))
  const authority = await makeTestCertificate({ names: [], isAuthority: true })
  const own = await makeTestCertificate({ names, issuer: authority })
  const inFolder = (name: string) => path.join(folder, name)
  await mkdir(inFolder('data'))
  await writeFile(inFolder('authority.pem'), authority.cert)
  await writeFile(inFolder('own.pem'), own.cert)
  await writeFile(inFolder('own.key'), own.key, { mode: 0o600 })
  const password = randomUUID()
  await writeFile(
    inFolder('slapd.conf'),
    [
      ...schemas.map((name) => `include /etc/ldap/schema/${name}.schema`),
      ...['modulepath /usr/lib/ldap', 'moduleload back_mdb', `pidfile ${inFolder('slapd.pid')}`],
      ...[`TLSCACertificateFile ${inFolder('authority.pem')}`, `TLSCertificateFile ${inFolder('own.pem')}`],
      ...[`TLSCertificateKeyFile ${inFolder('own.key')}`, 'TLSVerifyClient never', 'sizelimit unlimited', ...lines],
      ...['database mdb', 'maxsize 268435456', `suffix "${BASE}"`, `directory ${inFolder('data')}`],
      ...[`rootdn "cn=admin,${BASE}"`, `rootpw ${password}`, 'dbnosync'],
      ...['index objectClass,uid,cn,entryUUID eq', ...of],
      // anonymous users can only authenticate
      ...['access to attrs=userPassword by anonymous auth by * none', 'access to * by users read by * none', ''],
    ].join('\n'),
  )
  await writeFile(inFolder('entries.ldif'), [...frame, ...entries].map(ldif).join(''))
  await run('/usr/sbin/slapadd', ['-q', '-f', inFolder('slapd.conf'), '-l', inFolder('entries.ldif')])

  // retry, because another process may take a free port first
  for (let attempt = 1; ; attempt += 1) {
    const [port, securePort] = [await freePort(), await freePort()]
    const urls = `ldap://127.0.0.1:${port} ldaps://127.0.0.1:${securePort}`
    const child = spawn('/usr/sbin/slapd', ['-d', '0', '-f', inFolder('slapd.conf'), '-h', urls], { stdio: 'ignore' })
    const ended = once(child, 'exit')
    if (!(await answers(port, child))) {
      if (attempt === 5) throw new Error('slapd does not start')
      continue
    }
    const admin = new Client({ url: `ldap://127.0.0.1:${port}` })
    await admin.bind(`cn=admin,${BASE}`, password)
    return {
      ...{ port, securePort, authority, admin },
      freeze: () => void child.kill('SIGSTOP'),
      thaw: () => void child.kill('SIGCONT'),
      async close() {
        child.kill('SIGCONT')
        await admin.unbind().catch(() => undefined)
        child.kill('SIGKILL')
        await ended
        await rm(folder, { recursive: true, force: true })
      },
    }
  }
}
