import pino, { type DestinationStream, type Level, type Logger } from 'pino'

/** Names of properties whose values are never logged, at any depth. */
const secretName =
  /^(password|token|scoped_token|user_data|private_key|(current|new|confirm)_password|secret|community)$|^(x-auth-token|cookie|set-cookie|authorization)$/i
const MAX_DEPTH = 6

/** Copies a value without its secrets. The depth limit stops circular references. */
export function withoutSecrets(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  if (value instanceof Error) {
    // library errors may carry connections, requests and other state
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

/** Writes synchronously to a file descriptor: 1 is standard output, 2 is standard error. */
export const toDescriptor = (descriptor: 1 | 2): DestinationStream => pino.destination(descriptor)

/** The server's log: one JSON line per event, written to `destination` and, if given, to `also`. */
export const createLog = (level: string, destination: DestinationStream, also?: DestinationStream): Logger =>
  pino(
    {
      level,
      base: { pid: process.pid },
      // the default serializer would process errors a second time, after ours
      serializers: { err: (it: unknown) => it },
      formatters: { log: (fields) => withoutSecrets(fields) as Record<string, unknown> },
    },
    also
      ? pino.multistream([destination, also].map((stream) => ({ stream, level: 'trace' satisfies Level })))
      : destination,
  )
