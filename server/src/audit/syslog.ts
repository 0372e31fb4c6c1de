import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { AuditLine } from '@mainstay/contract/monitoring/audit-lines'
import type { SyslogTarget } from '../config'

/** Facility log audit (13), with severity notice for success and warning otherwise. */
const FACILITY = 13
const severities: Record<AuditLine['result'], number> = { success: 5, error: 4, unknown: 4 }
/** Message size that every receiver should accept (RFC 5424, section 6.1). */
const MAX_BYTES = 2048
/** Contains the enterprise number reserved for examples; receivers match the name before it. */
const STRUCTURE = 'audit@32473'

const told = [
  ...([
    'id',
    'username',
    'user_id',
    'domain_id',
    'project_id',
    'object_id',
    'object_name',
    'result',
    'status',
  ] as const),
  ...(['error_code', 'address', 'request_id', 'session_id', 'message'] as const),
] as const satisfies readonly (keyof AuditLine)[]

// oxlint-disable-next-line no-control-regex -- matches characters that end a message or control a terminal
const plain = (text: string) => text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, ' ')
const parameter = (name: string, value: string) => ` ${name}="${plain(value).replaceAll(/["\\\]]/g, '\\$&')}"`
const word = (text: string, length: number) => text.replaceAll(/[^!-~]/g, '_').slice(0, length) || '-'

/** Formats an entry as an RFC 5424 message. Omits fields that would exceed the size limit. */
export function syslogMessage(line: AuditLine, hostName: string): string {
  const priority = FACILITY * 8 + severities[line.result]
  const head = `<${priority}>1 ${new Date(line.timestamp).toISOString()} ${word(hostName, 255)} mainstay - ${word(line.activity, 32)} `
  const text = ` \uFEFF${plain(line.activity)}: ${line.result}`
  let structure = `[${STRUCTURE}`
  const room = MAX_BYTES - Buffer.byteLength(`${head}${text}]`)
  for (const name of told) {
    const value = line[name]
    const part = value === null ? '' : parameter(name, String(value))
    if (Buffer.byteLength(structure + part) <= room) structure += part
  }
  return `${head}${structure}]${text}`
}

const GIVEN_UP_AFTER_MS = 10_000

/** Closes a connection that stalls. */
function bounded(socket: Socket): Socket {
  socket.setTimeout(GIVEN_UP_AFTER_MS, () => socket.destroy(new Error('the receiver did not respond in time')))
  return socket
}

async function sendByStream({ transport, host, port }: SyslogTarget, messages: readonly string[], ca?: string) {
  const name = isIP(host) === 0 ? { servername: host } : {}
  const socket = bounded(
    transport === 'tls'
      ? connectTls({ host, port, ...name, ...(ca !== undefined && { ca }) })
      : connectTcp({ host, port }),
  )
  try {
    await once(socket, transport === 'tls' ? 'secureConnect' : 'connect')
    // octet counting (RFC 5425, section 4.3.1; RFC 6587, section 3.4.1)
    const framed = messages.map((message) => `${Buffer.byteLength(message)} ${message}`).join('')
    const closed = once(socket, 'close')
    socket.end(framed)
    // a receiver closes the connection only after it has read all messages
    socket.resume()
    await closed
  } finally {
    socket.destroy()
  }
}

async function sendByDatagrams({ host, port }: SyslogTarget, messages: readonly string[]): Promise<void> {
  const socket = createSocket(isIP(host) === 6 ? 'udp6' : 'udp4')
  try {
    for (const message of messages)
      await new Promise<void>((sent, failed) => {
        socket.send(message, port, host, (error) => (error ? failed(error) : sent()))
      })
  } finally {
    socket.close()
  }
}

/**
 * Sends messages in order. Throws if the receiver cannot be reached, is not trusted or stalls; some messages may
 * already have arrived. `ca`: certificates to trust instead of the system's. Lost UDP datagrams are not detected.
 */
export const sendSyslog = (target: SyslogTarget, messages: readonly string[], ca?: string): Promise<void> =>
  target.transport === 'udp' ? sendByDatagrams(target, messages) : sendByStream(target, messages, ca)
