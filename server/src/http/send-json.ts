import type { FastifyReply } from 'fastify'

/** Content type of every JSON response. RFC 8259 defines no parameters, and some clients compare the whole value. */
export const JSON_TYPE = 'application/json'

const asItIs = (text: string): string => text

/** Sends serialized JSON. The custom serializer keeps Fastify from adding a `charset` parameter. */
export const sendJsonText = (reply: FastifyReply, text: string): FastifyReply =>
  reply.header('content-type', JSON_TYPE).serializer(asItIs).send(text)

export const sendJson = (reply: FastifyReply, value: unknown): FastifyReply =>
  sendJsonText(reply, JSON.stringify(value))
