import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type Channel, type ChannelModel } from 'amqplib'
import type { Log } from '../../ports/records'
import { exchangeOfPart } from './announced'
import { busAddresses } from './bus-addresses'
import { backOff } from './intervals'
import { readNotification, type Notification } from './notification'

/** Exchanges to bind to: the default exchange of each service, and `openstack`, the default of oslo.messaging. */
const EXCHANGES = [...Object.values(exchangeOfPart), 'openstack']
const TOPICS = ['versioned_notifications.*', 'notifications.*']
const CONNECT_MS = 10_000
const HEARTBEAT_SECONDS = 10
const RETRY_MS = 500
const RETRY_AT_MOST_MS = 15_000
/** A connection that lasted at least this long resets the back-off. */
const STEADY_MS = 60_000
/**
 * A service creates its exchange when it sends its first notification. Each check for a missing exchange logs an error
 * on the broker, so the checks become less frequent.
 */
const LOOK_FOR_EXCHANGES_MS = 10_000
const LOOK_AT_MOST_MS = 10 * 60_000

/** Receives events from the message bus. */
export interface BusListener {
  heard(notification: Notification): void
  /** Called once all notifications on these exchanges are being received, and again when more exchanges are bound. */
  attached(exchanges: ReadonlySet<string>): void
  /** Called when notifications are no longer received, and after each failed connection attempt. */
  lost(reason: string): void
}

/** Receives notifications until the signal is aborted. Reconnects automatically, with increasing delays. */
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
    // back off if the bus is unstable, because each reconnect triggers full reads
    failures = Date.now() - begun > STEADY_MS ? 1 : failures + 1
    await sleep(backOff(failures, RETRY_MS, RETRY_AT_MOST_MS), undefined, { signal }).catch(() => undefined)
  }
}

/** Resolves when the connection is closed cleanly; throws when it fails. */
async function listen(address: string, listener: BusListener, log: Log, signal: AbortSignal): Promise<void> {
  const connection = await connect(withHeartbeat(address), { timeout: CONNECT_MS, keepAlive: true, noDelay: true })
  const stop = (): void => void connection.close().catch(() => undefined)
  signal.addEventListener('abort', stop, { once: true })
  const ended = new Promise<void>((resolve, reject) => {
    connection.on('error', reject)
    connection.on('close', (error?: Error) => (error ? reject(error) : resolve()))
  })
  // a rejection is handled where the promise is awaited below, or the attempt has already failed
  ended.catch(() => undefined)
  try {
    if (signal.aborted) return
    const channel = await connection.createChannel()
    channel.on('error', (error) => log.debug({ error }, 'a message bus channel closed'))
    channel.on('close', stop)
    const { queue } = await channel.assertQueue('', { exclusive: true, autoDelete: true, durable: false })
    const missing = new Set(EXCHANGES)
    await bindTo(connection, channel, queue, missing)
    await channel.consume(
      queue,
      (message) => {
        // the queue was deleted
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

/** Checks for missing exchanges at increasing intervals. */
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
    await bind().catch((error: unknown) => log.debug({ error }, 'failed to look for message bus exchanges'))
    // notifications sent before the exchange was bound have been missed
    if (missing.size < before) attach()
  }
}

/** Binds to the exchanges that exist. Never creates an exchange, which is up to the services. */
async function bindTo(model: ChannelModel, channel: Channel, queue: string, missing: Set<string>): Promise<void> {
  for (const exchange of missing) {
    if (!(await isThere(model, exchange))) continue
    for (const topic of TOPICS) await channel.bindQueue(queue, exchange, topic)
    missing.delete(exchange)
  }
}

/** Uses a separate channel, because the broker closes the channel if the exchange does not exist. */
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
