import { Secret } from '@mainstay/engines/ports/secret'
import { EqualityFilter } from 'ldapts'
import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  found,
  reference,
  result,
  startScriptedDirectory,
  type Asked,
  type ScriptedDirectory,
} from '../testing/outside/scripted-directory'
import { MOST_MESSAGE_BYTES } from './answers'
import { connect, type LdapPatience } from './connection'
import { sameDn } from './names'

let scripted: ScriptedDirectory
afterEach(() => scripted?.close())

const filter = new EqualityFilter({ attribute: 'uid', value: 'ada' })
const patient: LdapPatience = { withinMs: 60_000, quietMs: 30_000 }

async function searchAt(script: Parameters<typeof startScriptedDirectory>[0], patience = patient, most = 1000) {
  scripted = await startScriptedDirectory(script)
  const target = { host: '127.0.0.1', port: scripted.port, security: 'none' as const, ca: '' }
  const connection = await connect(target, patience)
  const names: string[] = []
  try {
    await connection.search({ base: '', filter, attributes: ['uid'], most }, ({ dn }) => names.push(dn))
    return names
  } finally {
    connection.close()
    // the client closes the connection after any response
    await vi.waitFor(() => expect(scripted.open.size).toBe(0), { timeout: 10_000 })
  }
}

describe('a directory response', () => {
  it('is read page by page', async () => {
    const names = await searchAt((asked) => {
      if (asked.what !== 'search') return null
      const page = asked.cookie === '' ? 1 : Number(asked.cookie)
      return [found(asked, `uid=${page}`, { uid: `${page}` }), result(asked, 0, page < 3 ? `${page + 1}` : '')]
    })
    expect(names).toEqual(['uid=1', 'uid=2', 'uid=3'])
  })

  it('may arrive byte by byte', async () => {
    const names = await searchAt((asked, socket) => {
      if (asked.what !== 'search') return null
      const bytes = Buffer.concat([found(asked, 'uid=1', { uid: '1' }), result(asked)])
      socket.setNoDelay(true)
      let at = 0
      const next = () => {
        if (at < bytes.length && socket.writable) socket.write(bytes.subarray(at, ++at), () => setImmediate(next))
      }
      next()
      return null
    })
    expect(names).toEqual(['uid=1'])
  })

  const of = (...bytes: number[]) => Buffer.from(bytes)
  const tagged = (tag: number, ...inner: Buffer[]): Buffer => {
    const value = Buffer.concat(inner)
    return Buffer.concat([of(tag, 0x84, 0, 0, value.length >> 8, value.length & 255), value])
  }
  const lying = (asked: Asked, inner: Buffer) => tagged(0x30, of(2, 1, asked.id), tagged(0x64, inner))
  const lies: [string, (asked: Asked) => Buffer[]][] = [
    ['data that is not LDAP', () => [Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')]],
    ['a length of four gigabytes', () => [of(0x30, 0x84, 0xff, 0xff, 0xff, 0xff)]],
    ['a length without an end', () => [of(0x30, 0x80, 0x00, 0x00)]],
    ['a length field of nine bytes', () => [of(0x30, 0x89, 1, 1, 1, 1, 1, 1, 1, 1, 1)]],
    ['an attribute longer than its entry', (asked) => [lying(asked, of(4, 1, 97, 0x30, 2, 0x30, 100))]],
    [
      'values longer than their attribute',
      (asked) => [lying(asked, of(4, 1, 97, 0x30, 7, 0x30, 5, 4, 1, 97, 0x31, 90))],
    ],
    ['an entry without a name', (asked) => [lying(asked, of())]],
    ['a number of nine bytes', () => [tagged(0x30, of(2, 9, 1, 1, 1, 1, 1, 1, 1, 1, 1), tagged(0x65))]],
    ['an empty message', () => [of(0x30, 0)]],
    ['a response to another request', (asked) => [result({ ...asked, id: asked.id + 7 })]],
    ['a page cookie that repeats', (asked) => [result(asked, 0, 'again')]],
    ['pages without an end', (asked) => [found(asked, 'uid=1', {}), result(asked, 0, `${Math.random()}`)]],
    ['more entries than allowed', (asked) => Array.from({ length: 40 }, () => found(asked, 'uid=1', {}))],
  ]
  it.each(lies)('is refused: %s', async (_, answer) => {
    const lied = searchAt((asked) => (asked.what === 'search' ? answer(asked) : null), patient, 30)
    await expect(lied).rejects.toMatchObject({ code: 'ldap_refused' })
  })

  it('is refused as soon as its length exceeds the message limit', async () => {
    const size = Buffer.alloc(4)
    size.writeUInt32BE(MOST_MESSAGE_BYTES + 1)
    const tooLarge = searchAt((asked) => (asked.what === 'search' ? [of(0x30, 0x84), size] : null))
    await expect(tooLarge).rejects.toMatchObject({ code: 'ldap_refused' })
  })

  it('is refused if it exceeds the byte limit of the connection', async () => {
    const page = (asked: Asked) => [found(asked, 'uid=1', { note: 'x'.repeat(2000) }), result(asked, 0, `${asked.id}`)]
    const reading = (mostBytes: number) =>
      searchAt((asked) => (asked.what !== 'search' ? null : asked.id < 20 ? page(asked) : [result(asked)]), {
        ...patient,
        mostBytes,
      })
    await expect(reading(20_000)).rejects.toMatchObject({ code: 'ldap_refused' })
    await scripted.close()
    expect(await reading(60_000)).toHaveLength(19)
  })

  it('cannot redirect the client to other directories', async () => {
    const elsewhere = await startScriptedDirectory(() => null)
    try {
      const address = `ldap://127.0.0.1:${elsewhere.port}/dc=elsewhere`
      const names = await searchAt((asked) =>
        asked.what === 'search' ? [reference(asked, address), found(asked, 'uid=1', {}), result(asked)] : null,
      )
      expect(names).toEqual(['uid=1'])
      await scripted.close()
      // a referral as the result code is refused
      const referral = searchAt((asked) => (asked.what === 'search' ? [result(asked, 10)] : null))
      await expect(referral).rejects.toMatchObject({ code: 'ldap_refused', data: { ldap_code: 10 } })
      expect(elsewhere.open.size).toBe(0)
      expect(elsewhere.asked).toEqual([])
    } finally {
      await elsewhere.close()
    }
  })

  it('is discarded if the connection closes in the middle of a page', async () => {
    const cut = searchAt((asked, socket) => {
      if (asked.what === 'search') socket.end(found(asked, 'uid=1', { uid: '1' }))
      return null
    })
    await expect(cut).rejects.toMatchObject({ code: 'ldap_unreachable' })
  })

  it('times out if no data arrives or if it arrives too slowly', async () => {
    const quiet = searchAt(() => null, { withinMs: 600_000, quietMs: 200 })
    await expect(quiet).rejects.toMatchObject({ code: 'ldap_unreachable' })
    await scripted.close()
    const drop = (asked: Asked, write: (bytes: Buffer) => void) => {
      const timer = setInterval(() => write(found(asked, 'uid=1', {})), 50)
      return () => clearInterval(timer)
    }
    const dripping = searchAt(
      (asked, socket) => {
        if (asked.what === 'search')
          socket.on(
            'close',
            drop(asked, (bytes) => socket.writable && socket.write(bytes)),
          )
        return null
      },
      { withinMs: 1500, quietMs: 600_000 },
    )
    await expect(dripping).rejects.toMatchObject({ code: 'ldap_unreachable' })
  })

  it('is not quoted in error messages', async () => {
    const refused = searchAt((asked) => (asked.what === 'search' ? [result(asked, 50)] : null))
    const problem = await refused.catch((error: Error) => error)
    expect(problem).toMatchObject({ code: 'ldap_refused', data: { ldap_code: 50 } })
    expect(JSON.stringify(problem) + (problem as Error).message).not.toContain('inner machine')
  })
})

it('refuses StartTLS if plaintext data follows the server’s response', async () => {
  // a complete message, and the start of one that would continue inside TLS
  for (const [end, code] of [
    [undefined, 'ldap_refused'],
    [-3, 'ldap_untrusted'],
  ] as const) {
    scripted = await startScriptedDirectory((asked) =>
      asked.what === 'extended'
        ? [Buffer.concat([result(asked), found(asked, 'uid=planted', {}).subarray(0, end)])]
        : null,
    )
    const target = { host: '127.0.0.1', port: scripted.port, security: 'STARTTLS' as const, ca: '' }
    await expect(connect(target, { ...patient, quietMs: 10_000 })).rejects.toMatchObject({ code })
    expect(scripted.asked).toHaveLength(1)
    await scripted.close()
  }
})

it('does not send the password if StartTLS is refused', async () => {
  scripted = await startScriptedDirectory((asked) => [result(asked, asked.what === 'extended' ? 2 : 0)])
  const target = { host: '127.0.0.1', port: scripted.port, security: 'STARTTLS' as const, ca: '' }
  await expect(connect(target, patient)).rejects.toMatchObject({ code: 'ldap_untrusted' })
  expect(scripted.asked.map(({ what }) => what)).not.toContain('bind')
})

it('never binds with an empty password or name, which directories treat as anonymous', async () => {
  scripted = await startScriptedDirectory((asked) => [result(asked)])
  const target = { host: '127.0.0.1', port: scripted.port, security: 'none' as const, ca: '' }
  const connection = await connect(target, patient)
  const refused = { code: 'ldap_bind_failed' }
  await expect(connection.bind('cn=ada', new Secret(''))).rejects.toMatchObject(refused)
  await expect(connection.bind('', new Secret('word'))).rejects.toMatchObject(refused)
  expect(scripted.asked).toEqual([])
  connection.close()
})

it.each([14, 49, 53, 48, 34])('a bind with result code %i fails', async (code) => {
  scripted = await startScriptedDirectory((asked) => [result(asked, code)])
  const target = { host: '127.0.0.1', port: scripted.port, security: 'none' as const, ca: '' }
  const connection = await connect(target, patient)
  await expect(connection.bind('cn=ada', new Secret('word'))).rejects.toMatchObject({ code: 'ldap_bind_failed' })
  connection.close()
})

it('ignores case, spaces and escaping when comparing distinguished names', () => {
  const plain = sameDn('uid=ada,ou=people,dc=example')
  for (const same of [
    'UID=Ada, OU=people ,dc=EXAMPLE',
    'uid = ada;ou=people,dc=example',
    'uid=\\61da,ou=people,dc=example',
  ])
    expect(sameDn(same)).toBe(plain)
  expect(sameDn('cn=a\\,b,dc=x')).toBe(sameDn('cn=a\\2cb,dc=x'))
  expect(sameDn('cn=a\\,b,dc=x')).not.toBe(sameDn('cn=a,b,dc=x'))
  expect(sameDn('cn=a\\2cdc=x')).not.toBe(sameDn('cn=a,dc=x'))
  expect(sameDn('cn=\\c3\\bc')).toBe(sameDn('cn=ü'))
  expect(sameDn('cn=a\\ ,dc=x')).not.toBe(sameDn('cn=a,dc=x'))
})
