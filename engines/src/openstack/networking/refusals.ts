import { Problem, type ProblemCode } from '@mainstay/contract/core/problems'

/* How refusals of networks come to the fields that they are about. */

interface Fault {
  field: string
  code: ProblemCode
  message: string
}

/** Throws where something is wrong, with all of it; `at` is where the fields are in what was sent: `subnets.0.`. */
export function refuseFaults(faults: readonly Fault[], at = ''): void {
  const [first] = faults
  if (!first) return
  const fields: Record<string, string[]> = {}
  for (const { field, message } of faults) (fields[`${at}${field}`] ??= []).push(message)
  throw new Problem(first.code, first.message, { fields })
}

/** The field that a refusal of this code is about; undefined leaves it as it is. */
export type FieldsOfCodes = Partial<Record<ProblemCode, string>>

/** The same problem, told at a field, or with other words. */
export const toldAt = (
  problem: Problem,
  {
    field,
    code = problem.code,
    message = problem.message,
    data = {},
  }: {
    field?: string | undefined
    code?: ProblemCode
    message?: string
    data?: Record<string, unknown>
  },
): Problem =>
  new Problem(code, message, {
    fields: field === undefined ? problem.fields : { [field]: [message] },
    data: { ...problem.data, ...data },
    cause: problem,
  })

/** What the cloud refuses of this call is told at the field of its code. */
export async function atFields<Result>(fields: FieldsOfCodes, call: Promise<Result>): Promise<Result> {
  try {
    return await call
  } catch (error) {
    const field = error instanceof Problem ? fields[error.code] : undefined
    throw error instanceof Problem && field !== undefined ? toldAt(error, { field }) : error
  }
}

/** Does `work`, and `more` with what the cloud refuses of it; other failures are thrown as they are. */
export async function orElse<Result>(
  work: Promise<Result>,
  more: (problem: Problem) => Promise<Result> | Result,
): Promise<Result> {
  try {
    return await work
  } catch (error) {
    if (error instanceof Problem && error.status < 500) return more(error)
    throw error
  }
}

/** Said of an unfinished thing that could not be taken back at once. */
export const leftBehind = (cause: unknown): Problem =>
  new Problem('engine_unavailable', 'The cloud did not do all of it; what was begun is taken back when it answers', {
    cause,
  })
