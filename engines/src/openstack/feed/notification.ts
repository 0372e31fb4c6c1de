import * as z from 'zod'

/** A notification from an OpenStack service. */
export interface Notification {
  /** For example, `instance.update` or `port.create.end`. */
  event: string
  /** For a versioned notification, the inner `nova_object.data`. */
  payload: Record<string, unknown>
}

// https://docs.openstack.org/oslo.messaging/zed/: the driver `messaging` sends a bare message, `messagingv2` a JSON
// string in an envelope
const Envelope = z.object({ 'oslo.version': z.string(), 'oslo.message': z.string() })
const Message = z.object({ event_type: z.string(), payload: z.unknown() })
const Versioned = z.object({ 'nova_object.data': z.record(z.string(), z.unknown()) })
const Plain = z.record(z.string(), z.unknown())

/** Parses a message from the bus; null if it is not a notification. */
export function readNotification(content: Uint8Array): Notification | null {
  const outer = parsed(Buffer.from(content).toString('utf8'))
  const envelope = Envelope.safeParse(outer)
  const message = Message.safeParse(envelope.success ? parsed(envelope.data['oslo.message']) : outer)
  if (!message.success) return null
  const { event_type: event, payload } = message.data
  const versioned = Versioned.safeParse(payload)
  if (versioned.success) return { event, payload: versioned.data['nova_object.data'] }
  const plain = Plain.safeParse(payload)
  return plain.success ? { event, payload: plain.data } : { event, payload: {} }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
