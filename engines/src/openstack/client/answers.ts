import type * as z from 'zod'
import type { Service } from './service-client'
import { invalidResponse } from './problems'
import { whereIn } from './rows'
import type { Answer } from './retry'

function parsed(service: Service, answer: Answer): unknown {
  try {
    return JSON.parse(answer.text)
  } catch {
    // the parser's own words repeat parts of the answer, which may hold a secret
    const what = answer.text.trimStart().startsWith('<') ? 'a web page' : 'not whole, or not JSON'
    throw invalidResponse(service, answer, what)
  }
}

/** The answer's content through its schema; `z.void()` takes any. Throws `engine_unavailable` for what does not fit. */
export function readAnswer<Schema extends z.ZodType>(
  service: Service,
  answer: Answer,
  schema: Schema,
): z.output<Schema> {
  const fits = schema.safeParse(schema.def.type === 'void' ? undefined : parsed(service, answer))
  if (fits.success) return fits.data
  throw invalidResponse(service, answer, whereIn(fits.error), fits.error)
}
