import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

/** An email as received by the server. */
export interface TakenMail {
  from: string
  to: string[]
  /** The raw message: headers, an empty line, the body. */
  text: string
  /** The account that signed in; null if none did. */
  account: string | null
  isEncrypted: boolean
}

export interface MailServer {
  port: number
  taken: TakenMail[]
  /** Resolves with the next email that is received after this call. */
  next(): Promise<TakenMail>
  close(): Promise<void>
}

export const MAIL_PASSWORD = 'of the mail account'
const refusal = (code: number, text: string) => Object.assign(new Error(text), { responseCode: code })

/**
 * Starts a real SMTP server on loopback. It accepts the password `MAIL_PASSWORD`, refuses recipients whose address
 * begins with `nobody`, and offers STARTTLS with the certificate from the options, or with an untrusted one.
 */
export async function startMailServer(options: SMTPServerOptions = {}): Promise<MailServer> {
  const taken: TakenMail[] = []
  const waiting: ((mail: TakenMail) => void)[] = []
  const server = new SMTPServer({
    ...{ authOptional: true, allowInsecureAuth: true },
    disableReverseLookup: true,
    closeTimeout: 100,
    onAuth({ username, password }, _session, done) {
      if (password === MAIL_PASSWORD) done(null, { user: username })
      else done(refusal(535, 'the banner of an inner machine'))
    },
    onRcptTo({ address }, _session, done) {
      if (address.startsWith('nobody')) done(refusal(550, 'no such user'))
      else done()
    },
    onData(stream, { envelope, secure, user }, done) {
      let text = ''
      stream.on('data', (chunk: Buffer) => (text += chunk.toString()))
      stream.on('end', () => {
        done()
        const { mailFrom, rcptTo } = envelope
        const mail: TakenMail = {
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          ...{ text, account: (user as string | undefined) ?? null, isEncrypted: secure },
        }
        taken.push(mail)
        waiting.shift()?.(mail)
      })
    },
    ...options,
  })
  // clients close the connection if they do not trust the certificate
  server.on('error', () => undefined)
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  return {
    port: (server.server.address() as AddressInfo).port,
    taken,
    next: () => new Promise((resolve) => waiting.push(resolve)),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
