import { randomInt } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { connected } from '../../connected'

/*
 * Client for the guest agent: one JSON object per line, in both directions. A guest may send whatever it likes, so the size
 * of each reply and the time for it are limited, and nothing is read between commands.
 * https://www.qemu.org/docs/master/interop/qemu-ga-ref.html
 */

/** `refused`: the agent returned an error. `unusable`: no usable reply; the connection is closed. */
export class GuestAgentError extends Error {
  readonly code: 'refused' | 'unusable'
  constructor(code: GuestAgentError['code'], message: string) {
    super(message)
    this.name = 'GuestAgentError'
    this.code = code
  }
}

/** Commands of a guest agent, which run one by one. Each rejects with a `GuestAgentError`. */
export interface GuestAgent {
  ping(timeoutMs: number): Promise<void>
  /** Returns the number of frozen file systems. */
  freeze(timeoutMs: number): Promise<number>
  thaw(timeoutMs: number): Promise<void>
  isFrozen(timeoutMs: number): Promise<boolean>
  close(): void
}

/** Maximum size of a reply, and of what precedes the first one, in bytes. */
export const MOST_REPLY_BYTES = 16 * 1024
/** Precedes the reply to the first command. No JSON text contains it. */
const SENTINEL = 0xff
const NEWLINE = 0x0a

const unusable = (message: string) => new GuestAgentError('unusable', message)

/** Connects, and skips what earlier connections left unread. Rejects with a `GuestAgentError`. */
export async function connectGuestAgent(path: string, timeoutMs: number): Promise<GuestAgent> {
  const socket = connect(path)
  socket.on('error', () => socket.destroy())
  const end = Date.now() + timeoutMs
  await connected(socket).catch(() => {
    throw unusable('The guest agent does not accept connections')
  })
  socket.pause()
  const id = randomInt(2 ** 31)
  const sync = { execute: 'guest-sync-delimited', arguments: { id } }
  await request(socket, sync, { timeoutMs: end - Date.now(), afterSentinel: true, accepts: (reply) => reply === id })
  let last: Promise<unknown> = Promise.resolve()
  const ask = (execute: string, wait: number) => {
    const reply = last.then(() => request(socket, { execute }, { timeoutMs: wait }))
    last = reply.catch(() => undefined)
    return reply
  }
  /** Like `ask`, and closes the connection if the reply has another type. */
  async function expected<Reply>(command: string, wait: number, accepts: (reply: unknown) => Reply | null) {
    const reply = accepts(await ask(command, wait))
    if (reply !== null) return reply
    socket.destroy()
    throw unusable(`The guest agent returned something else (${command})`)
  }
  const count = (reply: unknown) => (Number.isSafeInteger(reply) && (reply as number) >= 0 ? (reply as number) : null)
  return {
    ping: async (wait) => void (await ask('guest-ping', wait)),
    freeze: (wait) => expected('guest-fsfreeze-freeze', wait, count),
    thaw: async (wait) => void (await expected('guest-fsfreeze-thaw', wait, count)),
    isFrozen: (wait) =>
      expected('guest-fsfreeze-status', wait, (reply) =>
        reply === 'frozen' || reply === 'thawed' ? reply === 'frozen' : null,
      ),
    close: () => void socket.destroy(),
  }
}

interface Expected {
  timeoutMs: number
  /** Whether the reply follows a sentinel. What precedes it is skipped. */
  afterSentinel?: boolean
  /** Replies that are not accepted are skipped. Default: all are accepted. */
  accepts?: (reply: unknown) => boolean
}

/** Sends a command and returns its reply. */
function request(
  socket: Socket,
  command: object,
  { timeoutMs, afterSentinel = false, accepts = () => true }: Expected,
): Promise<unknown> {
  if (socket.destroyed) return Promise.reject(unusable('The connection to the guest agent is closed'))
  return new Promise((resolve, reject) => {
    const line = Buffer.alloc(MOST_REPLY_BYTES)
    let length = 0
    let received = 0
    let isInReply = !afterSentinel

    const done = (settle: () => void) => {
      clearTimeout(timer)
      socket.off('data', read).off('close', onClose).pause()
      settle()
    }
    const fail = (message: string) =>
      done(() => {
        socket.destroy()
        reject(unusable(message))
      })
    const onClose = () => fail('The guest agent closed the connection')
    const timer = setTimeout(() => fail('The guest agent did not answer in time'), Math.max(1, timeoutMs))

    /** Returns whether the request has ended. */
    const readLine = (text: string): boolean => {
      const reply = parsed(text)
      if (reply && 'error' in reply) done(() => reject(new GuestAgentError('refused', descriptionOf(reply.error))))
      else if (!reply || !('return' in reply)) fail('The guest agent sent something else than a reply')
      else if (accepts(reply.return)) done(() => resolve(reply.return))
      else return false
      return true
    }
    const read = (chunk: Buffer) => {
      received += chunk.length
      if (received > MOST_REPLY_BYTES) return fail('The reply of the guest agent is too long')
      for (const byte of chunk) {
        if (byte === SENTINEL) {
          isInReply = true
          length = 0
        } else if (byte !== NEWLINE) line[length++] = byte
        else {
          const text = line.toString('utf8', 0, length).trim()
          length = 0
          if (isInReply && text !== '' && readLine(text)) return
        }
      }
    }
    socket.on('data', read).on('close', onClose).resume()
    const text = Buffer.from(`${JSON.stringify(command)}\n`)
    // the sentinel also ends an incomplete command of an earlier connection
    socket.write(afterSentinel ? Buffer.concat([Buffer.of(SENTINEL), text]) : text)
  })
}

function parsed(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}

const descriptionOf = (error: unknown): string => {
  const description = (error as { desc?: unknown } | null)?.desc
  return typeof description === 'string' ? description.slice(0, 200) : 'The guest agent refused the command'
}
