import { connect, type Socket } from 'node:net'
import { deferred } from './deferred'

/*
 * Client for QEMU's control socket (QMP): one JSON object per line.
 * https://www.qemu.org/docs/master/interop/qmp-spec.html
 */

export interface QmpEvent {
  event: string
  data: Record<string, unknown>
}

/** `refused`: QEMU returned an error (`message` is its text). `closed`: the process is gone. `timeout`: no response. */
export class QmpError extends Error {
  readonly code: 'refused' | 'closed' | 'timeout'
  constructor(code: QmpError['code'], message: string) {
    super(message)
    this.name = 'QmpError'
    this.code = code
  }
}

export interface Qmp {
  execute<Reply = unknown>(command: string, args?: object, timeoutMs?: number): Promise<Reply>
  onEvent(listener: (event: QmpEvent) => void): () => void
  /** Resolves with the first event that `accepts` matches. Rejects if a timeout expires or the socket closes. */
  nextEvent(accepts: (event: QmpEvent) => boolean, timeoutMs: number): Promise<QmpEvent>
  /** Resolves once either side has closed the socket. */
  readonly closed: Promise<void>
  close(): void
}

interface Line {
  QMP?: unknown
  id?: number
  return?: unknown
  error?: { class: string; desc: string }
  event?: string
  data?: Record<string, unknown>
}

const defaultTimeoutMs = 15_000

/** Connects without retries. */
export async function connectQmp(path: string, timeoutMs: number): Promise<Qmp> {
  const socket = connect(path)
  const client = speak(socket)
  try {
    await client.greeted(timeoutMs)
    await client.execute('qmp_capabilities', {}, timeoutMs)
    return client
  } catch (error) {
    client.close()
    throw error
  }
}

function speak(socket: Socket) {
  const waiting = new Map<number, (line: Line | QmpError) => void>()
  const listeners = new Set<(event: QmpEvent) => void>()
  let lastId = 0
  let unread = ''
  let isClosed = false
  const greeting = deferred<void>()
  greeting.promise.catch(() => undefined)
  const closed = deferred<void>()

  const end = () => {
    if (isClosed) return
    isClosed = true
    const error = new QmpError('closed', 'The process of the virtual machine ended')
    greeting.reject(error)
    for (const answer of waiting.values()) answer(error)
    waiting.clear()
    closed.resolve()
  }

  const read = (text: string) => {
    let line: Line
    try {
      line = JSON.parse(text) as Line
    } catch {
      // A process that is exiting may write an incomplete line.
      return
    }
    if (line.QMP !== undefined) greeting.resolve()
    if (line.event !== undefined) {
      for (const listener of [...listeners]) listener({ event: line.event, data: line.data ?? {} })
    }
    if (line.id !== undefined) waiting.get(line.id)?.(line)
  }

  socket.setEncoding('utf8')
  socket.on('data', (chunk: string) => {
    const lines = (unread + chunk).split('\n')
    unread = lines.pop() ?? ''
    for (const line of lines) if (line.trim()) read(line)
  })
  socket.on('error', () => socket.destroy())
  socket.on('close', end)

  function execute<Reply>(command: string, args: object = {}, timeoutMs = defaultTimeoutMs): Promise<Reply> {
    if (isClosed) return Promise.reject(new QmpError('closed', 'The process of the virtual machine ended'))
    const id = ++lastId
    return new Promise<Reply>((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.delete(id)
        reject(new QmpError('timeout', `The virtual machine did not respond (${command})`))
      }, timeoutMs)
      waiting.set(id, (line) => {
        clearTimeout(timer)
        waiting.delete(id)
        if (line instanceof QmpError) reject(line)
        else if (line.error) reject(new QmpError('refused', line.error.desc))
        else resolve(line.return as Reply)
      })
      socket.write(`${JSON.stringify({ execute: command, arguments: args, id })}\n`)
    })
  }

  function onEvent(listener: (event: QmpEvent) => void) {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }

  function nextEvent(accepts: (event: QmpEvent) => boolean, timeoutMs: number): Promise<QmpEvent> {
    return new Promise((resolve, reject) => {
      const done = (settle: () => void) => {
        clearTimeout(timer)
        forget()
        settle()
      }
      const timer = setTimeout(
        () => done(() => reject(new QmpError('timeout', 'The virtual machine did not respond'))),
        timeoutMs,
      )
      const forget = onEvent((event) => accepts(event) && done(() => resolve(event)))
      void closed.promise.then(() =>
        done(() => reject(new QmpError('closed', 'The process of the virtual machine ended'))),
      )
    })
  }

  return {
    execute,
    onEvent,
    nextEvent,
    closed: closed.promise,
    close: () => void socket.destroy(),
    greeted(timeoutMs: number): Promise<void> {
      const timer = setTimeout(
        () => greeting.reject(new QmpError('timeout', 'The virtual machine does not respond')),
        timeoutMs,
      )
      return greeting.promise.finally(() => clearTimeout(timer))
    },
  }
}
