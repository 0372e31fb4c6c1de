import type { RuleText } from '@mainstay/contract/core/said'
import { Problem, type ProblemCode, problem, problemOfFields, withField } from '@mainstay/contract/core/problems'

/* How refusals of networks come to the fields that they are about. */

interface Fault {
  field: string
  code: ProblemCode
  message: RuleText
}

/** Throws where something is wrong, with all of it; `at` is where the fields are in what was sent: `subnets.0.`. */
export function refuseFaults(faults: readonly Fault[], at = ''): void {
  const [first] = faults
  if (!first) return
  const fields: Record<string, RuleText[]> = {}
  for (const { field, message } of faults) (fields[`${at}${field}`] ??= []).push(message)
  throw problemOfFields(first.code, fields)
}

/** The field that a refusal of this code is about; undefined leaves it as it is. */
export type FieldsOfCodes = Partial<Record<ProblemCode, string>>

/** What the cloud refuses of this call is told at the field of its code. */
export async function atFields<Result>(fields: FieldsOfCodes, call: Promise<Result>): Promise<Result> {
  try {
    return await call
  } catch (error) {
    const field = error instanceof Problem ? fields[error.code] : undefined
    throw error instanceof Problem && field !== undefined ? withField(error, { field }) : error
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
export const leftBehind = (cause: unknown): Problem => problem('networking.cloud_did_part', {}, { cause })
