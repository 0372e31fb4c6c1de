import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type Channel, type ChannelModel } from 'amqplib'
import type { Log } from '../../ports/records'
import { exchangeOfPart } from './announced'
import { busAddresses } from './bus-addresses'
import { backOff } from './intervals'
import { readNotification, type Notification } from './notification'

/** Where the services announce: an exchange of each, or the one that they have when none was chosen. */
const EXCHANGES = [...Object.values(exchangeOfPart), 'openstack']
const TOPICS = ['versioned_notifications.*', 'notifications.*']
const CONNECT_MS = 10_000
const HEARTBEAT_SECONDS = 10
const RETRY_MS = 500
const RETRY_AT_MOST_MS = 15_000
/** A connection that lasted so long was a good one. */
const STEADY_MS = 60_000
/** A service makes its exchange with its first word. Asking for one that never comes is an error in the bus's log. */
const LOOK_FOR_EXCHANGES_MS = 10_000
const LOOK_AT_MOST_MS = 10 * 60_000

/** Who hears what is announced. */
export interface BusListener {
  heard(notification: Notification): void
  /** Everything that is announced on these exchanges from now on is heard. Called again when there are more of them. */
  attached(exchanges: ReadonlySet<string>): void
  /** Nothing is heard any more; told at each failed attempt, too. */
  lost(reason: string): void
}

/** Listens until the signal fires. Comes back by itself, with growing waits. */
export type FollowBus = (url: string, listener: BusListener, log: Log, signal: AbortSignal) => Promise<void>

export const followBus: FollowBus = async (url, listener, log, signal) => {
  const addresses = busAddresses(url)
  let failures = 0
  for (let attempt = 0; !signal.aborted; attempt++) {
    const begun = Date.now()
    try {
      await listen(addresses[attempt % addresses.length]!, listener, log, signal)
      if (signal.aborted) return
      listener.lost('The connection to the message bus ended')
    } catch (error) {
      if (signal.aborted) return
      log[failures === 0 ? 'warn' : 'debug']({ error }, 'the message bus cannot be listened to')
      listener.lost(error instanceof Error ? error.message : 'The message bus does not answer')
    }
    // one that comes and goes is left alone for longer: each time it comes, everything is read
    failures = Date.now() - begun > STEADY_MS ? 1 : failures + 1
    await sleep(backOff(failures, RETRY_MS, RETRY_AT_MOST_MS), undefined, { signal }).catch(() => undefined)
  }
}

/** Resolves when the connection has ended in order, throws when it could not be made or broke. */
async function listen(address: string, listener: BusListener, log: Log, signal: AbortSignal): Promise<void> {
  const connection = await connect(withHeartbeat(address), { timeout: CONNECT_MS, keepAlive: true, noDelay: true })
  const stop = (): void => void connection.close().catch(() => undefined)
  signal.addEventListener('abort', stop, { once: true })
  const ended = new Promise<void>((resolve, reject) => {
    connection.on('error', reject)
    connection.on('close', (error?: Error) => (error ? reject(error) : resolve()))
  })
  // it is waited for below, or the attempt has failed by then anyhow
  ended.catch(() => undefined)
  try {
    if (signal.aborted) return
    const channel = await connection.createChannel()
    channel.on('error', (error) => log.debug({ error }, 'a channel of the message bus ended'))
    channel.on('close', stop)
    const { queue } = await channel.assertQueue('', { exclusive: true, autoDelete: true, durable: false })
    const missing = new Set(EXCHANGES)
    await bindTo(connection, channel, queue, missing)
    await channel.consume(
      queue,
      (message) => {
        // the queue was taken away
        if (!message) return stop()
        const notification = readNotification(message.content)
        if (notification) listener.heard(notification)
      },
      { noAck: true },
    )
    const attach = (): void => listener.attached(new Set(EXCHANGES.filter((name) => !missing.has(name))))
    attach()
    const over = new AbortController()
    const looking = lookForMore(() => bindTo(connection, channel, queue, missing), missing, attach, log, over.signal)
    await ended.finally(() => over.abort())
    await looking
  } finally {
    signal.removeEventListener('abort', stop)
    stop()
  }
}

/** Looks for the exchanges that were not there, ever more seldom. */
async function lookForMore(
  bind: () => Promise<void>,
  missing: ReadonlySet<string>,
  attach: () => void,
  log: Log,
  signal: AbortSignal,
): Promise<void> {
  for (let pause = LOOK_FOR_EXCHANGES_MS; missing.size > 0; pause = Math.min(pause * 2, LOOK_AT_MOST_MS)) {
    await sleep(pause, undefined, { signal }).catch(() => undefined)
    if (signal.aborted) return
    const before = missing.size
    await bind().catch((error: unknown) => log.debug({ error }, 'exchanges of the bus could not be looked for'))
    // what was announced before we listened was missed
    if (missing.size < before) attach()
  }
}

/** Binds to the exchanges that are there. None is made: that is the services' own business. */
async function bindTo(model: ChannelModel, channel: Channel, queue: string, missing: Set<string>): Promise<void> {
  for (const exchange of missing) {
    if (!(await isThere(model, exchange))) continue
    for (const topic of TOPICS) await channel.bindQueue(queue, exchange, topic)
    missing.delete(exchange)
  }
}

/** Asking for what is not there ends the channel that asks. */
async function isThere(model: ChannelModel, exchange: string): Promise<boolean> {
  const channel = await model.createChannel()
  channel.on('error', () => undefined)
  try {
    await channel.checkExchange(exchange)
    await channel.close()
    return true
  } catch {
    return false
  }
}

function withHeartbeat(address: string): string {
  const url = new URL(address)
  if (!url.searchParams.has('heartbeat')) url.searchParams.set('heartbeat', String(HEARTBEAT_SECONDS))
  return url.href
}
