import type * as z from 'zod'
import type { Service } from './service-client'
import { invalidResponse } from './problems'
import { whereIn } from './rows'
import type { Answer } from './retry'

function parsed(service: Service, answer: Answer): unknown {
  try {
    return JSON.parse(answer.text)
  } catch {
    // the parser's message quotes the response, which may contain a secret
    const what = answer.text.trimStart().startsWith('<') ? 'a web page' : 'incomplete or not JSON'
    throw invalidResponse(service, answer, what)
  }
}

/**
 * Parses a response body with its schema; `z.void()` accepts any body. Throws an `engine_unavailable` error on a
 * mismatch.
 */
export function readAnswer<Schema extends z.ZodType>(
  service: Service,
  answer: Answer,
  schema: Schema,
): z.output<Schema> {
  const fits = schema.safeParse(schema.def.type === 'void' ? undefined : parsed(service, answer))
  if (fits.success) return fits.data
  throw invalidResponse(service, answer, whereIn(fits.error), fits.error)
}
