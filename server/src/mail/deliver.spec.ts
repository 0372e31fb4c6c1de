import { once } from 'node:events'
import net, { type AddressInfo } from 'node:net'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { Secret } from '@mainstay/engines/ports/secret'
import { makeTestCertificate, type TestCertificate } from '../testing/certificates/certificates'
import { MAIL_PASSWORD, startMailServer, type MailServer } from '../testing/outside/mail-server'
import { deliver, type OutgoingMail, type SmtpAccount } from './deliver'

let trusted: TestCertificate
let open: { close(): unknown }[] = []
beforeAll(async () => {
  trusted = await makeTestCertificate({ names: ['127.0.0.1'] })
})
afterEach(async () => {
  await Promise.all(open.map((it) => it.close()))
  open = []
})

const serverOf = async (options: Parameters<typeof startMailServer>[0] = {}): Promise<MailServer> => {
  const server = await startMailServer({ ...trusted, ...options })
  open.push(server)
  return server
}
const account = (port: number, more: Partial<SmtpAccount> = {}): SmtpAccount => ({
  ...{ host: '127.0.0.1', port, security: 'STARTTLS', account: 'cloud', password: new Secret(MAIL_PASSWORD) },
  ...more,
})
const mail: OutgoingMail = {
  from: { name: 'Größe & Söhne', address: 'cloud@example.com' },
  to: ['ada@example.com', 'grace@example.com'],
  subject: 'Plattenplatz: 90 %',
  text: 'One line.\n.\nAnother one.\n',
  id: 'one',
}
const send = (smtp: SmtpAccount, more: Partial<OutgoingMail> = {}, withinMs?: number) =>
  deliver(smtp, { ...mail, ...more }, { ca: trusted.cert, ...(withinMs && { withinMs }) })

/** A TCP server with scripted behavior that does not respond like an SMTP server by default. */
async function rawServer(onSocket: (socket: net.Socket) => void): Promise<number> {
  const server = net.createServer((socket) => {
    socket.on('error', () => undefined)
    onSocket(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  open.push({
    close: () => {
      server.close()
    },
  })
  return (server.address() as AddressInfo).port
}

describe('an email', () => {
  it('reaches all recipients over an encrypted connection, with its sender and text intact', async () => {
    const server = await serverOf()
    expect(await send(account(server.port))).toEqual([])
    const [taken] = server.taken
    expect(taken).toMatchObject({ from: 'cloud@example.com', to: mail.to, account: 'cloud', isEncrypted: true })
    expect(taken!.text).toMatch(/^From: =\?UTF-8\?.*<cloud@example\.com>\r$/m)
    expect(taken!.text).toMatch(/^Message-ID: <one@example\.com>\r$/m)
    expect(taken!.text).toMatch(/^Auto-Submitted: auto-generated\r$/m)
    expect(taken!.text).toContain('One line.\r\n.\r\nAnother one.')
  })

  it('uses implicit TLS or no encryption, as configured', async () => {
    const whole = await serverOf({ secure: true })
    await send(account(whole.port, { security: 'SSL' }))
    expect(whole.taken[0]).toMatchObject({ isEncrypted: true })
    const plain = await serverOf()
    await send(account(plain.port, { security: 'none', account: '' }))
    expect(plain.taken[0]).toMatchObject({ isEncrypted: false, account: null })
  })

  it('is refused if a name, an address or the subject would inject a header', async () => {
    const server = await serverOf()
    const injected = 'a\r\nBcc: eve@example.com'
    for (const more of [
      { subject: injected },
      { from: { name: injected, address: 'cloud@example.com' } },
      { from: { name: '', address: injected } },
      { to: [injected] },
    ])
      await expect(send(account(server.port), more)).rejects.toMatchObject({ code: 'validation' })
    expect(server.taken).toEqual([])
  })

  it('reports refused recipients and is delivered to all other recipients', async () => {
    const server = await serverOf()
    const to = ['ada@example.com', 'nobody@example.com']
    expect(await send(account(server.port), { to })).toEqual([{ at: 1, smtpCode: 550 }])
    expect(server.taken.map((it) => it.to)).toEqual([['ada@example.com']])
    expect(await send(account(server.port), { to: ['nobody@x.example', 'nobody@y.example'] })).toEqual([
      { at: 0, smtpCode: 550 },
      { at: 1, smtpCode: 550 },
    ])
  })
})

describe('a mail server', () => {
  it('is reported as unreachable if it refuses connections', async () => {
    const server = await serverOf()
    await server.close()
    open = []
    await expect(send(account(server.port))).rejects.toMatchObject({ code: 'smtp_unreachable' })
  })

  it('is not quoted in the error if it refuses the credentials', async () => {
    const server = await serverOf()
    const wrong = send(account(server.port, { password: new Secret('another') }))
    await expect(wrong).rejects.toMatchObject({ code: 'smtp_auth_failed', data: { smtp_code: 535 } })
    await expect(wrong).rejects.toThrow(/^The mail server did not accept the account name and password \(535\)$/)
  })

  it('times out if it never responds', async () => {
    const port = await rawServer(() => undefined)
    await expect(send(account(port), {}, 300)).rejects.toMatchObject({ code: 'smtp_unreachable', message: /in time/ })
  })

  it('times out if it sends one byte at a time', async () => {
    const port = await rawServer((socket) => {
      const timer = setInterval(() => socket.write('2'), 20)
      socket.on('close', () => clearInterval(timer))
    })
    await expect(send(account(port), {}, 300)).rejects.toMatchObject({ code: 'smtp_unreachable' })
  })

  it('is cut off if it never stops sending', async () => {
    let sent = 0
    const port = await rawServer((socket) => {
      const talk = () => {
        while (!socket.destroyed && socket.write('220-'.padEnd(1024, 'x') + '\r\n')) sent += 1026
      }
      socket.on('drain', talk)
      socket.on('connect', talk)
      talk()
    })
    await expect(send(account(port))).rejects.toMatchObject({ code: 'smtp_unreachable' })
    expect(sent).toBeLessThan(64 * 1024 * 1024)
  })

  it('gets neither password nor email if its certificate is untrusted, expired or for another host', async () => {
    const over = await makeTestCertificate({ names: ['127.0.0.1'], days: -1 })
    const other = await makeTestCertificate({ names: ['mail.example'] })
    const unknown = await makeTestCertificate({ names: ['127.0.0.1'] })
    for (const [certificate, ca] of [
      [unknown, trusted.cert],
      [over, over.cert],
      [other, other.cert],
    ] as const)
      for (const security of ['STARTTLS', 'SSL'] as const) {
        const server = await serverOf({ ...certificate, secure: security === 'SSL' })
        await expect(deliver(account(server.port, { security }), mail, { ca })).rejects.toMatchObject({
          code: 'smtp_untrusted',
        })
        expect(server.taken).toEqual([])
      }
  })

  it('gets neither password nor email if STARTTLS is required but not offered', async () => {
    const server = await serverOf({ hideSTARTTLS: true, disabledCommands: ['STARTTLS'] })
    await expect(send(account(server.port))).rejects.toMatchObject({ code: 'smtp_untrusted' })
    expect(server.taken).toEqual([])
  })

  it('is reported as unreachable if it closes the connection midway', async () => {
    const port = await rawServer((socket) => {
      socket.write('220 mail.example\r\n')
      socket.once('data', () => {
        socket.write('250-mail.example\r\n250 AUTH PLAIN\r\n')
        socket.once('data', () => socket.destroy())
      })
    })
    await expect(send(account(port, { security: 'none' }))).rejects.toMatchObject({ code: 'smtp_unreachable' })
  })

  it('times out if it never completes a reply', async () => {
    const port = await rawServer((socket) => {
      socket.write('220 mail.example\r\n')
      const talking = setInterval(() => socket.write('250-x\r\n'), 20)
      socket.once('close', () => clearInterval(talking))
    })
    await expect(send(account(port, { security: 'none' }), {}, 400)).rejects.toMatchObject({
      ...{ code: 'smtp_unreachable', message: 'The mail server did not respond in time' },
    })
  })

  it('is reported with only its status code if it refuses the sender', async () => {
    const server = await serverOf({
      onMailFrom: (_address, _session, done) => done(Object.assign(new Error('inner words'), { responseCode: 553 })),
    })
    await expect(send(account(server.port))).rejects.toMatchObject({
      ...{ code: 'smtp_refused', message: 'The mail server rejected the sender (553)', data: { smtp_code: 553 } },
    })
  })
})
