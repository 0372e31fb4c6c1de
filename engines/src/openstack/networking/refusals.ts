import type { RuleText } from '@mainstay/contract/core/said'
import { Problem, type ProblemCode, problem, problemOfFields, withField } from '@mainstay/contract/core/problems'

/* Assigns errors from the network service to fields. */

interface Fault {
  field: string
  code: ProblemCode
  message: RuleText
}

/** Throws all validation errors as one error, if there are any. `at`: field prefix in the request (`subnets.0.`). */
export function refuseFaults(faults: readonly Fault[], at = ''): void {
  const [first] = faults
  if (!first) return
  const fields: Record<string, RuleText[]> = {}
  for (const { field, message } of faults) (fields[`${at}${field}`] ??= []).push(message)
  throw problemOfFields(first.code, fields)
}

/** Fields by error code. Errors with other codes keep their fields. */
export type FieldsOfCodes = Partial<Record<ProblemCode, string>>

/** Assigns an error from the call to the field for its code. */
export async function atFields<Result>(fields: FieldsOfCodes, call: Promise<Result>): Promise<Result> {
  try {
    return await call
  } catch (error) {
    const field = error instanceof Problem ? fields[error.code] : undefined
    throw error instanceof Problem && field !== undefined ? withField(error, { field }) : error
  }
}

/** Awaits `work`. If the cloud rejects it, calls `more` with the error; other errors are thrown unchanged. */
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

/** Returns the error after which an incomplete object remains; it is deleted later. */
export const leftBehind = (cause: unknown): Problem => problem('networking.cloud_did_part', {}, { cause })
