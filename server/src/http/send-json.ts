import type { FastifyReply } from 'fastify'

/**
 * The content type of every JSON answer. RFC 8259 defines no parameter, and clients compare the whole value.
 */
export const JSON_TYPE = 'application/json'

/** Sends a text of JSON. As octets: to texts Fastify adds a `charset` parameter. */
export const sendJsonText = (reply: FastifyReply, text: string): FastifyReply =>
  reply.header('content-type', JSON_TYPE).send(Buffer.from(text))

export const sendJson = (reply: FastifyReply, value: unknown): FastifyReply =>
  sendJsonText(reply, JSON.stringify(value))
