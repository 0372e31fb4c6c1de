import pino, { type DestinationStream, type Level, type Logger } from 'pino'

/** What never stands in a log, however deep an object holds it. */
const secretName =
  /^(password|token|scoped_token|user_data|private_key|(current|new|confirm)_password|secret)$|^(x-auth-token|cookie|set-cookie|authorization)$/i
const MAX_DEPTH = 6

/** The same without secrets. What holds itself, or goes on for ever, ends somewhere. */
export function withoutSecrets(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  if (value instanceof Error) {
    // an error of a library holds its connection, its request and what else it knew
    const { name, message, stack, cause } = value
    const { code } = value as { code?: unknown }
    return {
      type: name,
      message,
      stack,
      ...(code !== undefined && { code }),
      ...(cause !== undefined && { cause: withoutSecrets(cause, depth + 1) }),
    }
  }
  if (depth >= MAX_DEPTH) return '[deeper]'
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      secretName.test(name) ? '[redacted]' : withoutSecrets(inner, depth + 1),
    ]),
  )
}

/** An open file of the process: 1 is standard output, 2 standard error. Lines are written before the call returns. */
export const toDescriptor = (descriptor: 1 | 2): DestinationStream => pino.destination(descriptor)

/** The server's log: one line of JSON for each event, to `destination` and, where it is given, to `also`. */
export const createLog = (level: string, destination: DestinationStream, also?: DestinationStream): Logger =>
  pino(
    {
      level,
      base: { pid: process.pid },
      // it would tell errors in its own way, after ours
      serializers: { err: (it: unknown) => it },
      formatters: { log: (fields) => withoutSecrets(fields) as Record<string, unknown> },
    },
    also
      ? pino.multistream([destination, also].map((stream) => ({ stream, level: 'trace' satisfies Level })))
      : destination,
  )
