import type { Readable, Writable } from 'node:stream'
import { says } from '@mainstay/contract/core/said'
import * as z from 'zod'
import { LinkFault } from '../link-fault'
import type { Exec } from '../link-over'
import { OutputOf } from '../output-of'
import { FrameReader, frameOf } from './frames'

/** Messages on the control channel. Other messages and other fields are ignored. */
const Control = z.looseObject({
  command: z.string(),
  channel: z.string().optional(),
  version: z.number().optional(),
  problem: z.string().nullish(),
  message: z.string().nullish(),
  'exit-status': z.number().nullish(),
  'exit-signal': z.string().nullish(),
})
type Control = z.infer<typeof Control>

const VERSION = 1
const INPUT_FRAME = 64 * 1024

interface Channel {
  onData: (bytes: Buffer) => void
  onClose: (closed: Control) => void
}

interface Ends {
  host: string
  input: Writable
  output: Readable
  /** Time within which the rest of a frame must arrive, in milliseconds. */
  frameMs: number
  /** Called once if the bridge violates its protocol. */
  onFault: (fault: LinkFault) => void
}

/** Client for cockpit-bridge. Starts programs through the channels of one connection. */
export class Bridge {
  private readonly channels = new Map<string, Channel>()
  private readonly reader = new FrameReader((channel, payload) => this.onFrame(channel, payload))
  private watch: NodeJS.Timeout | undefined
  private opened = 0
  private onInit: () => void = () => undefined
  /** Resolves when the bridge is ready. */
  readonly ready = new Promise<void>((resolve) => (this.onInit = resolve))

  private readonly ends: Ends

  constructor(ends: Ends) {
    this.ends = ends
    ends.output.on('data', (bytes: Buffer) => this.onBytes(bytes))
    this.control({ command: 'init', version: VERSION, host: 'localhost', superuser: false })
  }

  /** Stops reading. Running programs end when the connection ends. */
  stop(): void {
    clearTimeout(this.watch)
    this.ends.output.removeAllListeners('data').destroy()
  }

  readonly exec: Exec = (argv, { input, signal, most }) =>
    new Promise((resolve, reject) => {
      const name = `c${++this.opened}`
      const output = new OutputOf(this.ends.host, most)
      const end = () => {
        this.channels.delete(name)
        signal.removeEventListener('abort', onAbort)
      }
      const stop = (why: Error) => {
        end()
        this.control({ command: 'close', channel: name, problem: 'terminated' })
        reject(why)
      }
      const onAbort = () => stop(signal.reason as Error)
      if (signal.aborted) return reject(signal.reason as Error)
      signal.addEventListener('abort', onAbort, { once: true })
      this.channels.set(name, {
        onData: (bytes) => {
          const fault = output.add('out', bytes)
          if (fault) stop(fault)
        },
        onClose: (closed) => {
          const [status, by] = [closed['exit-status'] ?? null, closed['exit-signal'] ?? null]
          const fault = output.add('err', Buffer.from(closed.message ?? ''))
          end()
          if (fault) reject(fault)
          else if (status !== null || by !== null) resolve(output.ended(status, by && `SIG${by}`))
          else reject(this.fault(`a program did not start (${closed.problem ?? 'no reason given'})`))
        },
      })
      this.control({
        ...{ command: 'open', channel: name, payload: 'stream', binary: 'raw' },
        ...{ spawn: argv, directory: '/', err: 'message' },
      })
      const bytes = Buffer.from(input)
      for (let at = 0; at < bytes.length; at += INPUT_FRAME) this.send(name, bytes.subarray(at, at + INPUT_FRAME))
      this.control({ command: 'done', channel: name })
    })

  private onBytes(bytes: Buffer): void {
    clearTimeout(this.watch)
    try {
      this.reader.push(bytes)
    } catch (error) {
      return this.fail(error instanceof Error ? error.message : String(error))
    }
    if (this.reader.isWithinFrame)
      this.watch = setTimeout(() => this.fail('it stopped in the middle of a frame'), this.ends.frameMs)
  }

  private onFrame(name: string, payload: Buffer): void {
    if (name !== '') return this.channels.get(name)?.onData(payload)
    const message = controlIn(payload)
    if (message.command === 'init') this.init(message)
    if (message.command === 'close' && message.channel) this.channels.get(message.channel)?.onClose(message)
  }

  private init({ version, problem, message }: Control): void {
    if (problem) throw new Error(message ?? problem)
    if (version !== VERSION)
      throw new Error(`it speaks version ${version ?? 'unknown'} of the protocol, not ${VERSION}`)
    this.onInit()
  }

  private fault = (reason: string): LinkFault =>
    new LinkFault('bridge_fault', says('infrastructure.host_bridge_fault', { host: this.ends.host, reason }))

  private fail(reason: string): void {
    this.stop()
    this.ends.onFault(this.fault(reason))
  }

  private control(message: Readonly<Record<string, unknown>>): void {
    this.send('', JSON.stringify(message))
  }

  private send(channel: string, payload: Buffer | string): void {
    if (this.ends.input.writable) this.ends.input.write(frameOf(channel, payload))
  }
}

function controlIn(payload: Buffer): Control {
  try {
    return Control.parse(JSON.parse(payload.toString()))
  } catch {
    throw new Error('it sent a control message that is not readable')
  }
}
