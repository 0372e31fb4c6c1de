import type { FastifyReply } from 'fastify'

/**
 * The content type of every JSON answer. RFC 8259 defines no parameter, and clients compare the whole value.
 */
export const JSON_TYPE = 'application/json'

const asItIs = (text: string): string => text

/** Sends a text of JSON. With a serializer of its own: to what is sent without one Fastify adds a `charset` parameter. */
export const sendJsonText = (reply: FastifyReply, text: string): FastifyReply =>
  reply.header('content-type', JSON_TYPE).serializer(asItIs).send(text)

export const sendJson = (reply: FastifyReply, value: unknown): FastifyReply =>
  sendJsonText(reply, JSON.stringify(value))
