import { connect } from 'amqplib'
import * as z from 'zod'
import { busAddresses } from '../feed/bus-addresses'

/** Times at which servers entered a state, as reported by Nova. */
export interface HeardStates {
  /**
   * Returns the time of the next notification that the server is in this state with no task in progress, in
   * milliseconds since the epoch. Call it before the state changes. Rejects if no such notification arrives within
   * `withinMs`.
   */
  entered(id: string, state: string, withinMs: number): Promise<number>
  close(): Promise<void>
}

const Envelope = z.object({ 'oslo.message': z.string() })
const Message = z.object({
  timestamp: z.string(),
  payload: z.object({
    'nova_object.data': z.object({ uuid: z.string(), state: z.string().nullable(), task_state: z.string().nullable() }),
  }),
})

/** Listens to Nova's versioned notifications on a separate queue, so that other listeners are not affected. */
export async function hearStates(url: string): Promise<HeardStates> {
  const connection = await connect(busAddresses(url)[0]!)
  const channel = await connection.createChannel()
  const { queue } = await channel.assertQueue('', { exclusive: true, autoDelete: true, durable: false })
  await channel.bindQueue(queue, 'nova', 'versioned_notifications.*')
  const listeners = new Set<(id: string, state: string, time: number) => void>()
  await channel.consume(
    queue,
    (message) => {
      const said = message && saidIn(message.content)
      if (said) for (const listener of [...listeners]) listener(said.id, said.state, said.time)
    },
    { noAck: true },
  )
  return {
    entered: (wantedId, wantedState, withinMs) =>
      new Promise((resolve, reject) => {
        const over = () => {
          clearTimeout(timer)
          listeners.delete(listener)
        }
        const listener = (id: string, state: string, time: number) => {
          if (id !== wantedId || state !== wantedState) return
          over()
          resolve(time)
        }
        const timer = setTimeout(() => {
          over()
          reject(new Error(`Nova did not say that ${wantedId} is ${wantedState} within ${withinMs} ms`))
        }, withinMs)
        listeners.add(listener)
      }),
    close: () => connection.close(),
  }
}

/** Parses a notification. Its timestamps are in UTC without a time zone: `2026-11-21 22:24:08.525`. */
function saidIn(content: Uint8Array): { id: string; state: string; time: number } | null {
  const envelope = Envelope.safeParse(JSON.parse(Buffer.from(content).toString('utf8')))
  const message = Message.safeParse(envelope.success ? JSON.parse(envelope.data['oslo.message']) : null)
  if (!message.success) return null
  const { uuid: id, state, task_state } = message.data.payload['nova_object.data']
  if (state === null || task_state !== null) return null
  return { id, state, time: Date.parse(`${message.data.timestamp.replace(' ', 'T')}Z`) }
}
